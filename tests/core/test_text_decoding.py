"""A tokenizer and a model together: emoji byte by byte, ids without a piece."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, pre_tokenizers

from core.loaded import LoadedModel
from core.model import Transformer
from core.request import DecodeRequest, Sampling
from core.text import Tokenizer
from tests.core import tiny
from tests.core.vocabularies import byte_level


def model(tokenizer: Tokenizer, vocabulary: int) -> LoadedModel:
    """A tiny decoder with a bias on its vocabulary head."""
    spec = tiny.decoder().spec
    assert spec.decoder is not None
    assert spec.heads.vocab is not None
    embedding = replace(spec.decoder.embedding, vocab=vocabulary)
    head = replace(spec.heads.vocab, vocab=vocabulary, bias=True)
    spec = replace(
        spec,
        decoder=replace(spec.decoder, embedding=embedding),
        heads=replace(spec.heads, vocab=head),
    )
    network = tiny.redraw(Transformer(spec))
    return LoadedModel(name="tiny", source="", spec=spec, network=network, tokenizer=tokenizer)


def test_an_emoji_forced_byte_by_byte() -> None:
    tokenizer = Tokenizer.from_library(byte_level(), source="made here")
    loaded = model(tokenizer, tokenizer.vocab_size)
    decoding = loaded.decoding(DecodeRequest(run=loaded.request("the cat")))
    emoji = tokenizer.encode("😀 !").ids
    assert len(emoji) == 6
    steps = [decoding.force(token) for token in emoji]
    assert [step.text for step in steps] == ["", "", "", "😀", "😀 ", "😀 !"]
    assert [step.pending for step in steps] == [1, 2, 3, 0, 0, 0]
    assert steps[-1].text == tokenizer.decode(emoji)
    assert steps[-1].tokens.pieces == ("the", "Ġcat", "ð", "Ł", "ĺ", "Ģ", "Ġ", "!")
    assert steps[-1].tokens.spelling == "bytes"
    decoding.back(4)
    assert (decoding.steps[-1].text, decoding.steps[-1].pending) == ("", 2)


@pytest.fixture
def padded() -> LoadedModel:
    """A vocabulary of 72 over a tokenizer of 64; id 70 wins everywhere."""
    letters = [chr(0x41 + i) for i in range(58)] + ["Ġ", "!", "?", ".", ",", ";"]
    made = Library(models.BPE(vocab={piece: i for i, piece in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    loaded = model(Tokenizer.from_library(made, source="made here"), 72)
    parameters = dict(loaded.network.named_parameters())
    (bias,) = [p for name, p in parameters.items() if "heads" in name and p.shape == (72,)]
    bias.data[70] += 1000
    return loaded


def test_an_id_beyond_the_tokenizer_is_named_and_can_be_appended(padded: LoadedModel) -> None:
    tokenizer = padded.tokenizer
    assert tokenizer is not None
    assert tokenizer.vocab_size == 64
    trace = padded.trace("the cat")
    probabilities = trace.logits_at(6)[0].softmax(-1)
    assert probabilities.shape == (72,)
    assert abs(float(probabilities.sum()) - 1) <= 1e-5
    assert int(probabilities.argmax()) == 70
    request = DecodeRequest(run=padded.request("the cat"), sampling=Sampling(), max_new_tokens=3)
    decoding = padded.decoding(request)
    step = decoding.step()
    assert (step.token, step.piece, step.candidates[0].token) == (70, "⟨unused id 70⟩", 70)
    assert step.tokens.pieces[-1] == "⟨unused id 70⟩"
    assert (step.text, step.pending) == ("", 0)
    # Skipped by hand, and gone on from there.
    decoding.back()
    known = next(c.token for c in step.candidates if c.token < 64)
    assert decoding.force(known).text == tokenizer.decode([known])
    assert decoding.step().tokens.ids[-2:] == (known, 70)

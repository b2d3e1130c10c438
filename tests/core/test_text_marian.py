"""Marian's two SentencePiece models, with one table of ids or two."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from sentencepiece import SentencePieceProcessor

from core import load_model
from core.decoding import BeamSearch
from core.errors import CheckpointError
from core.request import DecodeRequest
from core.text import Tokenizer
from tests.core.sentence_pieces import TEXTS, scores
from tests.core.vocabularies import sentence_piece, spec, write_json


@pytest.fixture
def marian(tmp_path: Path) -> Path:
    source = sentence_piece(tmp_path / "source.spm", size=50)
    target = sentence_piece(tmp_path / "target.spm", size=40)
    pieces = {piece for p in (source, target) for piece, _ in scores(p)} - {
        "<unk>",
        "<s>",
        "</s>",
        ",",
    }
    table = ["</s>", "<unk>", *sorted(pieces), ">>fra<<", "<pad>"]
    write_json(tmp_path / "vocab.json", {piece: i for i, piece in enumerate(table)})
    write_json(tmp_path / "config.json", {"model_type": "marian"})
    return tmp_path


def test_marian_reads_and_writes_with_its_two_models(marian: Path) -> None:
    from transformers import MarianTokenizer

    files = [str(marian / name) for name in ("source.spm", "target.spm", "vocab.json")]
    with warnings.catch_warnings(action="ignore"):
        theirs = MarianTokenizer(*files)
    ours = Tokenizer.from_folder(marian, spec())
    assert ours.source == "source.spm + target.spm + vocab.json"
    pad = ours.pad_id
    assert pad == len(json.loads((marian / "vocab.json").read_text())) - 1
    differs = False
    for text in (*TEXTS, ">>fra<< the cat"):
        assert list(ours.encode(text).ids) == theirs(text)["input_ids"]
        expected = theirs(text_target=text)["input_ids"]
        assert list(ours.encode_target(text, start=pad).ids) == [pad, *expected[:-1]]
        differs |= expected != theirs(text)["input_ids"]
    for text in ("the cat sat", "hello world this"):
        ids = ours.encode(text).ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=True) == text
    assert ours.encode(",", add_special=False).pieces[-1] == "<unk>"  # a piece without an id
    assert differs  # or the two models could not be told apart
    tokens = ours.encode(">>fra<< the")
    assert (tokens.pieces[0], tokens.special[0], tokens.spans[0]) == (">>fra<<", True, (0, 7))
    assert tokens.pieces[1] == "▁th"
    assert tokens.spans[1] == (8, 10)


@pytest.fixture
def separate(marian: Path) -> Path:
    """The same two models with a table of ids each; no piece has one number in both."""
    for name, table in (("source", "vocab.json"), ("target", "target_vocab.json")):
        processor = SentencePieceProcessor.from_file(str(marian / f"{name}.spm"))
        own = sorted(piece for piece, _ in scores(processor)[3:])
        own = own if name == "source" else own[::-1]
        pieces = ["</s>", "<unk>", *own, "<pad>"]
        write_json(marian / table, {piece: i for i, piece in enumerate(pieces)})
    write_json(marian / "tokenizer_config.json", {"separate_vocabs": True})
    return marian


@pytest.mark.parametrize("said", [True, False])
def test_marian_with_two_vocabularies(separate: Path, said: bool) -> None:
    from transformers import MarianTokenizer

    names = ("source.spm", "target.spm", "vocab.json", "target_vocab.json")
    files = [str(separate / name) for name in names]
    with warnings.catch_warnings(action="ignore"):
        theirs = MarianTokenizer(*files, separate_vocabs=True)
    if not said:
        (separate / "tokenizer_config.json").unlink()
    ours = Tokenizer.from_folder(separate, spec())
    assert ours.source == "source.spm + target.spm + vocab.json + target_vocab.json"
    assert ours.notes == ()
    start = ours.target.pad_id
    assert start is not None
    assert start != ours.pad_id
    for text in TEXTS:
        assert list(ours.encode(text).ids) == theirs(text)["input_ids"]
        expected = theirs(text_target=text)["input_ids"]
        tokens = ours.encode_target(text, start=start)
        assert list(tokens.ids) == [start, *expected[:-1]]
        assert tokens.pieces[1:] == tuple(theirs.convert_ids_to_tokens(expected[:-1]))
    ids = ours.encode_target("the cat sat", start=start).ids[1:]
    assert ours.target.decode(ids) == theirs.decode(ids, skip_special_tokens=True) == "the cat sat"
    assert ours.decode(ids) != "the cat sat"
    own = ours.target.of_ids(ids)
    assert own.pieces != ours.of_ids(ids).pieces


def test_a_translation_is_named_by_the_target_s_vocabulary(separate: Path) -> None:
    from core.families import marian
    from tests.core.families import reference

    tokenizer = Tokenizer.from_folder(separate, spec())
    sizes = {"vocab_size": tokenizer.vocab_size, "decoder_vocab_size": tokenizer.target.vocab_size}
    pad = {"pad_token_id": tokenizer.target.pad_id, "decoder_start_token_id": 3}
    reference.save(reference.make(dict(marian.FAMILY.tiny[1]) | sizes | pad), separate)
    model = load_model(separate)
    assert model.spec.decoder is not None
    assert model.spec.decoder.embedding.vocab != tokenizer.vocab_size
    found = model.trace("the cat", target="the cat")
    assert found.logits.shape[-1] == tokenizer.target.vocab_size
    named = [tokenizer.target.piece(i) for i in found.tokens["decoder"].ids]
    assert list(found.tokens["decoder"].pieces) == named
    assert found.tokens["encoder"].pieces[:1] == (tokenizer.encode("the").pieces[0],)
    by_ids = model.trace(
        ids=found.tokens["encoder"].ids, target_ids=found.tokens["decoder"].ids
    ).tokens["decoder"]
    assert by_ids.pieces == found.tokens["decoder"].pieces
    steps = list(model.decode("the cat", max_new_tokens=6))
    for step in steps:
        assert step.piece == tokenizer.target.piece(step.token)
        assert step.tokens.pieces[-1] == step.piece
    written = [step.token for step in steps]
    assert steps[-1].text == tokenizer.target.decode(written) != tokenizer.decode(written)
    search = BeamSearch(model, DecodeRequest(run=model.request("the cat"), max_new_tokens=3))
    while search.finished is None:
        search.step()
    for hypothesis in search.ended:
        step = search.steps(hypothesis)[-1]
        assert step.piece == tokenizer.target.piece(step.token)


@pytest.mark.parametrize("lost", ["source.spm", "target.spm", "vocab.json"])
def test_marian_without_one_of_its_files(marian: Path, lost: str) -> None:
    """A model of pieces alone would give ids, all of them wrong."""
    (marian / lost).unlink()
    assert not Tokenizer.is_in(marian)
    with pytest.raises(CheckpointError, match=rf"but not {lost}; Marian's tokenizer needs all"):
        Tokenizer.from_folder(marian, spec())


def test_marian_without_the_second_vocabulary_it_speaks_of(separate: Path) -> None:
    (separate / "target_vocab.json").unlink()
    with pytest.raises(CheckpointError, match=r"holds no target_vocab\.json"):
        Tokenizer.from_folder(separate)

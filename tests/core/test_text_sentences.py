"""SentencePiece models: each family's ids, template and spans, beside the reference's."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sentencepiece import SentencePieceProcessor

from core import load_model
from core.decoding import BeamSearch
from core.errors import CheckpointError
from core.request import DecodeRequest
from core.spec import SpecialIds
from core.text import Tokenizer
from tests.core.vocabularies import byte_fallback, sentence_piece, spec, write_json

TEXTS = ("the cat sat", "hello world, this", "  the   small rug ", "zebra!")
Scores = list[tuple[str, float]]


def scores(processor: SentencePieceProcessor) -> Scores:
    count = processor.get_piece_size()
    return [(processor.id_to_piece(i), processor.get_score(i)) for i in range(count)]


def agree(ours: Tokenizer, theirs: Any, texts: tuple[str, ...] = TEXTS) -> None:
    for text in texts:
        for pair in (None, "the red house"):
            for add_special in (True, False):
                expected = theirs(text, pair, add_special_tokens=add_special)
                tokens = ours.encode(text, pair, add_special=add_special)
                assert list(tokens.ids) == expected["input_ids"]
                if "token_type_ids" in expected:
                    assert list(tokens.segments) == expected["token_type_ids"]


def _t5(folder: Path) -> tuple[SentencePieceProcessor, str]:
    options = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    return sentence_piece(folder / "spiece.model", **options), "t5"


def test_t5_ends_and_has_sentinels_counted_from_the_end(tmp_path: Path) -> None:
    from transformers import T5Tokenizer

    processor, kind = _t5(tmp_path)
    write_json(tmp_path / "config.json", {"model_type": kind})
    ours = Tokenizer.from_folder(tmp_path, spec())
    count = processor.get_piece_size()
    sentinels = [(f"<extra_id_{i}>", 0.0) for i in reversed(range(100))]
    agree(ours, T5Tokenizer(vocab=scores(processor) + sentinels))
    assert ours.encode("the").ids[-1] == 1
    assert ours.vocab_size == count + 100
    assert (ours.id_of("<extra_id_0>"), ours.id_of("<extra_id_99>")) == (count + 99, count)
    tokens = ours.encode("the <extra_id_0> sat")
    assert tokens.pieces[-1] == "</s>"
    sentinel = tokens.pieces.index("<extra_id_0>")
    assert (tokens.spans[sentinel], tokens.special[sentinel]) == ((4, 16), True)
    assert tokens.ids[:-1] == ours.encode("the <extra_id_0> sat", add_special=False).ids
    assert (ours.pad_id, ours.mask_id, ours.source) == (0, None, "spiece.model")
    hint = ours.foreign_mask("the [MASK] sat")
    assert hint is not None
    assert hint.insert == "<extra_id_0>"
    assert ours.foreign_mask("the <extra_id_0> sat") is None


def test_t5_writes_its_target_from_the_pad_token(tmp_path: Path) -> None:
    _t5(tmp_path)
    ours = Tokenizer.from_folder(tmp_path, spec(family="t5"))
    bare = ours.encode("the cat", add_special=False)
    target = ours.encode_target("the cat", start=0)
    assert target.ids == (0, *bare.ids)
    assert target.spans == (None, *bare.spans)
    assert target.special == (True, *bare.special)
    assert ours.encode_target("", start=0).ids == (0,)
    assert ours.encode_target("the</s>", start=0).ids[-1] == 1  # typed, so it stays


def test_llama_starts_and_falls_back_to_bytes(tmp_path: Path) -> None:
    from transformers import LlamaTokenizer
    from transformers.tokenization_utils_sentencepiece import generate_merges

    processor = sentence_piece(
        tmp_path / "tokenizer.model",
        "bpe",
        size=340,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
    )
    write_json(tmp_path / "tokenizer_config.json", {"tokenizer_class": "LlamaTokenizer"})
    ours = Tokenizer.from_folder(tmp_path, spec())
    vocabulary = {piece: i for i, (piece, _) in enumerate(scores(processor))}
    theirs = LlamaTokenizer(
        vocab=vocabulary,
        merges=generate_merges(vocabulary, scores(processor)),
        add_bos_token=True,
        legacy=True,
    )
    agree(ours, theirs, ("the cat", "hello 😀é", "zebra"))
    assert ours.encode("the").ids[0] == 1
    tokens = ours.encode("the 😀ñ!", add_special=False)
    assert tokens.pieces == (
        *("▁the", "▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0xC3>", "<0xB1>", "<0x21>"),
    )
    assert tokens.spans == ((0, 3), (3, 4), *[(4, 5)] * 4, *[(5, 6)] * 2, (6, 7))
    assert ours.decode(tokens.ids) == "the 😀ñ!"
    assert ours.stream(tokens.ids[:4]) == ("the ", 2)
    assert processor.decode(list(tokens.ids)) == "the 😀ñ!"


@pytest.mark.parametrize("legacy", [None, False, True])
def test_behind_a_typed_token_llama_puts_no_space(tmp_path: Path, legacy: bool | None) -> None:
    from transformers import LlamaTokenizer
    from transformers.tokenization_utils_sentencepiece import generate_merges

    options = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    processor = sentence_piece(tmp_path / "tokenizer.model", "bpe", **options)
    said = {} if legacy is None else {"legacy": legacy}
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, **said}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec())
    vocabulary = {piece: i for i, (piece, _) in enumerate(scores(processor))}
    merges = generate_merges(vocabulary, scores(processor))
    theirs = LlamaTokenizer(vocab=vocabulary, merges=merges, add_bos_token=True, **said)
    texts = ("the</s>cat", "</s>the cat<s>the", "the cat")
    agree(ours, theirs, texts if legacy else (*texts, "the</s> cat", "<s> the </s> cat"))
    text = "the cat</s>sat" if not legacy else "the cat</s> sat"
    assert ours.decode(ours.encode("the cat</s>sat").ids[1:], skip_special=False) == text


def test_llamas_switches_are_followed(tmp_path: Path) -> None:
    sentence_piece(tmp_path / "tokenizer.model", "bpe", size=60)
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False, "add_eos_token": True}
    write_json(tmp_path / "tokenizer_config.json", config)
    pieces = Tokenizer.from_folder(tmp_path).encode("the").pieces
    assert pieces[0] != "<s>"
    assert pieces[-1] == "</s>"


def test_xlm_roberta_numbers_pieces_as_fairseq_does(tmp_path: Path) -> None:
    from transformers import XLMRobertaTokenizer

    processor = sentence_piece(tmp_path / "sentencepiece.bpe.model")
    write_json(tmp_path / "config.json", {"model_type": "xlm-roberta"})
    ours = Tokenizer.from_folder(tmp_path, spec(1))
    own = scores(processor)[3:]
    first = [(token, 0.0) for token in ("<s>", "<pad>", "</s>", "<unk>")]
    agree(ours, XLMRobertaTokenizer(vocab=[*first, *own, ("<mask>", 0.0)]))
    assert ours.mask_id == len(own) + 4 == ours.vocab_size - 1
    assert ours.encode("日", add_special=False).ids[-1] == 3
    assert not ours.encode("日", add_special=False).special[-1]  # it stands for a word
    tokens = ours.encode("the <mask>", "the")
    assert tokens.ids[0] == 0
    assert tokens.ids.count(2) == 3
    assert ours.mask_id in tokens.ids
    assert tokens.sequence.count(None) == 4


@pytest.mark.parametrize(("name", "last"), [("MBartTokenizer", True), ("MBart50Tokenizer", False)])
def test_mbart_says_the_language(tmp_path: Path, name: str, last: bool) -> None:
    processor = sentence_piece(tmp_path / "sentencepiece.bpe.model")
    count = processor.get_piece_size()
    config: dict[str, object] = {"tokenizer_class": name, "src_lang": "ro_RO"}
    write_json(tmp_path / "tokenizer_config.json", config)
    with pytest.raises(CheckpointError, match="language codes"):
        Tokenizer.from_folder(tmp_path)
    config["additional_special_tokens"] = ["en_XX", "ro_RO"]
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec(special=SpecialIds(forced_first=count + 1)))
    pieces = ours.encode("the").pieces
    assert (pieces[-2:] == ("</s>", "ro_RO")) is last
    assert (pieces[0] == "ro_RO") is not last
    assert (ours.id_of("en_XX"), ours.id_of("ro_RO")) == (count + 1, count + 2)
    assert ours.mask_id == count + 3
    # The target begins with its own language, not with the source's.
    words = ours.encode("the", add_special=False).ids
    lead = () if last else (count + 1,)
    assert ours.encode_target("the", start=2).ids == (2, *lead, *words)


def test_pegasus_leaves_room_for_its_special_tokens(tmp_path: Path) -> None:
    from transformers import PegasusTokenizer

    options = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    processor = sentence_piece(tmp_path / "spiece.model", **options)
    write_json(tmp_path / "config.json", {"model_type": "pegasus"})
    ours = Tokenizer.from_folder(tmp_path, spec())
    first = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *(f"<unk_{i}>" for i in range(2, 103))]
    vocab = [*((token, 0.0) for token in first), *scores(processor)[2:]]
    # Built from pieces alone, theirs lacks the model's own rule that drops a space at the end.
    agree(ours, PegasusTokenizer(vocab=vocab), ("the cat sat", "hello world, this", "zebra!"))
    assert ours.piece(105) == "<unk>"
    assert ours.foreign_mask("<mask_1> the <mask_2>") is None
    assert (ours.mask_piece, ours.mask_id, ours.pad_id) == ("<mask_2>", 3, 0)
    assert ours.encode("日", add_special=False).ids[-1] == 105


def test_deberta_appends_its_mask(tmp_path: Path) -> None:
    from transformers import DebertaV2Tokenizer

    options = {
        "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3,
        "pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]",
    }  # fmt: skip
    processor = sentence_piece(tmp_path / "spm.model", **options)
    write_json(tmp_path / "config.json", {"model_type": "deberta-v2"})
    ours = Tokenizer.from_folder(tmp_path, spec(2))
    theirs = DebertaV2Tokenizer(vocab=[*scores(processor), ("[MASK]", 0.0)], unk_id=3)
    agree(ours, theirs, ("the cat sat", "hello world, this", "zebra!"))
    assert ours.mask_id == processor.get_piece_size()
    assert ours.encode("the", "cat").segments[-1] == 1


def test_albert_folds_case_accents_and_quotes(tmp_path: Path) -> None:
    from transformers import AlbertTokenizer

    options = {
        "pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1,
        "user_defined_symbols": ["[CLS]", "[SEP]", "[MASK]", '"'],
    }  # fmt: skip
    processor = sentence_piece(tmp_path / "spiece.model", **options)
    write_json(tmp_path / "config.json", {"model_type": "albert"})
    ours = Tokenizer.from_folder(tmp_path, spec(2))
    theirs = AlbertTokenizer(vocab=scores(processor))
    agree(ours, theirs, ("The CAT sat", "thé càt", "zebra", "the [MASK] sat"))
    tokens = ours.encode("``Thé", add_special=False)
    quote = tokens.pieces.index('"')
    assert tokens.spans[quote] == (0, 2)
    assert tokens.spans[-1] is not None
    assert tokens.spans[-1][1] == 5
    assert ours.mask_piece == "[MASK]"
    write_json(tmp_path / "tokenizer_config.json", {"do_lower_case": False, "keep_accents": True})
    kept = Tokenizer.from_folder(tmp_path, spec(2))
    assert ours.id_of("<unk>") not in ours.encode("Ä", add_special=False).ids
    assert ours.id_of("<unk>") in kept.encode("Ä", add_special=False).ids


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


def test_others_write_as_they_read(tmp_path: Path) -> None:
    _t5(tmp_path)
    ours = Tokenizer.from_folder(tmp_path, spec(family="t5"))
    assert ours.target is ours


@pytest.mark.parametrize("make", [_t5])
def test_letters_of_a_ligature_share_it(
    tmp_path: Path, make: Callable[[Path], tuple[SentencePieceProcessor, str]]
) -> None:
    make(tmp_path)
    ours = Tokenizer.from_folder(tmp_path, spec(family="t5"))
    tokens = ours.encode("the ﬁ", add_special=False)
    by_piece = dict(zip(tokens.pieces, tokens.spans, strict=True))
    assert {"f", "i"} <= by_piece.keys()
    assert by_piece["f"] == by_piece["i"] == (4, 5)


def test_decoding_is_sentencepieces(tmp_path: Path) -> None:
    for kind in ("unigram", "bpe"):
        processor = sentence_piece(tmp_path / "a.model", kind)
        ours = Tokenizer.from_file(tmp_path / "a.model")
        for text in ("the cat", " the  cat ", "a small house"):
            ids = processor.encode(text)
            assert list(ours.encode(text).ids) == ids
            assert ours.decode(ids) == processor.decode(ids)
            for count in range(len(ids)):
                assert ours.stream(ids[:count])[0] == processor.decode(ids[:count])


def test_a_continuation_keeps_its_first_space(tmp_path: Path) -> None:
    sentence_piece(tmp_path / "a.model")
    ours = Tokenizer.from_file(tmp_path / "a.model")
    ids = ours.encode("the cat").ids
    assert ours.decode(ids) == "the cat"
    assert ours.decode(ids, continues=True) == " the cat"
    assert ours.stream(ids, continues=True) == (" the cat", 0)
    whole = Tokenizer.from_library(byte_fallback(), source="made here")
    ids = whole.encode("the the", add_special=False).ids
    assert whole.decode(ids, continues=True) == " the the"
    assert whole.decode(ids) == "the the"


def test_a_model_without_a_family_adds_nothing_and_says_so(tmp_path: Path) -> None:
    sentence_piece(tmp_path / "odd.spm")
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.source == "odd.spm"
    assert not any(ours.encode("the cat").special)
    assert ours.encode("<s>the").special[0]
    unknown = ours.encode("日")
    assert (unknown.pieces[-1], unknown.special[-1]) == ("<unk>", False)
    assert ours.notes == (
        "Nothing names the family of odd.spm; no special tokens are added to a text.",
    )

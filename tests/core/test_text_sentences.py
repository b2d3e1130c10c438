"""A SentencePiece model alone: its ids, its text, and no special tokens."""

from __future__ import annotations

from pathlib import Path

from core.text import Tokenizer
from tests.core.vocabularies import byte_fallback, sentence_piece


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

"""Ids become text: the library's, without special tokens, and ids that have no piece."""

from __future__ import annotations

from pathlib import Path

from core.text import Tokenizer
from tests.core.vocabularies import WORDS, byte_fallback, byte_level, spec, write_words


def test_a_vocabulary_beyond_the_tokenizer_has_names_for_its_ids() -> None:
    made = byte_fallback()
    ours = Tokenizer.from_library(made, source="made here")
    size = made.get_vocab_size()
    assert ours.vocab_size == size
    assert ours.piece(size + 6) == f"⟨unused id {size + 6}⟩"
    assert ours.piece(70 + size) == f"⟨unused id {70 + size}⟩"
    assert ours.piece(-1) == "⟨unused id -1⟩"
    assert not ours.is_special(size + 6)
    ids = ours.encode("the", add_special=False).ids
    assert ours.decode([*ids, size + 6, *ids]) == ours.decode([*ids, *ids]) == "the the"
    assert ours.stream([*ids, size + 6]) == ("the", 0)


def test_id_70_of_72_beyond_a_tokenizer_of_64(tmp_path: Path) -> None:
    words = [*WORDS, *(f"w{i}" for i in range(64 - len(WORDS)))]
    ours = Tokenizer.from_folder(write_words(tmp_path, words), spec(2))
    assert ours.vocab_size == 64
    assert [ours.piece(i) for i in (63, 64, 70)] == ["w45", "⟨unused id 64⟩", "⟨unused id 70⟩"]
    assert ours.of_ids([5, 70]).pieces == ("the", "⟨unused id 70⟩")
    assert ours.decode([5, 70, 6]) == "the cat"


def test_special_tokens_are_skipped_in_text_or_shown_on_request(tmp_path: Path) -> None:
    ours = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    ids = ours.encode("playing the [MASK] zebra").ids
    assert ours.decode(ids) == "playing the [UNK]"
    assert ours.decode(ids, skip_special=False) == "[CLS] playing the [MASK] [UNK] [SEP]"
    assert ours.stream(ids, skip_special=False)[0] == ours.decode(ids, skip_special=False)


def test_decoding_is_the_librarys() -> None:
    for make in (byte_fallback, lambda: byte_level("<s>")):
        made = make()
        ours = Tokenizer.from_library(make(), source="made here")
        for text in ("the the", " the", "a <s>the", "thé 😀 the!"):
            ids = made.encode(text).ids
            assert ours.decode(ids) == made.decode(ids)
            assert ours.decode(ids, skip_special=False) == made.decode(
                ids, skip_special_tokens=False
            )

"""vocab.txt reads as the reference does: lower case, and Chinese characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.text import Tokenizer
from tests.core.reading_alike import assert_reads_alike
from tests.core.vocabularies import WORDS, spec, write_words


@pytest.mark.parametrize("lower", [True, False])
def test_word_piece_reads_as_the_reference(tmp_path: Path, lower: bool) -> None:
    from transformers import BertTokenizer

    folder = write_words(tmp_path, do_lower_case=lower)
    ours = Tokenizer.from_folder(folder, spec(2))
    assert_reads_alike(ours, BertTokenizer.from_pretrained(folder))
    assert ours.encode("The").pieces[1] == ("the" if lower else "[UNK]")
    assert (ours.source, ours.notes) == ("vocab.txt", ())


def test_chinese_characters_are_words_unless_said_otherwise(tmp_path: Path) -> None:
    words = (*WORDS, "東", "京", "##京")
    ours = Tokenizer.from_folder(write_words(tmp_path, words))
    assert ours.encode("東京", add_special=False).pieces == ("東", "京")
    write_words(tmp_path, words, tokenize_chinese_chars=False)
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.encode("東京", add_special=False).pieces == ("東", "##京")


def test_a_vocabulary_with_capitals_is_not_lower_cased(tmp_path: Path) -> None:
    ours = Tokenizer.from_folder(write_words(tmp_path, (*WORDS, "The")))
    assert ours.encode("The", add_special=False).pieces == ("The",)
    assert ours.notes == (
        "Nothing says whether vocab.txt wants lower case; by its words, text is read as typed.",
    )
    ours = Tokenizer.from_folder(write_words(tmp_path, WORDS))
    assert ours.encode("The", add_special=False).pieces == ("the",)

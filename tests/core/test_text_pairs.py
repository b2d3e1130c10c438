"""Two texts in one input: where special tokens go, segments, and the band that tells A from B."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer as Library
from tokenizers import processors

from core.text import Tokenizer
from tests.core.vocabularies import byte_fallback, byte_level, spec, write_byte_level, write_words

ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def roberta() -> Library:
    made = byte_level(*ROBERTA)
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return made


def test_berts_pair_has_two_segments(tmp_path: Path) -> None:
    tokens = Tokenizer.from_folder(write_words(tmp_path), spec(2)).encode("the cat", "playing rug")
    assert tokens.pieces == (*("[CLS]", "the", "cat", "[SEP]", "play", "##ing", "rug", "[SEP]"),)
    assert tokens.segments == (0, 0, 0, 0, 1, 1, 1, 1)
    assert tokens.sequence == (None, 0, 0, None, 1, 1, 1, None)
    assert tokens.spans == (None, (0, 3), (4, 7), None, (0, 4), (4, 7), (8, 11), None)
    assert tokens.special == (True, False, False, True, False, False, False, True)
    assert (tokens.text, tokens.pair) == ("the cat", "playing rug")


def test_robertas_pair_has_one_segment_and_its_band_comes_from_the_sequences() -> None:
    tokenizer = Tokenizer.from_library(roberta(), source="made here", spec=spec(1))
    tokens = tokenizer.encode("the cat", "the rug")
    assert tokens.pieces == (*("<s>", "the", "Ġcat", "</s>", "</s>", "the", "Ġrug", "</s>"),)
    assert tokens.segments == (0,) * 8
    assert tokens.sequence == (None, 0, 0, None, None, 1, 1, None)
    assert tokens.ids == tuple(roberta().encode("the cat", "the rug").ids)
    assert tokens.spans == (None, (0, 3), (3, 7), None, None, (0, 3), (3, 7), None)


def test_robertas_vocabulary_files_give_the_same_pair(tmp_path: Path) -> None:
    folder = write_byte_level(tmp_path, *ROBERTA, tokenizer_class="RobertaTokenizer")
    tokens = Tokenizer.from_folder(folder, spec(1)).encode("the cat", "the rug")
    assert tokens == Tokenizer.from_library(roberta(), source="", spec=spec(1)).encode(
        "the cat", "the rug"
    )


@pytest.mark.parametrize(
    ("segments", "fed"), [(0, (0, 0, 0, 0, 0)), (1, (0, 0, 0, 0, 0)), (2, (0, 0, 0, 1, 1))]
)
def test_a_model_without_a_segment_table_is_fed_zeros(
    tmp_path: Path, segments: int, fed: tuple[int, ...]
) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path), spec(segments))
    tokens = tokenizer.encode("the", "cat")
    assert tokens.segments == fed
    assert tokens.sequence == (None, 0, None, 1, None)


def test_without_special_tokens_the_pair_is_still_told_apart(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    tokens = tokenizer.encode("the", "cat", add_special=False)
    assert tokens.pieces == ("the", "cat")
    assert tokens.sequence == (0, 1)
    assert tokens.segments == (0, 1)


def test_an_empty_pair_is_no_pair(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    assert tokenizer.encode("the", "") == tokenizer.encode("the")
    assert tokenizer.encode("the", "").pair is None


def test_llamas_pair_starts_twice() -> None:
    tokenizer = Tokenizer.from_library(byte_fallback(), source="made here")
    tokens = tokenizer.encode("the", "the")
    assert tokens.pieces == ("<s>", "▁the", "<s>", "▁the")
    assert tokens.sequence == (None, 0, None, 1)

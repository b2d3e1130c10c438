"""Tokens as a person reads them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.labels import groups_of, label, labeller, labels_of, place_words
from core.text import Tokenizer
from core.tokens import Tokens
from tests.core.vocabularies import byte_fallback, byte_level, sentence_piece, write_words

TEXT = "the cat 😀!"


@pytest.fixture(scope="module")
def by_bytes() -> Tokenizer:
    return Tokenizer.from_library(byte_level("<s>", "</s>"), source="made here")


def test_an_emoji_over_four_tokens_counts_its_parts(by_bytes: Tokenizer) -> None:
    tokens = by_bytes.encode(TEXT)
    assert labels_of(tokens) == (
        *("the", "·cat", "·", "😀 1/4", "😀 2/4", "😀 3/4", "😀 4/4", "!"),
    )
    assert labels_of(tokens, raw=True) == ("the", "Ġcat", "Ġ", "ð", "Ł", "ĺ", "Ģ", "!")
    assert groups_of(tokens) == (0, 1, 2, 3, 3, 3, 3, 7)


def test_byte_fallback_reads_the_same() -> None:
    tokens = Tokenizer.from_library(byte_fallback(), source="").encode("the 😀é!")
    assert labels_of(tokens) == (
        *("<s>", "·the", "·", "😀 1/4", "😀 2/4", "😀 3/4", "😀 4/4", "é 1/2", "é 2/2", "!"),
    )
    assert groups_of(tokens) == (0, 1, 2, 3, 3, 3, 3, 7, 7, 9)


def test_generated_tokens_are_grouped_by_their_bytes(by_bytes: Tokenizer) -> None:
    tokens = by_bytes.of_ids(by_bytes.encode("a😀 !").ids)
    assert set(tokens.spans) == {None}
    assert labels_of(tokens) == ("a", "😀 1/4", "😀 2/4", "😀 3/4", "😀 4/4", "·", "!")
    assert groups_of(tokens) == (0, 1, 1, 1, 1, 5, 6)
    unfinished = by_bytes.of_ids(tokens.ids[:3])
    assert labels_of(unfinished) == ("a", "⟨F0⟩", "⟨9F⟩")
    assert groups_of(unfinished) == (0, 1, 2)


def pieces(*found: str, spelling: str = "bytes", special: tuple[int, ...] = ()) -> Tokens:
    """Tokens with these pieces, without a text."""
    tokens = Tokens.of_ids(list(range(len(found))), list(found))
    marked = tuple(i in special for i in range(len(found)))
    return replace(tokens, spelling=spelling, special=marked)


def test_a_token_with_parts_and_whole_characters() -> None:
    # " 😀😁!" cut in the middle of both emoji.
    tokens = pieces("ĠðŁĺ", "ĢðŁĺ", "ģ!")
    assert labels_of(tokens) == ("· 😀 1/2", "😀 2/2 😁 1/2", "😁 2/2 !")
    assert groups_of(tokens) == (0, 0, 0)


def test_a_special_token_between_bytes_keeps_them_apart() -> None:
    tokens = pieces("ðŁ", "</s>", "ĺĢ", special=(1,))
    assert labels_of(tokens) == ("⟨F0⟩⟨9F⟩", "</s>", "⟨98⟩⟨80⟩")
    assert groups_of(tokens) == (0, 1, 2)
    assert labels_of(pieces("ðŁ", "ĺĢ", special=(1,))) == ("⟨F0⟩⟨9F⟩", "ĺĢ")


def test_equal_labels_stay_separate() -> None:
    assert labels_of(pieces("the", "the", "the")) == ("the",) * 3


def test_word_piece_marks_the_piece_that_goes_on(tmp_path: Path) -> None:
    tokens = Tokenizer.from_folder(write_words(tmp_path)).encode("playing the [MASK]")
    assert labels_of(tokens) == ("[CLS]", "play", "-ing", "the", "[MASK]", "[SEP]")
    assert labels_of(tokens, raw=True)[2] == "##ing"


def test_sentence_piece_marks_the_space(tmp_path: Path) -> None:
    sentence_piece(tmp_path / "a.model")
    tokens = Tokenizer.from_file(tmp_path / "a.model").encode("the rug")
    assert "".join(labels_of(tokens)) == "·the·rug"
    assert labels_of(tokens, raw=True) == tokens.pieces
    assert tokens.pieces[0].startswith("▁")


def test_tokens_that_share_a_span_light_up_together(tmp_path: Path) -> None:
    tokens = Tokenizer.from_folder(
        write_words(tmp_path, ("[UNK]", "[CLS]", "[SEP]", "a", "##e", "e")), None
    ).encode("ae a", add_special=False)
    assert groups_of(tokens) == (0, 1, 2)
    assert groups_of(replace(tokens, spans=((0, 1), (0, 1), (1, 2)))) == (0, 0, 2)
    assert groups_of(replace(tokens, spans=((0, 2), (1, 2), None))) == (0, 0, 2)


def test_the_two_texts_of_a_pair_do_not_share_characters(tmp_path: Path) -> None:
    tokens = Tokenizer.from_folder(write_words(tmp_path)).encode("the", "the")
    assert tokens.spans[1] == tokens.spans[3] == (0, 3)
    assert groups_of(tokens) == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("Ġthe", "·the"),
        ("ĠĠ", "··"),
        ("Ċ", "↵"),
        ("ĉ", "⇥"),
        ("▁the", "·the"),
        ("▁", "·"),
        ("##ing", "-ing"),
        ("##", "##"),
        ("[MASK]", "[MASK]"),
        ("<|endoftext|>", "<|endoftext|>"),
        ("<s>", "<s>"),
        ("⟨unused id 70⟩", "⟨unused id 70⟩"),
        ("⟨", "⟨"),
        ("东", "东"),
        ("é", "é"),
        ("ðŁĺ", "⟨F0⟩⟨9F⟩⟨98⟩"),
        ("<0xF0>", "⟨F0⟩"),
        ("<0x0A>", "↵"),
        ("\r", "␍"),
        ("\u200b", "⟨U+200B⟩"),
        ("\x07", "⟨U+0007⟩"),
        ("\u00a0", "⟨U+00A0⟩"),
        ("\u0301", "◌\u0301"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("", ""),
    ],
)
def test_a_lone_piece(piece: str, shown: str) -> None:
    assert label(piece) == shown
    assert label(piece, raw=True) == piece


def test_a_known_spelling_is_not_guessed() -> None:
    assert label("Ã©", spelling="bytes") == "é"
    assert label("Ã©", spelling="plain") == "Ã©"
    assert label("Łó", spelling="sentencepiece") == "Łó"
    assert label("##ing", spelling="bytes") == "##ing"
    assert label("a▁b", spelling="wordpiece") == "a▁b"


def test_no_label_holds_mojibake_or_a_replacement_character(by_bytes: Tokenizer) -> None:
    text = "naïve 東京 😀 — “quoted”\n\tend"
    shown = "".join(labels_of(by_bytes.encode(text)))
    assert not set(shown) & set("ðŁĺĢĠĊÃÂ\ufffd")
    assert "\n" not in shown


def test_candidates_are_named_by_id(by_bytes: Tokenizer) -> None:
    name = labeller(by_bytes)
    cat, start = by_bytes.id_of("Ġcat"), by_bytes.id_of("<s>")
    assert cat is not None
    assert start is not None
    assert name(cat) == "·cat"
    assert name(start) == "<s>"
    assert name(9999) == "⟨unused id 9999⟩"
    assert labeller(by_bytes, raw=True)(cat) == "Ġcat"


def test_labels_are_ready_before_torch() -> None:
    check = "import sys, app.labels; sys.exit('torch' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", check], cwd=root, check=False).returncode == 0


def test_a_place_after_padding_says_where_it_stands_and_what_the_model_counts() -> None:
    assert place_words(3, 3) == "position 3"
    assert place_words(5, 3) == "index 5, position 3"
    assert place_words(0, None) == "index 0, padding"

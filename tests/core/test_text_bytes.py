"""Characters that are several tokens: spans, labels' raw material, decoding while bytes arrive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.spelling import BYTE_OF, guess, piece_bytes, readable
from core.text import Tokenizer
from tests.core.vocabularies import byte_fallback, byte_level, starts

TEXT = "the cat 😀!"
SPANS = ((0, 3), (3, 7), (7, 8), (8, 9), (8, 9), (8, 9), (8, 9), (9, 10))


@pytest.fixture(scope="module")
def by_bytes() -> Tokenizer:
    return Tokenizer.from_library(byte_level("<s>", "</s>"), source="made here")


@pytest.fixture(scope="module")
def by_fallback() -> Tokenizer:
    return Tokenizer.from_library(byte_fallback(), source="made here")


def test_spans_count_characters_not_bytes(by_bytes: Tokenizer) -> None:
    tokens = by_bytes.encode(TEXT)
    assert tokens.pieces == ("the", "Ġcat", "Ġ", "ð", "Ł", "ĺ", "Ģ", "!")
    assert tokens.spans == SPANS
    assert tokens.ids == tuple(byte_level("<s>", "</s>").encode(TEXT).ids)


def test_spans_keep_the_space_even_where_the_tokenizer_trims_offsets() -> None:
    tokenizer = Tokenizer.from_library(starts(byte_level("<s>"), "<s>"), source="made here")
    assert tokenizer.encode(TEXT).spans == (None, *SPANS)


def test_each_byte_of_a_fallback_has_the_whole_character(by_fallback: Tokenizer) -> None:
    tokens = by_fallback.encode("the 😀é!", add_special=False)
    assert tokens.pieces == (
        *("▁the", "▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0xC3>", "<0xA9>", "!"),
    )
    assert tokens.spans == ((0, 3), (3, 4), *[(4, 5)] * 4, *[(5, 6)] * 2, (6, 7))


def test_a_space_put_before_the_text_stands_for_no_character(by_fallback: Tokenizer) -> None:
    assert by_fallback.encode("a", add_special=False).spans == (None, (0, 1))


@pytest.mark.parametrize("name", ["by_bytes", "by_fallback"])
def test_an_emoji_appears_once_its_last_byte_has_arrived(
    name: str, request: pytest.FixtureRequest
) -> None:
    tokenizer: Tokenizer = request.getfixturevalue(name)
    ids = tokenizer.encode("the the😀 !", add_special=False).ids
    first = next(i for i, token in enumerate(ids) if "😀".encode()[:1] == _bytes(tokenizer, token))
    running = [tokenizer.stream(ids[:count]) for count in range(len(ids) + 1)]
    assert [text for text, _ in running[first : first + 5]] == [*["the the"] * 4, "the the😀"]
    assert [pending for _, pending in running[first : first + 5]] == [0, 1, 2, 3, 0]
    assert all("\ufffd" not in text for text, _ in running)
    assert running[-1] == (tokenizer.decode(ids), 0) == ("the the😀 !", 0)


def _bytes(tokenizer: Tokenizer, token: int) -> bytes:
    return piece_bytes(tokenizer.piece(token), tokenizer.spelling)


@pytest.mark.parametrize("name", ["by_bytes", "by_fallback"])
def test_bytes_that_can_become_no_character_are_shown(
    name: str, request: pytest.FixtureRequest
) -> None:
    tokenizer: Tokenizer = request.getfixturevalue(name)
    ids = tokenizer.encode("😀!", add_special=False).ids
    broken = [*ids[:-5], ids[-5], ids[-4], ids[-1]]  # two of the four bytes, then "!"
    assert tokenizer.decode(broken) == "⟨F0⟩⟨9F⟩!"
    assert tokenizer.stream(broken) == ("⟨F0⟩⟨9F⟩!", 0)
    assert tokenizer.stream(broken[:-1]) == ("", 2)
    assert tokenizer.decode(broken[:-1]) == "⟨F0⟩⟨9F⟩"


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_what_is_read_is_written_back(text: str) -> None:
    made = byte_level("<s>", "</s>")
    ids = made.encode(text, add_special_tokens=False).ids
    tokenizer = Tokenizer.from_library(made, source="made here")
    assert tokenizer.encode(text, add_special=False).ids == tuple(ids)
    assert tokenizer.decode(ids) == made.decode(ids)
    assert tokenizer.stream(ids) == (tokenizer.decode(ids), 0)


@given(data=st.binary(max_size=12))
def test_running_text_only_grows_and_never_holds_a_replacement_character(data: bytes) -> None:
    char_of = {byte: char for char, byte in BYTE_OF.items()}
    before = ""
    for count in range(len(data) + 1):
        text, pending = readable(data[:count], final=False)
        assert text.startswith(before)
        assert 0 <= pending <= 3
        if b"\xef\xbf\xbd" not in data:
            assert "\ufffd" not in text
        before = text
    assert piece_bytes("".join(char_of[b] for b in data), "bytes") == data


def test_the_byte_alphabet_is_the_librarys() -> None:
    from tokenizers import pre_tokenizers

    assert BYTE_OF.keys() == set(pre_tokenizers.ByteLevel.alphabet())
    for text in ("\x00\n ~", "\x7f\x80\xa0\xad", "ÿé東"):
        (found, _), *_ = pre_tokenizers.ByteLevel(
            add_prefix_space=False, use_regex=False
        ).pre_tokenize_str(text)
        assert piece_bytes(found, "bytes") == text.encode()


@pytest.mark.parametrize(
    ("piece", "spelling"),
    [
        ("Ġthe", "bytes"),
        ("ðŁĺ", "bytes"),
        ("▁the", "sentencepiece"),
        ("<0xF0>", "sentencepiece"),
        ("##ing", "wordpiece"),
        ("##", "plain"),
        ("the", "plain"),
        ("é", "plain"),
        ("東", "plain"),
    ],
)
def test_the_spelling_of_a_lone_piece(piece: str, spelling: str) -> None:
    assert guess(piece) == spelling

"""Special tokens: added, typed, left out, spelled as another model has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import RequestError
from core.spec import SpecialIds
from core.text import Tokenizer
from tests.core.vocabularies import (
    WORDS,
    byte_fallback,
    byte_level,
    spec,
    starts,
    write_byte_level,
    write_words,
)


@pytest.fixture(params=["byte-level", "byte fallback"])
def starting(request: pytest.FixtureRequest) -> Tokenizer:
    """A Llama-like tokenizer that puts <s> before every text."""
    if request.param == "byte-level":
        made = starts(byte_level("<s>", "</s>"), "<s>")
    else:
        made = byte_fallback()
    return Tokenizer.from_library(made, source="made here")


def test_the_start_token_is_added_once(starting: Tokenizer) -> None:
    tokens = starting.encode("hello")
    assert tokens.pieces.count("<s>") == 1
    assert tokens.pieces[0] == "<s>"
    assert tokens.spans[0] is None
    assert starting.warnings("hello") == ()


def test_a_typed_start_token_shows_twice_and_is_said(starting: Tokenizer) -> None:
    tokens = starting.encode("<s>hello")
    assert tokens.pieces[:2] == ("<s>", "<s>")
    assert tokens.pieces.count("<s>") == 2
    assert tokens.spans[:2] == (None, (0, 3))
    assert tokens.special[:2] == (True, True)
    assert tokens.sequence[:2] == (None, 0)
    (warning,) = starting.warnings("<s>hello")
    assert warning == "<s> was typed and is added as well: it stands at the start twice."


def test_leaving_special_tokens_out_leaves_out_nothing_else(starting: Tokenizer) -> None:
    for text in ("hello", "<s>hello", "the <s> cat </s>", "</s>"):
        full, bare = starting.encode(text), starting.encode(text, add_special=False)
        assert full.ids[1:] == bare.ids
        assert full.pieces[1:] == bare.pieces
        assert full.spans[1:] == bare.spans
    assert "<s>" not in starting.encode("hello", add_special=False).pieces


@pytest.mark.parametrize("add_special", [True, False])
@pytest.mark.parametrize("text", ["hello", "<s>hello", "the <s>cat</s>"])
def test_ids_are_the_librarys_for_the_same_flag(text: str, add_special: bool) -> None:
    for made in (byte_fallback, lambda: starts(byte_level("<s>", "</s>"), "<s>")):
        tokenizer = Tokenizer.from_library(made(), source="made here")
        expected = made().encode(text, add_special_tokens=add_special)
        assert tokenizer.encode(text, add_special=add_special).ids == tuple(expected.ids)


def test_a_typed_end_token_is_said_too(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    assert tokenizer.warnings("the cat[SEP]") == (
        "[SEP] was typed and is added as well: it stands at the end twice.",
    )
    assert len(tokenizer.warnings("[CLS] the [SEP]")) == 2
    assert tokenizer.warnings("the [SEP] cat") == ()


def test_every_typed_mask_is_recognised(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    tokens = tokenizer.encode("the [MASK] sat [MASK]!")
    assert tokens.pieces == ("[CLS]", "the", "[MASK]", "sat", "[MASK]", "!", "[SEP]")
    assert [i for i, token in enumerate(tokens.ids) if token == tokenizer.mask_id] == [2, 4]
    assert tokens.special == (True, False, True, False, True, False, True)
    assert tokens.spans[2] == (4, 10)
    assert tokenizer.mask_piece == "[MASK]"
    assert tokenizer.foreign_mask("the [MASK] sat [MASK]!") is None


def test_the_word_of_another_models_mask_gets_a_hint(tmp_path: Path) -> None:
    special = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    tokenizer = Tokenizer.from_folder(write_byte_level(tmp_path, *special), spec(1))
    text = "the [MASK] rug"
    assert tokenizer.mask_id not in tokenizer.encode(text).ids
    hint = tokenizer.foreign_mask(text)
    assert hint is not None
    assert (hint.found, hint.span, hint.insert) == ("[MASK]", (4, 10), "<mask>")
    assert hint.message == "[MASK] is ordinary text to this model; its mask token is <mask>."
    assert hint.applied(text) == "the <mask> rug"
    assert tokenizer.mask_id in tokenizer.encode(hint.applied(text)).ids
    assert tokenizer.foreign_mask(hint.applied(text)) is None
    assert hint.applied("[MASK] the [MASK]") == "<mask> the <mask>"


def test_the_mask_takes_the_space_before_it_along(tmp_path: Path) -> None:
    special = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    tokenizer = Tokenizer.from_folder(write_byte_level(tmp_path, *special), spec(1))
    tokens = tokenizer.encode("the <mask> rug")
    assert tokens.pieces == ("<s>", "the", "<mask>", "Ġrug", "</s>")
    assert tokens.spans == (None, (0, 3), (3, 10), (10, 14), None)


def test_hints_are_for_whoever_has_a_mask_or_none(tmp_path: Path) -> None:
    bert = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    hint = bert.foreign_mask("the <mask> and [mask]")
    assert hint is not None
    assert hint.applied("the <mask> and [mask]") == "the [MASK] and [mask]"
    second = bert.foreign_mask("the [MASK] and [mask]")
    assert second is not None
    assert second.found == "[mask]"
    decoder = Tokenizer.from_library(byte_level("<s>"), source="made here")
    none = decoder.foreign_mask("the [MASK]")
    assert none is not None
    assert none.insert is None
    assert none.applied("the [MASK]") == "the [MASK]"
    assert none.message == "[MASK] is ordinary text to this model, which has no mask token."
    assert decoder.foreign_mask("nothing of the kind") is None


def test_an_unknown_word_is_a_word(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    tokens = tokenizer.encode("the zebra")
    assert tokens.pieces == ("[CLS]", "the", "[UNK]", "[SEP]")
    assert tokens.special == (True, False, False, True)
    assert tokens.spans[2] == (4, 9)


def test_no_token_at_all_is_refused() -> None:
    tokenizer = Tokenizer.from_library(byte_level("<s>"), source="made here")
    with pytest.raises(RequestError, match="nothing to read yet; type some text"):
        tokenizer.encode("")


def test_special_tokens_alone_are_an_input(starting: Tokenizer, tmp_path: Path) -> None:
    assert starting.encode("").pieces == ("<s>",)
    bert = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    assert bert.encode("").pieces == ("[CLS]", "[SEP]")
    with pytest.raises(RequestError):
        starting.encode("", add_special=False)


def test_half_a_character_is_refused_by_its_place(starting: Tokenizer) -> None:
    with pytest.raises(RequestError, match=r"character 3 .*U\+D83D"):
        starting.encode("ab\ud83d")
    with pytest.raises(RequestError, match="character 1"):
        starting.encode("ab", "\ude00")
    with pytest.raises(RequestError, match="character 1"):
        starting.encode_target("\ude00", start=0)


def test_ids_of_roles_by_name_then_by_configuration(tmp_path: Path) -> None:
    bert = Tokenizer.from_folder(write_words(tmp_path), spec(2, special=SpecialIds(mask=1, pad=2)))
    assert (bert.pad_id, bert.mask_id) == (0, 4)
    assert (bert.pad_piece, bert.mask_piece) == ("[PAD]", "[MASK]")
    bare = byte_level("<a>", "<b>")
    named = Tokenizer.from_library(bare, source="", spec=spec(special=SpecialIds(mask=1, pad=0)))
    assert (named.pad_piece, named.mask_piece) == ("<a>", "<b>")
    usual = Tokenizer.from_library(byte_level("<pad>", "[MASK]"), source="")
    assert (usual.pad_piece, usual.mask_piece) == ("<pad>", "[MASK]")
    # A piece of that name that is not special is a word.
    words = Tokenizer.from_folder(write_words(tmp_path, (*WORDS[1:], "<pad>")))
    assert words.id_of("<pad>") is not None
    assert words.pad_id is None
    none = Tokenizer.from_library(byte_level(), source="")
    assert (none.pad_id, none.pad_piece, none.mask_id, none.mask_piece) == (None,) * 4


def test_pieces_ids_and_what_is_special(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_folder(write_words(tmp_path))
    assert tokenizer.id_of("##ing") == 9
    assert tokenizer.id_of("ing") is None
    assert tokenizer.piece(9) == "##ing"
    assert [tokenizer.is_special(i) for i in range(6)] == [True, False, True, True, True, False]
    assert tokenizer.of_ids((2, 9)).pieces == ("[CLS]", "##ing")
    assert tokenizer.of_ids((2, 9)).special == (True, False)


def test_a_target_never_starts_twice() -> None:
    """A tokenizer whose first token is the decoder's start token already has it."""
    from core import load_model

    tokens = load_model("random:encoder-decoder").trace("a cat", target="dog").tokens["decoder"]
    assert tokens.pieces == ("[CLS]", "d", "o", "g")

"""A typed word finds its entries of the vocabulary, whatever way the tokenizer spells them."""

from __future__ import annotations

import pytest

from core.checkpoints.load import load_model
from core.text import Tokenizer
from core.text.meant import tokens_meant, whole


@pytest.fixture(scope="module", params=["encoder", "decoder", "translator"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    found = load_model(f"builtin:{request.param}").tokenizer
    assert found is not None
    return found


def test_a_word_is_found_as_text_holds_it(tokenizer: Tokenizer) -> None:
    inside = tokenizer.encode("I see the house").ids
    meant = tokens_meant(tokenizer, " house ")
    assert len(set(meant)) == len(meant)
    assert set(meant) & set(inside)
    assert all("house" in tokenizer.piece(token) for token in meant)
    assert whole(tokenizer, "house")


def test_a_long_word_is_found_by_its_first_piece(tokenizer: Tokenizer) -> None:
    word = "housebreakingly"
    assert not whole(tokenizer, word)
    assert tokenizer.encode(f" {word}", add_special=False).ids[0] in tokens_meant(tokenizer, word)


@pytest.mark.parametrize("word", ["", "   "])
def test_nothing_means_nothing(tokenizer: Tokenizer, word: str) -> None:
    assert tokens_meant(tokenizer, word) == ()


def test_what_the_vocabulary_cannot_write_is_not_the_unknown_token() -> None:
    tokenizer = load_model("builtin:encoder").tokenizer
    assert tokenizer is not None
    assert tokens_meant(tokenizer, "☃") == ()
    assert tokens_meant(tokenizer, "[UNK]") == (tokenizer.unk_id,)

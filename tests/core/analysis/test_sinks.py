from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.sinks import sinks, without
from core.tokens import Tokens


@pytest.mark.parametrize(
    ("pieces", "spelling"),
    [
        (["Hi", ",", "you", "##,", "##ing", "."], "wordpiece"),
        (["Hi", "Ġ,", "Ġyou", ",", "ing", "Ġ."], "bytes"),
        (["▁Hi", "▁,", "▁you", ",", "ing", "▁."], "sentencepiece"),
        (["我", "，", "们", "。", "好", "！"], "plain"),
    ],
)
def test_the_first_token_and_punctuation(pieces: list[str], spelling: str) -> None:
    tokens = replace(Tokens.of_ids(range(6), pieces), spelling=spelling)  # type: ignore[arg-type]
    assert sinks(tokens, None).tolist() == [True, True, False, True, False, True]


def test_specials_but_not_padding() -> None:
    tokens = replace(Tokens.of_ids([5, 6, 7], ["a", "b", "[SEP]"]), special=(False, False, True))
    padded = tokens.padded(5, pad=0, piece="[PAD]", side="left")
    assert sinks(padded, None).tolist() == [False, False, True, False, True]


def test_the_rest_is_rescaled() -> None:
    weights = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]], np.float32)
    found = without(weights, np.array([True, False, False]))
    assert found[0] == pytest.approx([0, 0.6, 0.4])
    assert found[1].tolist() == [0, 0, 0]
    assert without(np.stack([weights] * 2), np.array([True, False, False])).shape == (2, 2, 3)


def test_a_masked_word_is_a_word() -> None:
    tokens = replace(Tokens.of_ids([2, 5, 4, 3]), special=(True, False, True, True))
    assert sinks(tokens, 4).tolist() == [True, False, False, True]
    assert sinks(tokens, None).tolist() == [True, False, True, True]

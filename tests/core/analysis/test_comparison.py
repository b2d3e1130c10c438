from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.comparison import sentence_vector, shared_tokens
from core.tokens import Tokens


def text(*ids: int) -> Tokens:
    """1 and 2 are special."""
    return replace(Tokens.of_ids(ids), special=tuple(i in (1, 2) for i in ids))


def test_words_meet_in_order_and_specials_do_not() -> None:
    one, other = text(1, 7, 8, 7, 7, 9, 2), text(1, 9, 7, 5, 7, 2)
    assert shared_tokens(one, other) == [(1, 2), (3, 4), (5, 1)]
    assert shared_tokens(other, one) == [(1, 5), (2, 1), (4, 3)]
    padded = other.padded(8, pad=7, piece="[PAD]", side="left")
    assert shared_tokens(one, padded) == [(1, 4), (3, 6), (5, 3)]


def test_a_text_is_the_mean_of_its_words() -> None:
    hidden = np.random.default_rng(0).normal(size=(3, 5, 4)).astype(np.float32)
    found = sentence_vector(hidden, text(1, 7, 8, 2, 2))
    assert found == pytest.approx((hidden[:, 1] + hidden[:, 2]) / 2)
    only_specials = sentence_vector(hidden, text(1, 2, 2, 1, 2))
    assert only_specials == pytest.approx(hidden.mean(axis=1))

"""The count baselines against sums worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from training.evaluation.continuation import loops
from training.evaluation.ngram import Fillers, KneserNey


def test_kneser_ney_probabilities_of_all_words_sum_to_one() -> None:
    rng = np.random.default_rng(0)
    vocab = 6
    text = rng.integers(0, vocab, size=400)
    model = KneserNey(text, vocab=vocab, order=3)
    for context in ([0, 1], [3, 3], [5, 2]):
        total = sum(2 ** float(model.log2(np.array([*context, w]))[0]) for w in range(vocab))
        assert total == pytest.approx(1.0, abs=1e-9)


def test_a_word_that_always_follows_is_nearly_certain() -> None:
    text = np.array([1, 2, 3, 4] * 50)
    model = KneserNey(text, vocab=5, order=3)
    assert 2 ** float(model.log2(np.array([1, 2, 3]))[0]) > 0.95


def test_fillers_look_at_both_neighbours_then_at_one() -> None:
    text = np.array([1, 2, 3, 1, 2, 3, 1, 4, 5])
    fillers = Fillers(text, vocab=6)
    assert fillers.guess(1, 3)[0] == 2
    assert fillers.guess(1, 5)[0] == 4
    assert fillers.guess(1, 0)[:2] == [2, 4]


@pytest.mark.parametrize(
    ("ids", "circular"),
    [
        ([1, 2, 3, 4, 5], False),
        ([1, 1, 2, 1, 1], False),
        ([7, 7, 7], True),
        ([9, 1, 2, 1, 2, 1, 2], True),
    ],
)
def test_a_loop_is_a_stretch_said_three_times_in_a_row(ids: list[int], circular: bool) -> None:
    assert loops(ids) is circular

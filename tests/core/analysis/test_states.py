from __future__ import annotations

import numpy as np
import pytest

from core.analysis.states import cosine, cosine_matrix, norms, similarity_to_before


def test_norms_against_linalg() -> None:
    states = np.random.default_rng(1).normal(size=(4, 6, 9)).astype(np.float32) * 100
    assert norms(states) == pytest.approx(np.linalg.norm(states, axis=-1), rel=1e-6)


def test_cosines_of_known_angles() -> None:
    x = np.array([[3.0, 0.0], [0.0, 2.0], [-5.0, 0.0], [1.0, 1.0]], dtype=np.float32)
    one = np.array([1.0, 0.0], dtype=np.float32)
    assert cosine(x, one) == pytest.approx([1.0, 0.0, -1.0, np.sqrt(0.5)], abs=1e-7)


def test_a_vector_of_zeros_has_no_direction() -> None:
    zero = np.zeros(3, dtype=np.float32)
    assert cosine(zero, np.ones(3, dtype=np.float32)) == 0


def test_similarity_compares_neighbouring_layers_of_one_position() -> None:
    hidden = np.random.default_rng(2).normal(size=(4, 5, 8)).astype(np.float32)
    found = similarity_to_before(hidden)
    assert found.shape == (3, 5)
    for layer, position in np.ndindex(3, 5):
        a, b = (hidden[i, position].astype(np.float64) for i in (layer, layer + 1))
        expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        assert found[layer, position] == pytest.approx(expected, abs=1e-6)


def test_every_pair_at_once_is_every_pair_one_by_one() -> None:
    states = np.random.default_rng(3).normal(size=(6, 5)).astype(np.float32)
    states[2] = 0
    found = cosine_matrix(states)
    for i, j in np.ndindex(6, 6):
        assert found[i, j] == pytest.approx(cosine(states[i], states[j]), abs=1e-6)
    assert found[2, 2] == 0

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.projection import principal_components, projection
from tests.traces import sentence, trace_of


@pytest.mark.parametrize("shape", [(4, 7, 6), (3, 2, 50), (1, 1, 5), (2, 1, 3)])
def test_against_a_singular_value_decomposition(shape: tuple[int, int, int]) -> None:
    states = np.random.default_rng(0).normal(size=shape).astype(np.float32) * 3 + 5
    found = principal_components(states)
    flat = states.reshape(-1, shape[2]).astype(float)
    centred = flat - flat.mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    points = found.points.transpose(1, 0, 2).reshape(-1, 2)
    variance = singular**2
    for i in range(2):
        expected = centred @ axes[i] if i < len(axes) and singular[i] > 1e-9 else 0 * flat[:, 0]
        assert np.abs(points[:, i]) == pytest.approx(np.abs(expected), abs=1e-4)
        share = variance[i] / variance.sum() if i < len(variance) and variance.sum() > 0 else 0
        assert found.explained[i] == pytest.approx(share, abs=1e-6)


def test_the_plane_holds_what_lies_in_a_plane() -> None:
    """Distances between states that lie in a plane stay as they are."""
    rng = np.random.default_rng(1)
    plane = np.linalg.qr(rng.normal(size=(8, 2)))[0]
    flat = rng.normal(size=(12, 2)) * [4, 1]
    found = principal_components((flat @ plane.T).reshape(3, 4, 8).astype(np.float32))
    assert sum(found.explained) == pytest.approx(1, abs=1e-6)
    points = found.points.transpose(1, 0, 2).reshape(-1, 2)
    for i, j in np.ndindex(12, 12):
        apart = np.linalg.norm(flat[i] - flat[j])
        assert np.linalg.norm(points[i] - points[j]) == pytest.approx(apart, abs=1e-5)


def test_lengths_count_only_where_layers_read_them() -> None:
    """Pre-norm: directions alone. Post-norm: the states as they are."""
    for kind, stack, directions in (("decoder", "decoder", True), ("encoder", "encoder", False)):
        trace = trace_of(kind, length=6)
        states = trace.hidden(stack).double().numpy()
        if directions:
            states = states / np.linalg.norm(states, axis=2, keepdims=True)
        found = projection(trace, stack)
        assert found.directions == directions
        expected = principal_components(states.astype(np.float32))
        assert found.points == pytest.approx(expected.points, abs=1e-4)


def test_padding_is_left_out_and_the_picture_is_the_same_twice() -> None:
    source = sentence(5).padded(8, pad=0, piece="[PAD]")
    found = projection(trace_of("encoder", source=source), "encoder")
    assert found.points.shape == (5, 4, 2)
    assert found.positions == (0, 1, 2, 3, 4)
    again = projection(trace_of("encoder", source=source), "encoder")
    assert (found.points == again.points).all()

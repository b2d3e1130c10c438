from __future__ import annotations

import numpy as np
import pytest

from core.analysis.updates import added, attention_share, relative_change
from tests.core.analysis.by_hand import array, norm
from tests.traces import KINDS, network, trace_of


def test_change_against_linalg() -> None:
    hidden = np.random.default_rng(0).normal(size=(4, 5, 6)).astype(np.float32)
    hidden[1, 2] = 0
    found = relative_change(hidden)
    for layer, position in np.ndindex(3, 5):
        before, after = hidden[layer, position], hidden[layer + 1, position]
        size = np.linalg.norm(before)
        expected = np.linalg.norm(after - before) / size if size else 0
        assert found[layer, position] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_added_is_what_the_stream_gains(kind: str) -> None:
    """The lengths of the very vectors whose sum with x is the stream after the layer."""
    trace, made = trace_of(kind, length=6, target=5), network(kind)
    for stack in trace.spec.stacks:
        found = added(trace, stack.name)
        crossed = stack.name == "decoder" and trace.spec.encoder is not None
        assert set(found) == ({"self", "cross", "ffn"} if crossed else {"self", "ffn"})
        for layer in range(3):
            at = f"{stack.name}.{layer}"
            before = f"{stack.name}.{layer - 1}.resid.out" if layer else f"{stack.name}.embed.out"
            vectors = {part: array(trace[f"{at}.{part}.out"]) for part in found}
            residual = made.stack(stack.name).block(layer).residual
            if stack.blocks[0].residual == "sandwich":
                vectors = {p: norm(residual[p].post, v) for p, v in vectors.items()}
            for part, vector in vectors.items():
                sizes = np.linalg.norm(vector, axis=1)
                assert found[part][layer] == pytest.approx(sizes, abs=1e-4)
            if stack.blocks[0].residual != "post":
                total = array(trace[before]) + sum(vectors.values())
                end = "resid.out_sum" if stack.blocks[0].residual == "joint" else "resid.out"
                assert array(trace[f"{at}.{end}"]) == pytest.approx(total, abs=1e-5)


def test_shares_by_hand() -> None:
    lengths = {
        "self": np.array([[1.0, 0.0]], np.float32),
        "cross": np.array([[2.0, 0.0]], np.float32),
        "ffn": np.array([[1.0, 0.0]], np.float32),
    }
    assert attention_share(lengths).tolist() == [[0.75, 0.0]]

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.contribution import contribution
from core.masks import MaskChoice
from tests.core.analysis.by_hand import array
from tests.traces import KINDS, network, trace_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", [0, 3, None])
def test_against_the_vectors_themselves(kind: str, head: int | None) -> None:
    trace, made = trace_of(kind, length=6, target=5), network(kind)
    for site in trace.spec.sites:
        stack, part = site.split(".")
        block = made.stack(stack).block(1)
        module = block.attention if part == "self" else block.cross
        matrix = array(module.out.weight)  # [d_model, head * d_value]
        v = array(trace[f"{stack}.1.{part}.v"])
        maps = array(trace.pattern(site, 1))
        heads = range(4) if head is None else [head]
        group = 4 // len(v)
        found = contribution(trace, site, 1, head)
        queries, keys = maps.shape[1:]
        for i, j in np.ndindex(queries, keys):
            total = np.zeros(16)
            for h in heads:
                total += matrix[:, 4 * h : 4 * h + 4] @ (maps[h, i, j] * v[h // group, j])
            assert found.norms[i, j] == pytest.approx(np.linalg.norm(total), abs=1e-4)
        sizes = [np.mean([np.linalg.norm(v[h // group, j]) for h in heads]) for j in range(keys)]
        assert found.values == pytest.approx(sizes, abs=1e-5)
        assert found.weights == pytest.approx(maps[list(heads)].mean(axis=0), abs=1e-6)
        shares = found.norms / found.norms.sum(axis=1, keepdims=True)
        assert found.shares == pytest.approx(shares, abs=1e-6)


def test_a_query_that_sees_nothing_gets_nothing() -> None:
    blocked = tuple((2, key) for key in range(5))
    trace = trace_of("encoder", length=5, masks=(("encoder.self", MaskChoice(blocked=blocked)),))
    for head in (1, None):
        found = contribution(trace, "encoder.self", 0, head)
        assert not found.shares[2].any()
        assert found.shares[1].sum() == pytest.approx(1)

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.rollout import rollout
from core.errors import Cancelled
from core.masks import MaskChoice
from tests.traces import KINDS, trace_of


@pytest.mark.parametrize("kind", KINDS)
def test_later_layers_stand_to_the_left(kind: str) -> None:
    """By loops in float64: first what layer 0 mixes, then what each later one mixes of that."""
    trace = trace_of(kind, length=6, target=5)
    for stack in trace.spec.stacks:
        site = f"{stack.name}.self"
        count = len(trace.tokens[stack.name])
        held = [[float(i == j) for j in range(count)] for i in range(count)]
        for layer in range(3):
            maps = trace.pattern(site, layer).double().numpy()
            after = []
            for i in range(count):
                mix = [
                    0.5 * np.mean([m[i, k] for m in maps]) + 0.5 * (i == k) for k in range(count)
                ]
                after.append([sum(mix[k] * held[k][j] for k in range(count)) for j in range(count)])
            held = after
            found = rollout(trace, stack.name, layer)
            assert found == pytest.approx(np.array(held), abs=1e-5)
            assert found.sum(axis=1) == pytest.approx(np.ones(count), abs=1e-5)


def test_nothing_flows_backwards_in_a_causal_stack() -> None:
    found = rollout(trace_of("decoder", length=6), "decoder", 2)
    assert not np.triu(found, 1).any()


def test_a_query_that_sees_nothing_keeps_itself() -> None:
    blocked = tuple((2, key) for key in range(5))
    trace = trace_of("encoder", length=5, masks=(("encoder.self", MaskChoice(blocked=blocked)),))
    assert rollout(trace, "encoder", 2)[2].tolist() == [0, 0, 1, 0, 0]


def test_it_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        rollout(trace_of("encoder"), "encoder", 1, lambda: True)

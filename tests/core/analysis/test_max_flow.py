from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.analysis import max_flow as module
from core.analysis.max_flow import can_flow, max_flow
from core.edits import Edit
from core.errors import Cancelled, RequestError
from core.masks import MaskChoice
from core.trace import Trace
from tests.traces import KINDS, trace_of


def smallest_cut(trace: Trace, stack: str, query: int, token: int) -> float:
    """Through all three layers, by trying every cut: it carries what the largest flow does."""
    count = len(trace.tokens[stack])
    layers = []
    for layer in range(3):
        maps = trace.pattern(f"{stack}.self", layer).double().numpy().mean(axis=0)
        mixed = maps + np.eye(count)
        layers.append(mixed / mixed.sum(axis=1, keepdims=True))
    best = np.inf
    for choice in product((False, True), repeat=2 * count):
        upper, lower = np.array(choice[:count]), np.array(choice[count:])  # on the query's side
        cut = layers[2][query, ~upper].sum()
        cut += layers[1][np.ix_(upper, ~lower)].sum()
        cut += layers[0][lower, token].sum()
        best = min(best, cut)
    return float(best)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_as_large_as_the_smallest_cut(kind: str) -> None:
    trace = trace_of(kind, length=4, target=4)
    for stack in trace.spec.stacks:
        for query in (0, 3):
            found = max_flow(trace, stack.name, 2, query)
            expected = [smallest_cut(trace, stack.name, query, token) for token in range(4)]
            assert found == pytest.approx(expected, abs=1e-5)


def test_through_one_layer_it_is_that_layers_mixing() -> None:
    trace = trace_of("encoder", length=6)
    maps = trace.pattern("encoder.self", 0).double().numpy().mean(axis=0)
    expected = (maps[4] + np.eye(6)[4]) / 2
    assert max_flow(trace, "encoder", 0, 4) == pytest.approx(expected, abs=1e-6)


def test_nothing_flows_where_no_mask_lets_it() -> None:
    assert not max_flow(trace_of("decoder", length=6), "decoder", 2, 2)[3:].any()
    blocked = tuple((2, key) for key in range(5))
    trace = trace_of("encoder", length=5, masks=(("encoder.self", MaskChoice(blocked=blocked)),))
    assert max_flow(trace, "encoder", 2, 2).tolist() == [0, 0, 1, 0, 0]


def test_a_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EDGES", 75)
    trace = trace_of("encoder", length=6)
    assert can_flow(trace, "encoder", 1)
    assert not can_flow(trace, "encoder", 2)
    with pytest.raises(RequestError, match=r"3 layers .* up to 5 tokens; .* has 6\."):
        max_flow(trace, "encoder", 2, 0)


def test_it_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        max_flow(trace_of("encoder"), "encoder", 1, 0, lambda: True)


def test_an_edit_that_makes_weights_negative_ends_the_search() -> None:
    turned = Edit(site="encoder.1.self.pattern", value=-0.5, mode="scale")
    trace = trace_of("encoder", length=6, edits=(turned,))
    assert np.isfinite(max_flow(trace, "encoder", 0, 2)).all()  # below the edit
    assert np.isnan(max_flow(trace, "encoder", 1, 2)).all()

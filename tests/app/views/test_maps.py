"""The mean of heads is prepared off the window's thread when it is dear."""

from __future__ import annotations

import numpy as np
import pytest

from app import looking
from app.selection import Selection
from app.views import ViewOptions, _maps, view
from tests.traces import trace_of


@pytest.mark.parametrize("key", ["attention", "attention_flow"])
def test_only_a_large_mean_has_to_be_prepared(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, trace = view(key), trace_of("encoder", length=10)
    assert chosen.ready is not None
    assert chosen.prepare is not None
    mean, head = Selection(layer=2, head=None), Selection(layer=2, head=1)
    assert chosen.ready(trace, mean, ViewOptions())
    monkeypatch.setattr(looking, "QUICK", 4 * 10 * 10 - 1)
    assert not chosen.ready(trace, mean, ViewOptions())
    assert chosen.ready(trace, head, ViewOptions())
    assert chosen.ready(trace, Selection(stack="decoder", head=None), ViewOptions())
    chosen.prepare(trace, mean, ViewOptions(), None)
    assert chosen.ready(trace, mean, ViewOptions())
    assert not chosen.ready(trace, Selection(layer=1, head=None), ViewOptions())


def causal(count: int, spread: bool) -> np.ndarray:
    """The largest weight of each row: of even attention, or of a head that looks at one token."""
    return (1 / np.arange(1, count + 1) if spread else np.ones(count)).astype(np.float32)


def test_a_fitted_scale_is_not_held_up_by_the_first_rows_of_a_causal_map() -> None:
    """A query that sees one token gives it all its weight; that says nothing of the other rows."""
    assert _maps.fitted(causal(200, spread=True)) == pytest.approx(1 / 20, rel=0.1)
    assert _maps.fitted(causal(200, spread=False)) == 1
    assert _maps.fitted(causal(8, spread=True)) == 1  # few rows: all of them are looked at
    assert _maps.fitted(np.zeros(0, np.float32)) == 1


def test_a_pale_map_says_how_to_see_more() -> None:
    fixed, fitted = ViewOptions(), ViewOptions(limits="auto")
    assert "“Colour scale”" in _maps.faint(causal(200, spread=True), fixed)
    assert _maps.faint(causal(200, spread=True), fitted) == ""
    assert _maps.faint(causal(200, spread=False), fixed) == ""
    assert _maps.faint(causal(8, spread=True), fixed) == ""
    assert _maps.faint(np.zeros(0, np.float32), fixed) == ""

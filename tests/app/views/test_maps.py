"""The mean of heads is prepared off the window's thread when it is dear."""

from __future__ import annotations

import pytest

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
    monkeypatch.setattr(_maps, "QUICK", 4 * 10 * 10 - 1)
    assert not chosen.ready(trace, mean, ViewOptions())
    assert chosen.ready(trace, head, ViewOptions())
    assert chosen.ready(trace, Selection(stack="decoder", head=None), ViewOptions())
    chosen.prepare(trace, mean, ViewOptions(), None)
    assert chosen.ready(trace, mean, ViewOptions())
    assert not chosen.ready(trace, Selection(layer=1, head=None), ViewOptions())

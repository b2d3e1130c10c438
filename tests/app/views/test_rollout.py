from __future__ import annotations

import numpy as np
import pytest

from app.figure import Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis import max_flow as flow
from core.analysis.max_flow import max_flow
from core.analysis.rollout import rollout
from tests.traces import trace_of


def test_the_map_of_the_layer_and_one_token_through_all() -> None:
    trace = trace_of("translator")
    selection = Selection(stack="encoder", layer=1, query=3)
    figure = view("rollout").draw(trace, selection, ViewOptions())
    whole, both, single = figure.panels
    assert isinstance(whole, Heatmap)
    assert isinstance(single, Heatmap)
    assert (whole.values == rollout(trace, "encoder", 1)).all()
    expected = np.stack([rollout(trace, "encoder", i)[3] for i in range(3)])
    assert (single.values == expected).all()
    assert single.row == 1
    assert single.picks == ("layer", None)
    assert isinstance(both, Heatmap)
    flows = max_flow(trace, "encoder", 1, 3)
    assert both.values[:, 0] == pytest.approx(whole.values[3], abs=1e-6)
    assert both.values[:, 1] == pytest.approx(flows / flows.sum(), abs=1e-6)
    assert (both.details[0][1][:, 1] == flows).all()
    assert both.columns.labels == ("rollout", "max-flow")
    assert figure.title == "Encoder attention rollout · layers 1 to 2 of 3"


@pytest.mark.parametrize(("kind", "position"), [("encoder", 0), ("decoder", 6)])
def test_without_a_pin_the_position_that_answers_is_followed(kind: str, position: int) -> None:
    trace = trace_of(kind)
    selection = Selection(stack=kind, layer=2)
    rolled = view("rollout")
    assert rolled.prepare is not None
    assert rolled.ready is not None
    trace.forget()
    assert not rolled.ready(trace, selection, ViewOptions())
    rolled.prepare(trace, selection, ViewOptions(), None)
    assert rolled.ready(trace, selection, ViewOptions())
    both = rolled.draw(trace, selection, ViewOptions()).panels[1]
    assert isinstance(both, Heatmap)
    assert (both.details[0][1][:, 1] == max_flow(trace, kind, 2, position)).all()


def test_a_text_too_long_for_max_flow_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MOST_EDGES", 75)
    figure = view("rollout").draw(trace_of("decoder"), Selection(stack="decoder"), ViewOptions())
    assert len(figure.panels) == 2
    figure = view("rollout").draw(
        trace_of("decoder"), Selection(stack="decoder", layer=2), ViewOptions()
    )
    assert len(figure.panels) == 1
    assert "texts of up to 5 tokens; this one has 7." in figure.note

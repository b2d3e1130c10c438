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
    whole, into = figure.panels
    assert isinstance(whole, Heatmap)
    assert isinstance(into, Heatmap)
    assert (whole.values == rollout(trace, "encoder", 1)).all()
    assert (whole.row, whole.picks) == (3, ("query", "key"))
    flows = max_flow(trace, "encoder", 1, 3)
    assert into.columns.labels == ("layer 1", "layer 2", "max-flow")
    for layer in range(2):
        assert into.values[:, layer] == pytest.approx(rollout(trace, "encoder", layer)[3], abs=1e-6)
    assert into.values[:, 1] == pytest.approx(whole.values[3], abs=1e-6)
    assert into.values[:, 2] == pytest.approx(flows / flows.sum(), abs=1e-6)
    assert (into.details[0][1][:, 2] == flows).all()
    assert into.picks == ("key", None)
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
    into = rolled.draw(trace, selection, ViewOptions()).panels[1]
    assert isinstance(into, Heatmap)
    assert (into.details[0][1][:, 3] == max_flow(trace, kind, 2, position)).all()


def test_a_text_too_long_for_max_flow_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MOST_EDGES", 75)
    for layer, names in ((0, ("layer 1", "max-flow")), (2, ("layer 1", "layer 2", "layer 3"))):
        selection = Selection(stack="decoder", layer=layer)
        figure = view("rollout").draw(trace_of("decoder"), selection, ViewOptions())
        into = figure.panels[1]
        assert isinstance(into, Heatmap)
        assert into.columns.labels == names
    assert "texts of up to 5 tokens; this one has 7." in figure.note


def test_a_long_text_keeps_its_colours() -> None:
    """Each token keeps so much of itself that the rest would all be pale."""
    trace = trace_of("encoder", length=60)
    figure = view("rollout").draw(trace, Selection(layer=0), ViewOptions())
    for panel in figure.panels:
        assert isinstance(panel, Heatmap)
        assert panel.limits[1] < panel.values.max() / 2
        assert np.median(panel.values) > panel.limits[1] / 8
        assert "largest" in panel.limits_note


@pytest.mark.parametrize("length", [12, 40])
def test_colours_do_not_all_end_where_one_token_takes_everything(length: int) -> None:
    trace = trace_of("decoder", length=length)
    for layer in range(3):
        panel = (
            view("rollout")
            .draw(trace, Selection(stack="decoder", layer=layer), ViewOptions())
            .panels[0]
        )
        assert isinstance(panel, Heatmap)
        beyond = panel.values > panel.limits[1]
        np.fill_diagonal(beyond, val=False)
        early = min(length, 19)  # positions that less than twenty tokens can have reached
        assert not beyond[early:].any()
        assert beyond.sum() <= (length if length >= 20 else 0)


def test_the_title_says_through_which_layers() -> None:
    trace = trace_of("translator")
    chosen = [Selection(stack="encoder", layer=layer) for layer in (0, 1)]
    titles = [view("rollout").draw(trace, one, ViewOptions()).title for one in chosen]
    assert titles[0].endswith("· layer 1 of 3")
    assert titles[1].endswith("· layers 1 to 2 of 3")

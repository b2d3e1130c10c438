from __future__ import annotations

from app.figure import Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.contribution import contribution
from tests.traces import trace_of


def test_weights_beside_their_shares() -> None:
    trace = trace_of("translator")
    selection = Selection(stack="decoder", part="cross", layer=1, head=2, query=1, key=3)
    figure = view("contribution").draw(trace, selection, ViewOptions())
    weight, share = figure.panels
    assert isinstance(weight, Heatmap)
    assert isinstance(share, Heatmap)
    assert (weight.values == trace.pattern("decoder.cross", 1, 2).numpy()).all()
    found = contribution(trace, "decoder.cross", 1, 2)
    assert (share.values == found.shares).all()
    assert (dict(share.details)["‖weight · v · W_O‖"] == found.norms).all()
    assert (dict(share.details)["‖v‖"][0] == found.values).all()
    assert (share.row, share.column) == (1, 3)
    assert weight.limits == share.limits == (0.0, 1.0)
    title = "Contribution · decoder cross-attention · layer 2 · head 3"
    assert figure.title == title


def test_all_heads_together_are_named_as_what_they_are() -> None:
    selection = Selection(stack="decoder", part="cross", layer=1, head=None)
    figure = view("contribution").draw(trace_of("translator"), selection, ViewOptions())
    weight, share = figure.panels
    assert isinstance(weight, Heatmap)
    assert isinstance(share, Heatmap)
    assert figure.title.endswith(" · all heads")
    assert (weight.title, weight.value_name) == ("Mean weight", "mean weight")
    assert "the sum of all heads' vectors" in figure.note
    found = contribution(trace_of("translator"), "decoder.cross", 1, None)
    assert (share.values == found.shares).all()
    assert (dict(share.details)["mean ‖v‖"][0] == found.values).all()


def test_a_fitted_scale_is_that_of_the_map() -> None:
    options = ViewOptions(limits="auto")
    for panel in view("contribution").draw(trace_of("translator"), Selection(), options).panels:
        assert isinstance(panel, Heatmap)
        assert panel.limits[1] == float(panel.values.max())
        assert "colours scaled to this map" in panel.limits_note


def test_masked_cells_are_hidden_in_both() -> None:
    panels = (
        view("contribution")
        .draw(trace_of("decoder"), Selection(stack="decoder"), ViewOptions())
        .panels
    )
    for panel in panels:
        assert isinstance(panel, Heatmap)
        assert panel.hidden is not None
        assert panel.hidden[0, 1:].all()

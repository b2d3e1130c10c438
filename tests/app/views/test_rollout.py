from __future__ import annotations

import numpy as np

from app.figure import Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.rollout import rollout
from tests.traces import trace_of


def test_the_map_of_the_layer_and_one_token_through_all() -> None:
    trace = trace_of("translator")
    selection = Selection(stack="encoder", layer=1, query=3)
    figure = view("rollout").draw(trace, selection, ViewOptions())
    whole, single = figure.panels
    assert isinstance(whole, Heatmap)
    assert isinstance(single, Heatmap)
    assert (whole.values == rollout(trace, "encoder", 1)).all()
    expected = np.stack([rollout(trace, "encoder", i)[3] for i in range(3)])
    assert (single.values == expected).all()
    assert single.row == 1
    assert single.picks == ("layer", None)
    assert figure.title == "Encoder attention rollout · layers 1 to 2 of 3"

"""What is said beside two runs: true weights, what differs, and what is not judged."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Heatmap
from app.render.readout import cell
from app.selection import Selection
from app.views import ViewOptions, view
from core.masks import choose
from tests.traces import trace_of


def test_sinks_left_out_have_their_own_weights_in_the_difference() -> None:
    masks = (("decoder.self", choose("sliding_window:window=4")),)
    kept, own = trace_of("decoder", length=7), trace_of("decoder", length=7, masks=masks)
    selection = Selection(stack="decoder", layer=1, head=0)
    options = ViewOptions(kept=(kept,), drop_sinks=True)
    panel = view("two_runs").draw(own, selection, options).panels[2]
    assert isinstance(panel, Heatmap)
    assert panel.left_out is not None and panel.left_out[1, 0] and not panel.left_out[1, 1]
    for name, trace in (("kept", kept), ("this run", own)):
        weight = float(trace.pattern("decoder.self", 1, 0)[1, 0])
        assert weight > 0.001
        assert dict(panel.details)[name][1, 0] == pytest.approx(weight, abs=1e-6)
        assert f"{name} {weight:.3f}" in cell(panel, 1, 0)
    shown = ~panel.left_out & ~(panel.hidden if panel.hidden is not None else False)
    told = [np.where(shown, values, 0) for _, values in panel.details]
    assert np.nan_to_num(told[1]) - np.nan_to_num(told[0]) == pytest.approx(
        np.where(shown, panel.values, 0), abs=1e-6
    )

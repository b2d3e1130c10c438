from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from app.choices import HEAD_ORDER_NAMES
from app.figure import Bars, Heatmap, WordGrid
from app.render import readout
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.copying import copying
from core.analysis.head_kinds import KINDS, head_kinds
from core.masks import choose
from core.request import RunRequest
from core.run import run
from core.trace import Trace
from tests.app.render.recording import record
from tests.traces import network, sentence, trace_of


def previous_only() -> Trace:
    """A causal window of two without the token itself: all a query may see is what came before."""
    masks = choose("sliding_window", window=2) & choose("no_self")
    return trace_of("decoder", length=8, masks=(("decoder.self", masks),))


def test_a_head_that_can_only_look_back_is_named_so() -> None:
    figure = view("heads").draw(
        previous_only(), Selection(stack="decoder", layer=2, head=1), ViewOptions()
    )
    grid, bars = figure.panels
    assert isinstance(grid, WordGrid)
    assert isinstance(bars, Bars)
    assert (grid.row, grid.column) == (2, 1)
    assert grid.picks == ("layer", "head")
    assert "previous token 1.000" in grid.cells[0][3].note
    weights = {bar.label: bar.value for bar in bars.bars}
    assert weights["previous token"] == pytest.approx(1)
    assert bars.note == "Entropy 0.00 bits, mean distance 1.0 tokens."


def test_names_and_numbers_are_those_of_the_analysis() -> None:
    source = replace(sentence(5), special=(True, *[False] * 3, True))
    trace = trace_of("encoder", source=source)
    found = head_kinds(trace, "encoder.self")
    figure = view("heads").draw(trace, Selection(layer=1, head=2), ViewOptions())
    grid, bars = figure.panels[:2]
    assert isinstance(grid, WordGrid)
    assert isinstance(bars, Bars)
    for layer, head in np.ndindex(3, 4):
        cell, named = grid.cells[layer][head], found.name(layer, head)
        assert bool(cell.text) == (named is not None)
        assert cell.strength == (None if named is None else pytest.approx(named[1]))
        assert f"entropy {found.entropy[layer, head]:.2f} bits" in cell.note
    numbers = found.weights[:, 1, 2]
    assert [b.value for b in bars.bars] == pytest.approx(numbers[~np.isnan(numbers)].tolist())
    assert len(bars.bars) == len(KINDS) - 1  # no token occurs twice


def test_special_tokens_are_said_to_leave_out_the_first() -> None:
    """The first token has a number of its own, also where it is special."""
    source = replace(sentence(5), special=(True, *[False] * 3, True))
    trace = trace_of("encoder", source=source)
    found = head_kinds(trace, "encoder.self")
    weights = np.full_like(found.weights, 0.1)
    weights[list(KINDS).index("special")] = 1
    made = replace(found, weights=weights, even=np.full_like(found.even, 0.1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.views.heads.head_kinds", lambda *_, **__: made)
        figure = view("heads").draw(trace, Selection(), ViewOptions())
    grid, bars = figure.panels
    assert isinstance(grid, WordGrid)
    assert isinstance(bars, Bars)
    assert {bar.label: bar.value for bar in bars.bars}["other special tokens"] == pytest.approx(1)
    assert grid.cells[0][0].text == "special 1.00"
    assert "“Special” leaves out the first token." in figure.note
    table = view("head_table").draw(trace, Selection(), ViewOptions()).panels[0]
    assert isinstance(table, WordGrid)
    assert "other special" in table.columns.labels
    assert HEAD_ORDER_NAMES["special"] == "Weight on other special tokens"
    plain = view("heads").draw(previous_only(), Selection(stack="decoder"), ViewOptions())
    assert "Special" not in plain.note


def test_the_mean_has_no_profile() -> None:
    selection = Selection(stack="decoder", part="cross", head=None)
    figure = view("heads").draw(trace_of("translator"), selection, ViewOptions())
    assert [type(p).__name__ for p in figure.panels] == ["WordGrid"]


def test_maps_of_every_number_there_is() -> None:
    source = replace(sentence(5), special=(True, *[False] * 3, True))
    trace = trace_of("encoder", source=source)
    found = head_kinds(trace, "encoder.self")
    figure = view("head_maps").draw(trace, Selection(layer=1, head=2), ViewOptions())
    maps = {panel.title: panel for panel in figure.panels}
    assert list(maps) == [
        "Entropy in bits",
        "Distance in tokens",
        "On itself",
        "On previous token",
        "On next token",
        "On first token",
        "On other special",
        "At fixed distance",
        "Copying in logits",
    ]
    copied = maps["Copying in logits"]
    assert isinstance(copied, Heatmap)
    scores = copying(trace, "encoder.self")
    assert (copied.values == scores).all()
    assert copied.scale == "diverging"
    assert copied.limits == (-abs(scores).max(), abs(scores).max())
    first = maps["On first token"]
    assert isinstance(first, Heatmap)
    assert (first.values == found.weights[3]).all()
    assert first.limits == (0.0, 1.0)
    assert (first.row, first.column, first.picks) == (1, 2, ("layer", "head"))
    entropy = maps["Entropy in bits"]
    assert isinstance(entropy, Heatmap)
    assert (entropy.values == found.entropy).all()
    selection = Selection(stack="decoder", part="cross")
    figure = view("head_maps").draw(trace_of("translator"), selection, ViewOptions())
    assert [p.title for p in figure.panels] == ["Entropy in bits", "On first token"]


@pytest.mark.usefixtures("qapp")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("limits", ["fixed", "auto"])
def test_maps_of_what_is_no_number_have_a_scale_and_say_that_there_is_none(limits: str) -> None:
    spoilt = deepcopy(network("encoder"))
    spoilt.stack("encoder").embedding.token.weight.data[:] = float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the run itself
        trace = run(spoilt, RunRequest(source=sentence(5)))
    figure = view("head_maps").draw(trace, Selection(), ViewOptions(limits=limits))
    entropy = figure.panels[0]
    assert isinstance(entropy, Heatmap)
    assert np.isnan(entropy.values).all()
    assert entropy.limits == (0.0, 1.0)
    assert readout.cell(entropy, 0, 0) == "layer 1, head 1: entropy –"
    assert "none" in record(figure, 900, 500).words

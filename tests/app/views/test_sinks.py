"""Attention with the sinks left out, in every view that offers it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Diagram, Heatmap, Mosaic, WordGrid, Words
from app.render import readout
from app.render.numbers import number
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.head_kinds import KINDS, head_kinds
from core.tokens import Tokens
from core.trace import Trace
from tests.traces import trace_of

OPTIONS = ViewOptions(drop_sinks=True)


def text() -> Trace:
    """Of six tokens the first, a comma and the last are sinks."""
    tokens = Tokens.of_ids([5, 6, 7, 8, 9, 10], ["[CLS]", "cat", ",", "sat", "on", "[SEP]"])
    source = replace(tokens, special=(True, False, False, False, False, True))
    return trace_of("encoder", source=source)


@pytest.mark.parametrize("head", [1, None])
def test_the_map_without_them(head: int | None) -> None:
    trace = text()
    selection = Selection(layer=1, head=head)
    figure = view("attention").draw(trace, selection, OPTIONS)
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    maps = trace.pattern("encoder.self", 1).double().numpy()
    maps[:, :, [0, 2, 5]] = 0
    maps /= maps.sum(axis=2, keepdims=True)
    expected = maps.mean(axis=0) if head is None else maps[head]
    assert panel.values == pytest.approx(expected, abs=1e-6)
    assert panel.hidden is not None
    assert not panel.hidden.any()  # nothing is masked
    assert panel.left_out is not None
    assert (panel.left_out == [True, False, True, False, False, True]).all()
    whole = trace.pattern("encoder.self", 1).double().numpy()
    before = whole.mean(axis=0) if head is None else whole[head]
    assert panel.details[0][0] == "weight before"
    assert panel.details[0][1] == pytest.approx(before, abs=1e-6)
    said = readout.cell(panel, 3, 0)
    assert f": left out here · weight before {number(before[3, 0])} · " in said
    assert "masked" not in said
    assert figure.title.endswith(" · sinks left out")
    assert figure.note.startswith("Without the first token, special tokens and punctuation")
    assert "Blank cells are left out." in figure.note
    assert "masked" not in figure.note
    flow = view("attention_flow").draw(trace, selection, OPTIONS).panels[0]
    assert isinstance(flow, Diagram)
    lines = sorted(arrow.value or 0 for arrow in flow.arrows)
    drawn = maps if head is None else maps[head]
    assert lines == pytest.approx(sorted(drawn[drawn >= 0.04]), abs=1e-6)


def test_a_masked_sink_is_masked_and_its_own_query_is_not_without_keys() -> None:
    """Of a decoder the first token sees itself alone, which is a sink: that is no mask's doing."""
    trace = trace_of("decoder", length=5)
    selection = Selection(stack="decoder", layer=1)
    figure = view("attention").draw(trace, selection, OPTIONS)
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    masked = ~np.tri(5, dtype=bool)
    assert panel.hidden is not None
    assert (panel.hidden == masked).all()
    assert panel.left_out is not None
    assert panel.left_out[:, 0].all()
    assert not panel.left_out[:, 1:].any()
    assert panel.dead_rows == ()
    assert "Hatched cells are masked" in figure.note
    (mosaic,) = view("all_heads").draw(trace, selection, OPTIONS).panels
    assert isinstance(mosaic, Mosaic)
    assert mosaic.hidden is not None
    assert mosaic.left_out is not None
    assert (mosaic.hidden[1, 2] == masked).all()
    assert (mosaic.left_out[1, 2] == panel.left_out).all()


def test_all_maps_without_them() -> None:
    trace = text()
    figure = view("all_heads").draw(trace, Selection(), OPTIONS)
    (mosaic,) = figure.panels
    assert isinstance(mosaic, Mosaic)
    for layer in range(3):
        maps = trace.pattern("encoder.self", layer).double().numpy()
        maps[:, :, [0, 2, 5]] = 0
        maps /= maps.sum(axis=2, keepdims=True)
        assert mosaic.values[layer] == pytest.approx(maps, abs=1e-6)
    assert mosaic.hidden is not None
    assert not mosaic.hidden.any()
    assert mosaic.left_out is not None
    assert mosaic.left_out[2, 3, 4].tolist() == [True, False, True, False, False, True]
    assert "Blank cells are left out." in figure.note
    assert figure.title.endswith(" · sinks left out")
    assert figure.note.startswith("Without the first token, special tokens and punctuation")
    assert view("all_heads").ready is not None
    assert view("all_heads").ready(trace, Selection(), OPTIONS)  # type: ignore[misc]
    assert not view("all_heads").ready(trace, Selection(), ViewOptions())  # type: ignore[misc]


def test_heads_without_them() -> None:
    trace = text()
    found = head_kinds(trace, "encoder.self", drop_sinks=True)
    maps = trace.pattern("encoder.self", 2).double().numpy()
    maps[:, :, [0, 2, 5]] = 0
    maps /= maps.sum(axis=2, keepdims=True)
    own = maps[:, [1, 3, 4], [1, 3, 4]].mean(axis=1)
    assert found.weights[list(KINDS).index("self"), 2] == pytest.approx(own, abs=1e-5)
    logs = np.log2(maps, out=np.zeros_like(maps), where=maps > 0)
    bits = -(maps * logs).sum(axis=2).mean(axis=1)
    assert found.entropy[2] == pytest.approx(bits, abs=1e-5)
    assert np.isnan(found.weights[list(KINDS).index("first")]).all()
    figure = view("heads").draw(trace, Selection(layer=2, head=1), OPTIONS)
    grid = figure.panels[0]
    assert isinstance(grid, WordGrid)
    assert "first token" not in grid.cells[0][0].note
    assert "the rest is rescaled" in figure.note


@pytest.mark.parametrize("part", ["self", "cross"])
def test_heads_that_see_sinks_alone_are_there_and_say_why_they_have_no_numbers(part: str) -> None:
    """A first token reads itself alone, a source may be a mark: neither takes a head away."""
    only = Tokens.of_ids([5], ["<s>"])
    trace = trace_of("translator", source=only, target=1)
    selection = Selection(stack="decoder", part=part, layer=1, head=2)
    grid, profile = view("heads").draw(trace, selection, OPTIONS).panels
    assert isinstance(grid, WordGrid)
    assert {cell.note for row in grid.cells for cell in row} == {
        "no query here sees a key that counts"
    }
    assert isinstance(profile, Words)
    assert profile.text == "No query here sees a key that counts."
    maps = view("head_maps").draw(trace, selection, OPTIONS)
    assert "Hatched: no query here sees a key that counts." in maps.note
    assert "Hatched" not in view("head_maps").draw(trace, selection, ViewOptions()).note
    (table,) = view("head_table").draw(trace, selection, OPTIONS).panels
    assert isinstance(table, WordGrid)
    assert {row[0].note for row in table.cells} == {"no query here sees a key that counts"}

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.figure import Figure, Mosaic
from app.render.figure_csv import csv_text
from app.selection import Selection
from app.views import ViewOptions, all_heads, view
from tests.app.views.test_attention import CROSS, injected
from tests.traces import trace_of


def drawn(kind: str, selection: Selection, length: int = 7) -> tuple[Figure, Mosaic]:
    figure = view("all_heads").draw(trace_of(kind, length=length), selection, ViewOptions())
    (panel,) = figure.panels
    assert isinstance(panel, Mosaic)
    return figure, panel


def test_a_tile_is_the_map_of_its_layer_and_head() -> None:
    figure, panel = drawn("decoder", Selection(stack="decoder", layer=2, head=1))
    assert figure.title == "Decoder self-attention · 3 layers × 4 heads"
    trace = trace_of("decoder")
    for layer, head in np.ndindex(3, 4):
        expected = trace.pattern("decoder.self", layer, head).numpy()
        assert panel.values[layer, head] == pytest.approx(expected, abs=1e-6)
    assert panel.selected == (2, 1)
    assert panel.picks == ("layer", "head")
    assert (panel.rows.labels, panel.columns.labels) == (("1", "2", "3"), ("1", "2", "3", "4"))
    assert panel.hidden is not None
    assert (panel.hidden[0, 0] == ~np.tri(7, dtype=bool)).all()


def test_the_mean_frames_no_head() -> None:
    assert drawn("decoder", Selection(stack="decoder", head=None))[1].selected is None


def test_long_texts_are_shrunk_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_heads, "MOST_CELLS", 80)
    figure, panel = drawn("encoder", Selection(), length=50)
    assert panel.values.shape == (3, 4, 17, 17)
    assert "largest weight of 3 × 3 tokens" in figure.note


def test_the_site_decides_what_is_shown() -> None:
    panel = drawn("translator", Selection(stack="decoder", part="cross"))[1]
    assert panel.values.shape == (3, 4, 5, 7)


def test_a_fitted_scale_says_where_it_ends() -> None:
    even = torch.tril(torch.ones(40, 40))
    trace, options = injected(even / even.sum(dim=1, keepdim=True)), ViewOptions(limits="auto")
    figure = view("all_heads").draw(trace, CROSS, options)
    (panel,) = figure.panels
    assert isinstance(panel, Mosaic)
    limit = panel.limits[1]
    assert 0 < limit < 0.5  # the first row of every map is a lone 1
    assert f"Colours are scaled to 0 to {limit:.3g}; the largest is 1." in figure.note
    rows = panel.values.max(axis=-1)
    assert np.mean(rows <= limit) == pytest.approx(0.9, abs=0.02)


def test_a_table_names_the_tokens_of_every_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the source across, of the target down, at cross-attention."""
    monkeypatch.setattr(all_heads, "MOST_CELLS", 0)  # the least: 16 cells a map
    trace = trace_of("translator", length=20, target=5)
    selection = Selection(stack="decoder", part="cross")
    (panel,) = view("all_heads").draw(trace, selection, ViewOptions()).panels
    assert isinstance(panel, Mosaic)
    assert panel.factor == 2
    assert panel.across.labels == trace.tokens["encoder"].pieces
    assert panel.down.labels == trace.tokens["decoder"].pieces
    table = csv_text(Figure(title="", panels=(panel,))).splitlines()
    pieces = trace.tokens["encoder"].pieces
    assert table[0].endswith(f",18 {pieces[18]} – 19 {pieces[19]}")

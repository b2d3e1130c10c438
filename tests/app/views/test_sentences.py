"""Attention between the sentences of a pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Diagram, Heatmap, Mosaic
from app.selection import Selection
from app.views import ViewOptions, view
from core.tokens import Tokens
from tests.traces import trace_of

PAIR = replace(
    Tokens.of_ids([2, 10, 11, 3, 12, 13, 3]),
    special=(True, False, False, True, False, False, True),
    sequence=(None, 0, 0, None, 1, 1, None),
)


@pytest.mark.parametrize(
    ("direction", "rows", "columns", "name"),
    [((0, 1), (1, 2), (4, 5), "A → B"), ((1, 1), (4, 5), (4, 5), "B → B")],
)
def test_only_the_asked_block_is_shown(
    direction: tuple[int, int], rows: tuple[int, int], columns: tuple[int, int], name: str
) -> None:
    trace = trace_of("encoder", source=PAIR)
    options = ViewOptions(sentences=direction)
    figure = view("attention").draw(trace, Selection(layer=1), options)
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    cells = {(i, j) for i in rows for j in columns}
    assert panel.left_out is not None
    shown = {(i, j) for i in range(7) for j in range(7) if not panel.left_out[i, j]}
    assert shown == cells
    assert panel.hidden is not None
    assert not panel.hidden.any()
    assert "masked" not in figure.note
    weights = trace.pattern("encoder.self", 1, 0).numpy()
    assert (panel.values == weights).all()
    assert panel.dead_rows == ()
    assert figure.title.endswith(f" · {name}")
    assert figure.note.startswith(f"Only {name} is shown; the weights are unchanged.")
    flow = view("attention_flow").draw(trace, Selection(layer=1), options).panels[0]
    assert isinstance(flow, Diagram)
    lines = sorted(a.value or 0 for a in flow.arrows)
    assert lines == pytest.approx(sorted(weights[c] for c in cells if weights[c] >= 0.04))
    whole = view("all_heads").draw(trace, Selection(), options)
    (mosaic,) = whole.panels
    assert isinstance(mosaic, Mosaic)
    assert mosaic.hidden is not None
    assert not mosaic.hidden.any()
    assert mosaic.left_out is not None
    for layer in range(3):
        maps = trace.pattern("encoder.self", layer).numpy()
        for i in range(7):
            for j in range(7):
                expected = maps[:, i, j] if (i, j) in cells else np.zeros(4)
                assert mosaic.values[layer, :, i, j] == pytest.approx(expected, abs=1e-6)
                assert (mosaic.left_out[layer, :, i, j] == ((i, j) not in cells)).all()
    assert whole.title.endswith(f" · {name}")
    assert whole.note.startswith(f"Only {name} is shown; the weights are unchanged.")


@pytest.mark.parametrize(
    "key",
    [
        *("heads", "head_maps", "head_table"),
        *("contribution", "gradient", "rollout", "inside_head"),
    ],
)
def test_views_of_whole_maps_say_that_all_counts(key: str) -> None:
    """What was left out of maps by the menu is said to count where it does."""
    trace, drawn = trace_of("encoder", source=PAIR), view(key)
    without_sinks = key in ("heads", "head_maps", "head_table")
    asked = ViewOptions(sentences=(0, 1), drop_sinks=True)
    note = drawn.draw(trace, Selection(layer=1), asked).note
    assert "Both sentences count, not A → B alone." in note
    assert ("Sinks count too." in note) != without_sinks
    assert "  " not in note
    plain = drawn.draw(trace, Selection(layer=1), ViewOptions()).note
    assert " count" not in plain
    alone = drawn.draw(trace_of("encoder"), Selection(layer=1), asked).note
    assert "A → B" not in alone  # there is no pair


def test_without_a_pair_everything_stays() -> None:
    figure = view("attention").draw(trace_of("encoder"), Selection(), ViewOptions(sentences=(0, 1)))
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    assert panel.hidden is not None
    assert not panel.hidden.any()
    assert "→" not in figure.title + figure.note
    whole = view("all_heads").draw(trace_of("encoder"), Selection(), ViewOptions(sentences=(0, 1)))
    assert "→" not in whole.title + whole.note

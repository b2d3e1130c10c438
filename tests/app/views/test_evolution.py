"""State evolution, similarity and paths."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.figure import Curves, Heatmap, Paths
from app.render.page import Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, evolution, view
from core.analysis.projection import projection
from tests.traces import sentence, trace_of


def by_hand(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_evolution_maps() -> None:
    trace = trace_of("relative translator")
    selection = Selection(stack="decoder", part="cross", layer=1, query=2)
    panels = view("evolution").draw(trace, selection, ViewOptions()).panels
    change, share, to_embedding, to_final = panels
    hidden = trace.hidden("decoder").double().numpy()
    for panel, rows in zip(panels, (3, 3, 4, 4), strict=True):
        assert isinstance(panel, Heatmap)
        assert panel.values.shape == (rows, 5)
        assert panel.row == (1 if rows == 3 else 2)  # the first of four: embeddings
        assert panel.column == 2
    assert isinstance(change, Heatmap)
    assert isinstance(to_embedding, Heatmap)
    assert isinstance(to_final, Heatmap)
    assert isinstance(share, Heatmap)
    for layer, i in np.ndindex(4, 5):
        expected = by_hand(hidden[layer, i], hidden[0, i])
        assert to_embedding.values[layer, i] == pytest.approx(expected, abs=1e-5)
        expected = by_hand(hidden[layer, i], hidden[-1, i])
        assert to_final.values[layer, i] == pytest.approx(expected, abs=1e-5)
    moved = np.linalg.norm(hidden[1:] - hidden[:-1], axis=2) / np.linalg.norm(hidden[:-1], axis=2)
    assert change.details[0][1] == pytest.approx(moved, abs=1e-4)
    lengths_of = np.linalg.norm(hidden, axis=2)
    both = lengths_of[1:] + lengths_of[:-1]
    expected_change = np.linalg.norm(hidden[1:] - hidden[:-1], axis=2) / both
    assert change.values == pytest.approx(expected_change, abs=1e-5)
    assert change.limits == (0, 1)
    assert change.values.max() <= 1
    lengths = dict(share.details)
    a, c, f = (lengths[n] for n in ("‖attention‖", "‖cross-attention‖", "‖feed-forward‖"))
    assert share.values == pytest.approx((a + c) / (a + c + f), abs=1e-5)
    assert share.picks == ("layer", "query")
    assert to_final.picks == (None, "query")


def test_a_layer_that_moves_states_a_hundredfold_leaves_colours_for_the_others() -> None:
    hidden = np.ones((4, 2, 3), dtype=np.float32)
    hidden[1:] *= 120
    hidden[2:, 1] *= 1.5
    moved = evolution._moved(hidden)
    assert moved[0] == pytest.approx(119 / 121)
    assert moved[1] == pytest.approx([0, 0.2])
    assert moved[2] == pytest.approx([0, 0])


def test_similarity_at_a_layer_and_by_layer() -> None:
    trace = trace_of("encoder", source=sentence(6).padded(8, pad=0, piece="[PAD]"))
    selection = Selection(layer=2, query=3, key=1)
    figure = view("similarity").draw(trace, selection, ViewOptions())
    pairs, curves = figure.panels
    hidden = trace.hidden("encoder").double().numpy()
    assert isinstance(pairs, Heatmap)
    for i, j in np.ndindex(8, 8):
        expected = by_hand(hidden[3, i], hidden[3, j])
        assert pairs.values[i, j] == pytest.approx(expected, abs=1e-5)
    assert (pairs.row, pairs.column) == (3, 1)
    assert isinstance(curves, Curves)
    rest = hidden[:, 1:6].mean(axis=1)
    expected_curves = {
        "“w5” and the mean of the others": [by_hand(hidden[k, 0], rest[k]) for k in range(4)],
        "“w26” and its embedding": [by_hand(hidden[k, 3], hidden[0, 3]) for k in range(4)],
        "“w26” and its final state": [by_hand(hidden[k, 3], hidden[-1, 3]) for k in range(4)],
        "“w26” and “w12”": [by_hand(hidden[k, 3], hidden[k, 1]) for k in range(4)],
    }
    assert {c.name for c in curves.curves} == set(expected_curves)
    for curve in curves.curves:
        assert curve.y == pytest.approx(expected_curves[curve.name], abs=1e-5)
    assert figure.title == "Encoder similarity · after layer 3 of 3"


def test_a_lone_token_is_followed_by_itself() -> None:
    figure = view("similarity").draw(trace_of("encoder", length=1), Selection(), ViewOptions())
    curves = figure.panels[1]
    assert isinstance(curves, Curves)
    name = sentence(1).pieces[0]
    names = [f"“{name}” and its embedding", f"“{name}” and its final state"]
    assert [curve.name for curve in curves.curves] == names


def test_paths_follow_the_projection() -> None:
    source = sentence(5).padded(8, pad=0, piece="[PAD]", side="left")
    trace = trace_of("encoder", source=source)
    figure = view("paths").draw(trace, Selection(query=4), ViewOptions())
    (panel,) = figure.panels
    assert isinstance(panel, Paths)
    assert (panel.points == projection(trace, "encoder").points).all()
    assert panel.labels == sentence(5).pieces
    assert panel.emphasised == 1
    assert panel.places == (3, 4, 5, 6, 7)  # of the text, the padding counted
    first, second = projection(trace, "encoder").explained
    assert f"hold {1 - first - second:.0%} of the variance" in figure.note
    assert panel.step_labels == ("embeddings", "after layer 1", "after layer 2", "after layer 3")
    (panel,) = view("paths").draw(trace, Selection(query=1), ViewOptions()).panels
    assert isinstance(panel, Paths)
    assert panel.emphasised is None


@pytest.mark.parametrize("name", ["encoder", "decoder"])
@pytest.mark.parametrize("size", [(700, 420), (1260, 640)])
def test_columns_of_maps_below_one_another_stand_in_line(
    qapp: QApplication, name: str, size: tuple[int, int]
) -> None:
    figure = view("evolution").draw(trace_of(name), Selection(stack=name), ViewOptions())
    page = Page(figure, *size, LIGHT)
    boxes = [placed.drawing.grid.box for placed in page.placed]  # type: ignore[attr-defined]
    for above, below in ((0, 2), (1, 3)):
        assert boxes[above].x == boxes[below].x
        assert boxes[above].width == boxes[below].width

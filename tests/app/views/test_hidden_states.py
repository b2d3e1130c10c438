from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.figure import Heatmap
from app.render.geometry import Rect
from app.render.layout import lay_out
from app.render.page import Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view
from app.views.hidden_states import _norm_limits
from tests.app.render.recording import overlapping, record
from tests.traces import trace_of


def panels(kind: str, selection: Selection) -> tuple[Heatmap, ...]:
    figure = view("hidden_states").draw(trace_of(kind), selection, ViewOptions())
    assert all(isinstance(p, Heatmap) for p in figure.panels)
    return figure.panels  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("kind", "stack", "last"),
    [
        ("encoder", "encoder", "layer 3"),
        ("decoder", "decoder", "layer 3 + norm"),
        ("translator", "decoder", "layer 3"),
        ("relative translator", "encoder", "layer 3 + norm"),
    ],
)
def test_rows_say_what_each_state_comes_after(kind: str, stack: str, last: str) -> None:
    norm, similarity = panels(kind, Selection(stack=stack))
    assert norm.rows.title == "After"
    names = ("embeddings", "layer 1", "layer 2", last)
    assert norm.rows.labels == names
    for layer in range(3):
        norm, similarity, vector = panels(kind, Selection(stack=stack, layer=layer, query=1))
        for panel in (norm, similarity, vector):
            assert panel.row is not None
            assert panel.rows.labels[panel.row] == names[layer + 1]
    assert similarity.rows.labels == names[1:]


def test_norms_and_cosines_are_those_of_the_recorded_states() -> None:
    trace = trace_of("translator")
    norm, similarity = panels("translator", Selection(stack="decoder", part="cross"))
    states = [trace["decoder.embed.out"].numpy()]
    states += [trace[f"decoder.{i}.resid.out"].numpy() for i in range(3)]
    for row, state in enumerate(states):
        assert norm.values[row] == pytest.approx(np.linalg.norm(state, axis=1), rel=1e-5)
    for row in range(3):
        a, b = states[row].astype(np.float64), states[row + 1].astype(np.float64)
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        assert similarity.values[row] == pytest.approx((a * b).sum(axis=1) / lengths, abs=1e-5)
    assert similarity.picks == ("layer", "query")


def test_a_pinned_token_shows_its_vector_through_the_layers() -> None:
    selection = Selection(stack="decoder", query=4)
    norm, similarity, vector = panels("decoder", selection)
    assert norm.column == similarity.column == 4
    assert vector.values.shape == (4, 16)
    trace = trace_of("decoder")
    assert (vector.values[0] == trace["decoder.embed.out"][4].numpy()).all()
    assert (vector.values[3] == trace["decoder.final.norm"][4].numpy()).all()
    assert "(position 4)" in vector.title
    assert vector.limits[0] == -vector.limits[1]


def test_norms_that_are_all_alike_get_the_whole_scale_and_it_says_so() -> None:
    """A post-norm encoder: every state comes out of a LayerNorm."""
    trace = trace_of("encoder")
    values = np.linalg.norm(trace.hidden("encoder").numpy(), axis=-1)
    narrow = 15 + values / values.max()  # between 15 and 16
    limits, note = _norm_limits(narrow.astype(np.float32), ViewOptions())
    assert limits == (float(narrow.astype(np.float32).min()), 16.0)
    assert note == f"colours from {limits[0]:.4g} to 16"


def test_norms_that_differ_are_coloured_from_zero() -> None:
    values = np.array([[1.0, 2.0, 4.0]], np.float32)
    assert _norm_limits(values, ViewOptions()) == ((0.0, 4.0), "")
    assert _norm_limits(values, ViewOptions(limits="auto")) == (
        (1.0, 4.0),
        "colours scaled to these values",
    )


def test_rounding_is_not_shown_as_a_difference() -> None:
    values = np.array([[4.0, 4.000001, 4.0]], np.float32)
    assert _norm_limits(values, ViewOptions())[0][0] == 0.0


@pytest.mark.parametrize("size", [(760, 480), (680, 470)])
@pytest.mark.usefixtures("qapp")
def test_a_pinned_token_leaves_every_label_readable_in_a_small_window(
    size: tuple[int, int],
) -> None:
    selection = Selection(stack="decoder", query=4)
    figure = view("hidden_states").draw(trace_of("decoder"), selection, ViewOptions())
    first, second, third = lay_out(figure, Rect(0, 0, *size)).boxes
    assert first.y == second.y
    assert (third.x, third.width) == (0, size[0])
    canvas = record(figure, *size)
    assert overlapping(canvas.texts) == []
    assert canvas.words.count("embeddings") == 2  # of the norms and of the vector
    assert canvas.words.count("layer 3 + norm") == 3


@pytest.mark.parametrize("size", [(700, 420), (1260, 640)])
def test_the_columns_of_both_maps_stand_in_line(qapp: QApplication, size: tuple[int, int]) -> None:
    figure = view("hidden_states").draw(trace_of("encoder"), Selection(), ViewOptions())
    page = Page(figure, *size, LIGHT)
    boxes = [placed.drawing.grid.box for placed in page.placed]  # type: ignore[attr-defined]
    assert len(boxes) == 2
    assert (boxes[0].x, boxes[0].width) == (boxes[1].x, boxes[1].width)
    assert boxes[0].y != boxes[1].y

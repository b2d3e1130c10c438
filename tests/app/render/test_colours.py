"""The colour of a number: the same every time, never another number's, and said on the bar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.figure import Arrow, Box, Diagram, Figure, Heatmap, Mosaic
from app.render import pixels
from app.render.frames import DARK_INK, LIGHT_INK, ink
from app.render.geometry import Rect
from app.render.heatmap import HeatmapDrawing
from app.render.page import Page
from app.render.widget import FigureWidget
from app.theme import DARK, LIGHT, Theme
from tests.app.render.examples import attention, causal, heatmap, mosaic
from tests.app.render.recording import RecordingCanvas, overlapping, record

THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]


@pytest.fixture
def widget(qtbot: QtBot) -> FigureWidget:
    made = FigureWidget()
    qtbot.addWidget(made)
    made.resize(700, 500)
    return made


def colour(image: QImage, widget: FigureWidget, row: int, column: int) -> str:
    """Near a cell's corner, where no number is written."""
    drawing = widget.page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    cell = drawing.grid.rect(row, column)
    return image.pixelColor(round(cell.x) + 2, round(cell.y) + 2).name()


def shown(widget: FigureWidget, values: np.ndarray, **changes: object) -> str:
    widget.show_figure(Figure(title="t", panels=(heatmap(values, **changes),)))
    return colour(widget.grab().toImage(), widget, 1, 1)


@pytest.mark.parametrize("theme", THEMES)
def test_a_uniform_map_keeps_its_colour_whatever_was_shown_before(
    widget: FigureWidget, theme: Theme
) -> None:
    widget.set_theme(theme)
    peaked = np.eye(4, dtype=np.float32)
    uniform, zero = np.full((4, 4), 0.25, np.float32), np.zeros((4, 4), np.float32)
    first = shown(widget, uniform)
    nothing = shown(widget, zero)
    peak = shown(widget, peaked)
    again = shown(widget, uniform)
    assert first == again
    assert len({first, nothing, peak}) == 3
    table = theme.table("sequential")
    assert nothing == "#" + bytes(table[0]).hex()
    assert peak == "#" + bytes(table[255]).hex()


def test_the_bar_says_the_numbers_of_its_colours(widget: FigureWidget) -> None:
    figure = Figure(title="t", panels=(heatmap(np.full((4, 4), 0.25)),))
    canvas = record(figure, 700, 500)
    numbers = {text.words: text.box for text in canvas.texts}
    assert [n for n in ("1", "0.75", "0.5", "0.25", "0") if n in numbers] == [
        "1",
        "0.75",
        "0.5",
        "0.25",
        "0",
    ]
    heights = [numbers[n].y for n in ("1", "0.75", "0.5", "0.25")]
    assert heights == sorted(heights)
    # The tick of 0.25 points at the colour that cells of 0.25 have.
    widget.show_figure(figure)
    image = widget.grab().toImage()
    tick = next(
        points[0]
        for points, _ in canvas.lines
        if abs(points[0][1] - numbers["0.25"].middle[1]) < 1 and points[0][0] < numbers["0.25"].x
    )
    beside = image.pixelColor(round(tick[0]) - 3, round(tick[1]))
    cell = image.pixelColor(*map(round, _corner(widget)))
    for part in ("red", "green", "blue"):
        assert abs(getattr(beside, part)() - getattr(cell, part)()) <= 4


def _corner(widget: FigureWidget) -> tuple[float, float]:
    drawing = widget.page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    cell = drawing.grid.rect(1, 1)
    return cell.x + 2, cell.y + 2


def test_a_scale_of_its_own_is_labelled() -> None:
    panel = heatmap(
        np.full((4, 4), 0.25), limits=(0.0, 0.25), limits_note="colours scaled to this head"
    )
    words = record(Figure(title="t", panels=(panel,))).words
    assert "colours scaled to this head" in words
    assert "0.25" in words
    assert "1" not in [w for w in words if w == "1.00"]


def test_colours_beyond_the_limits_take_the_ends() -> None:
    levels = pixels.quantise(np.array([-5, 5], np.float32), (0, 1))
    assert levels.tolist() == [0, pixels.LEVELS - 1]


@pytest.mark.parametrize("theme", THEMES)
def test_masked_cells_are_striped_and_not_the_colour_of_zero(
    widget: FigureWidget, theme: Theme
) -> None:
    widget.set_theme(theme)
    panel = heatmap(np.zeros((4, 4)), hidden=causal(4))
    widget.show_figure(Figure(title="t", panels=(panel,)))
    image = widget.grab().toImage()
    drawing = widget.page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    cell = drawing.grid.rect(0, 3)
    seen = {
        image.pixelColor(round(cell.x) + dx, round(cell.y) + dy).name()
        for dx in range(2, 30)
        for dy in range(2, 12)
    }
    assert seen == {theme.hatch, theme.hatch_line}
    assert colour(image, widget, 3, 0) == "#" + bytes(theme.table("sequential")[0]).hex()
    assert "masked" in record(Figure(title="t", panels=(panel,)), theme=theme).words


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kind", ["map", "mosaic"])
def test_what_is_left_out_has_a_word_and_a_look_of_its_own(kind: str) -> None:
    panel: Heatmap | Mosaic
    if kind == "map":
        left_out = np.zeros((3, 3), dtype=bool)
        left_out[:, 1] = True
        panel = heatmap(np.full((3, 3), 0.5, np.float32), left_out=left_out)
    else:
        panel = mosaic(2, 2, 3)
        left_out = np.zeros(panel.values.shape, dtype=bool)
        left_out[..., 1] = True
        panel = replace(panel, hidden=None, left_out=left_out)
    canvas = record(Figure(title="t", panels=(panel,)))
    assert "left out" in canvas.words
    assert "masked" not in canvas.words
    if kind == "map":
        assert canvas.words.count("0.50") == 6


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_left_out_is_as_empty_as_the_page(widget: FigureWidget, theme: Theme) -> None:
    widget.set_theme(theme)
    ones = np.ones((3, 3), dtype=np.float32)
    assert shown(widget, ones, left_out=ones > 0) == theme.surface
    assert shown(widget, ones, left_out=ones > 0, hidden=ones > 0) in (
        theme.hatch,
        theme.hatch_line,
    )


def test_a_row_without_keys_says_so(widget: FigureWidget) -> None:
    hidden = causal(5)
    hidden[2] = True
    panel = heatmap(np.zeros((5, 5)), hidden=hidden, dead_rows=(2,))
    figure = Figure(title="t", panels=(panel,))
    canvas = record(figure, 700, 500)
    assert canvas.words.count("no keys") == 2  # in the row, and in the legend
    widget.show_figure(figure)
    assert colour(widget.grab().toImage(), widget, 2, 0) == LIGHT.dead_row
    drawing = widget.page.placed[0].drawing
    hit = drawing.at(*drawing.grid.rect(2, 1).middle)  # type: ignore[attr-defined]
    assert hit is not None
    assert hit.text == "query 2 → key 1: no keys, every one is masked for this query"


def test_a_value_that_is_no_number_is_not_coloured() -> None:
    values = np.full((3, 3), 0.5, np.float32)
    values[1, 1] = np.nan
    hatched = record(Figure(title="t", panels=(heatmap(values),))).maps[0][2]
    assert hatched is not None
    assert np.argwhere(hatched).tolist() == [[1, 1]]


@pytest.mark.parametrize("masked", [False, True])
def test_a_lone_peak_among_600_tokens_is_painted(widget: FigureWidget, masked: bool) -> None:
    for row, column in ((0, 0), (311, 97), (599, 598)):
        values = np.zeros((600, 600), np.float32)
        values[row, column] = 1
        hidden = causal(600) if masked else None
        widget.show_figure(Figure(title="t", panels=(heatmap(values, hidden=hidden),)))
        drawing = widget.page.placed[0].drawing
        assert isinstance(drawing, HeatmapDrawing)
        box = drawing.grid.box
        assert box.width < 600  # cells are smaller than pixels
        image = widget.grab().toImage()
        x, y = drawing.grid.rect(row, column).middle
        peak = "#" + bytes(LIGHT.table("sequential")[255]).hex()
        around = {
            image.pixelColor(int(x) + dx, int(y) + dy).name()
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
        }
        assert peak in around


def test_numbers_are_written_in_cells_that_have_room() -> None:
    figure = Figure(title="t", panels=(attention(list("abcdef"), masked=True),))
    words = record(figure, 800, 500).words
    panel = figure.panels[0]
    assert isinstance(panel, Heatmap)
    assert f"{panel.values[1, 0]:.2f}" in words
    large = Figure(title="t", panels=(heatmap(np.full((64, 64), 0.37)),))
    assert "0.37" not in record(large, 800, 500).words


@pytest.mark.parametrize("count", [4, 12, 16, 18, 20, 26])
def test_the_numbers_of_a_map_stay_in_their_cells(qapp: object, count: int) -> None:
    """All of them or none."""
    values = np.full((count, count), -1.25, np.float32)
    values[0, 0] = 0.5
    figure = Figure(title="t", panels=(heatmap(values, limits=(-2, 2)),))
    canvas = record(figure, 710, 475)
    numbers = [text for text in canvas.texts if text.words in ("−1.25", "0.50")]
    assert len(numbers) in (0, count * count)
    drawing = Page(figure, 710, 475, LIGHT).placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    assert all(text.box.width <= drawing.grid.cell[0] - 3 for text in numbers)
    assert bool(numbers) == (count <= 12)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", ["sequential", "diverging"])
def test_numbers_are_in_the_ink_that_contrasts_more(theme: Theme, scale: str) -> None:
    """At least 4.3 : 1; a threshold of brightness left some at 2.8."""
    for colour in pixels.colours(theme, scale)[: pixels.LEVELS].tolist():
        found = {name: contrast(tuple(bytes.fromhex(name[1:])), colour) for name in INKS}
        chosen = ink(tuple(colour))
        assert found[chosen] == max(found.values())
        assert found[chosen] > 4.3


INKS = (DARK_INK, LIGHT_INK)


def contrast(one: tuple[int, ...], other: list[int]) -> float:
    """Of two sRGB colours, as the WCAG defines it."""
    levels = []
    for colour in (one, other):
        part = np.array(colour) / 255
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        levels.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(levels) / min(levels)


@pytest.mark.parametrize("size", [(225, 110), (225, 160), (340, 120), (340, 90), (700, 100)])
@pytest.mark.parametrize("masked", [False, True])
def test_the_scale_stays_beside_its_map(qapp: object, size: tuple[int, int], masked: bool) -> None:
    """Nine small maps on a page must not run into each other or into the note."""
    wide, high = size
    panel = heatmap(
        np.full((4, 8), 0.25), [str(i + 1) for i in range(4)], [str(i) for i in "abcdefgh"]
    )
    hidden = np.eye(4, 8, dtype=bool)
    panel = replace(panel, hidden=hidden if masked else None, limits=(-0.155, 0.155))
    canvas = RecordingCanvas()
    HeatmapDrawing(panel, Rect(0, 0, wide, high), LIGHT).paint(canvas)
    bar = next(box for box, image, _ in canvas.maps if round(box.width) == 12 and image.size > 100)
    assert bar.bottom <= high
    assert all(text.box.bottom <= high + 2 for text in canvas.texts if text.box.x > bar.x)
    numbers = [text for text in canvas.texts if text.words in ("0.155", "0", "−0.155")]
    assert len(numbers) >= 2
    assert overlapping(numbers) == []
    assert all(text.box.right <= wide + 1 for text in canvas.texts)


def test_a_mask_token_is_not_said_to_be_a_masked_cell(widget: FigureWidget) -> None:
    panel = heatmap(np.full((2, 2), 0.5), ["a", "[MASK]"], ["a", "[MASK]"])
    panel = replace(panel, columns=replace(panel.columns, marks=((1, "masked"),)))
    widget.show_figure(Figure(title="t", panels=(panel,)))
    drawing = widget.page.placed[0].drawing
    hit = drawing.at(*drawing.grid.rect(0, 1).middle)  # type: ignore[attr-defined]
    assert hit is not None
    assert hit.text == "query “a” (0) → key “[MASK]” (1), mask token: weight 0.500"


def test_a_small_weight_stands_out_as_much_in_the_dark() -> None:
    """CIE lightness: a tenth of the scale differs from zero alike in both themes."""
    rises = []
    for theme in (LIGHT, DARK):
        part = theme.table("sequential")[[0, 26]] / 255.0
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        lightness = 116 * np.cbrt(linear @ np.array([0.2126, 0.7152, 0.0722])) - 16
        rises.append(abs(float(lightness[1] - lightness[0])))
    assert min(rises) > 7
    assert rises[0] == pytest.approx(rises[1], abs=2)


@pytest.mark.parametrize("theme", THEMES)
def test_lines_and_boxes_of_one_series_have_one_colour(qapp: object, theme: Theme) -> None:
    place = {"x": 0, "y": 0, "width": 50, "height": 20}
    boxes = tuple(Box(key=str(i), text="", series=i, **place) for i in (0, 2, 9))
    ends = ((0.0, 0.0), (90.0, 90.0))
    arrows = tuple(Arrow(points=ends, kind="attention", series=i) for i in (0, 2, 9, None))
    canvas = record(
        Figure(title="t", panels=(Diagram(title="", boxes=boxes, arrows=arrows),)), theme=theme
    )
    lines = [how["colour"] for _, how in canvas.lines]
    assert lines == [theme.lines[0], theme.lines[2], theme.lines[1], theme.lines[0]]
    outlines = [how["stroke"] for _, how in canvas.rects if how.get("stroke") in theme.lines]
    assert outlines == lines[:3]

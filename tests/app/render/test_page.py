"""How a page shares its height among panels."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from app.figure import Bar, Bars, Figure, Panel
from app.render.bars import LEAST_ROW
from app.render.geometry import Rect
from app.render.heatmap import HeatmapDrawing
from app.render.layout import MORE, SPACE, Layout, lay_out
from app.render.page import Page, page_height
from app.render.word_grid import WordGridDrawing
from app.theme import LIGHT
from tests.app.render.examples import ENGLISH, heatmap, words
from tests.app.render.recording import RecordingCanvas, overlapping, record

pytestmark = pytest.mark.usefixtures("qapp")


def bars(count: int, title: str = "b") -> Bars:
    found = tuple(Bar(label=f"token{i}", value=0.5) for i in range(count))
    return Bars(title=title, bars=found)


def heights(panels: tuple[Panel, ...], height: float) -> list[float]:
    return [box.height for box in laid_out(panels, height).boxes]


def laid_out(panels: tuple[Panel, ...], height: float) -> Layout:
    return lay_out(Figure(title="t", panels=panels), Rect(0, 0, 700, height))


def test_bars_leave_the_height_they_cannot_use_to_the_map() -> None:
    low = heights((heatmap(np.zeros((9, 9))), bars(3)), 600)
    high = heights((heatmap(np.zeros((9, 9))), bars(3)), 900)
    assert high[1] == pytest.approx(low[1])
    assert high[0] == pytest.approx(low[0] + 300)
    assert sum(high) + SPACE == pytest.approx(900)


def test_bars_are_not_cut_while_a_map_beside_them_can_shrink() -> None:
    figure = Figure(title="t", panels=(heatmap(np.zeros((40, 40))), bars(8)))
    assert "token7" in record(figure, 700, 500).words
    assert heights(figure.panels, 430)[1] >= 8 * LEAST_ROW


def test_a_long_note_below_few_bars_does_not_take_their_room() -> None:
    noted = replace(bars(2), note="There is no second sentence, so this says nothing yet.")
    panels = (heatmap(np.zeros((10, 7))), noted)
    for height in (220, 260, 320):
        said = record(Figure(title="t", panels=panels), 200, height).words
        assert not any(words.endswith(" more") for words in said)


def test_rows_that_all_are_rigid_keep_their_height() -> None:
    panels = (words(ENGLISH, 3), bars(2))
    assert heights(panels, 900) == heights(panels, 1200)


@pytest.mark.parametrize("height", [60, 120, 200, 320, 400])
def test_of_too_little_room_as_many_panels_as_can_be_read_share_all(height: float) -> None:
    panels = (heatmap(np.zeros((9, 9))), words(ENGLISH, 9), bars(9))
    layout = laid_out(panels, height)
    shown = [box for index, box in enumerate(layout.boxes) if layout.shows(index)]
    room = height - MORE * (not layout.whole)
    assert sum(box.height for box in shown) + SPACE * (len(shown) - 1) == pytest.approx(room)
    assert layout.whole == (height == 400)
    assert all(box.bottom <= height + 1e-6 for box in shown)


def small_maps(count: int) -> Figure:
    maps = tuple(
        heatmap(
            np.zeros((4, 8)),
            list("1234"),
            list("12345678"),
            title=f"map {number}",
            scale_at="title",
        )
        for number in range(count)
    )
    return Figure(title="t", panels=maps, columns=3, most_columns=5)


def test_small_maps_stand_in_more_columns_where_they_would_be_too_low() -> None:
    def columns(width: float, height: float) -> int:
        return lay_out(small_maps(10), Rect(0, 0, width, height)).rows[0][1]

    assert columns(700, 900) == 3
    assert columns(700, 330) == 5
    assert columns(400, 330) == 3  # no room for more


def test_what_finds_no_room_is_a_page_further() -> None:
    """Never smudges: every map in sight has its rows labelled, and each one is in sight once."""
    figure, seen, first = small_maps(10), set(), 0
    for _ in range(10):
        page = Page(figure, 500, 260, LIGHT, first=first)
        canvas = RecordingCanvas()
        page.paint(canvas)
        titles = {words for words in canvas.words if words.startswith("map ")}
        assert canvas.words.count("4") >= len(titles)
        assert any("of 10 parts" in words for words in canvas.words)
        seen |= titles
        if page.turned(1) == 0:
            break
        first = page.turned(1)
    assert len(seen) == 10
    assert page.turned(-1) < page.layout.first


@pytest.mark.parametrize("height", range(200, 420, 20))
def test_labels_of_few_rows_never_touch(height: int) -> None:
    names = ["grammar", "quay", "jug", "bypath", "gypsy", "poppy", "yoga", "jay", "eggy", "quip"]
    strip = heatmap(np.zeros((10, 7)), names, [f"layer {i}" for i in range(7)])
    canvas = record(Figure(title="t", panels=(strip, bars(4))), 300, height)
    drawn = sorted(text.box.middle[1] for text in canvas.texts if text.words in names)
    assert all(low - high >= 9.9 for high, low in pairwise(drawn))


def test_the_last_panel_takes_what_is_left_of_its_row() -> None:
    panels = (bars(2), bars(2), bars(2), bars(2), heatmap(np.zeros((4, 8))))
    figure = Figure(title="t", panels=panels, columns=3, wide_last=True)
    found = lay_out(figure, Rect(0, 0, 700, 600)).boxes
    assert found[-1].right == pytest.approx(700)
    assert found[-1].x == pytest.approx(found[1].x)


@pytest.mark.parametrize("height", range(60, 400, 10))
@pytest.mark.parametrize("at", ["right", "below", "title"])
def test_the_numbers_of_a_scale_never_touch(height: int, at: str) -> None:
    values = np.linspace(-1.13, 1.13, 32).reshape(4, 8).astype(np.float32)
    panel = replace(heatmap(values, list("abcd"), list("12345678")), scale_at=at)
    panel = replace(panel, limits=(-1.13, 1.13), value_name="weight")
    canvas = record(Figure(title="", panels=(panel,)), 200, height)
    drawn = [text for text in canvas.texts if "1.13" in text.words or text.words in {"0", "−0.57"}]
    assert drawn
    assert overlapping(drawn) == []


def test_a_scale_that_maps_share_stands_once_beside_the_title() -> None:
    figure = small_maps(6)
    shared = tuple(replace(panel, value_name="share") for panel in figure.panels)
    canvas = record(replace(figure, panels=shared), 700, 400)
    assert canvas.words.count("share") == 1
    title, name = (next(t for t in canvas.texts if t.words == w) for w in ("t", "share"))
    assert title.box.middle[1] == pytest.approx(name.box.middle[1], abs=2)


def test_a_map_of_few_rows_keeps_the_label_of_each() -> None:
    """Ten steps of a layer over the sixteen neurons, as in a window of 1366 × 768."""
    names = [f"step {i}" for i in range(10)]
    steps = heatmap(np.zeros((10, 256)), names, [str(i) for i in range(256)])
    neurons = heatmap(np.zeros((2, 16)), ["before", "after"], [str(7 * i) for i in range(16)])
    page = Page(Figure(title="t", panels=(steps, neurons)), 710, 475, LIGHT)
    canvas = RecordingCanvas()
    page.paint(canvas)
    assert set(names) <= set(canvas.words)


@pytest.mark.parametrize("width", [300, 460, 700])
def test_the_titles_of_panels_are_of_one_size(width: int) -> None:
    titles = "Entropy", "How far the heads look back, in tokens"
    maps = tuple(heatmap(np.zeros((4, 4)), title=title) for title in titles)
    canvas = record(Figure(title="t", panels=maps, columns=2), width, 400)
    sizes = {t.box.height for t in canvas.texts if t.bold and t.words[:3] in {"Ent", "How"}}
    assert len(sizes) == 1


def strips(count: int) -> Figure:
    """Vectors of 64 numbers, as the steps of a head's computation."""
    names = ["query", "key", "value"]
    values = np.zeros((3, 64), dtype=np.float32)
    maps = tuple(
        heatmap(values, names, [str(i) for i in range(64)], title=f"step {number}")
        for number in range(count)
    )
    return Figure(title="t", panels=maps, columns=3)


@pytest.mark.parametrize("width", [260, 320, 420, 520, 700, 1000])
def test_maps_that_would_be_too_narrow_stand_in_fewer_columns(width: int) -> None:
    for height in (300, 700):
        page = Page(strips(6), width, height, LIGHT)
        drawings = [placed.drawing for placed in page.placed]
        assert all(isinstance(d, HeatmapDrawing) and d.grid.box.width >= 47 for d in drawings)
    assert (page.layout.rows[0][1] == 3) == (width >= 700)


def test_a_saved_picture_shows_all_of_a_narrow_figure() -> None:
    figure = strips(6)
    page = Page(figure, 300, page_height(figure, 300), LIGHT)
    assert page.layout.rows[0][1] < 3
    assert page.layout.whole


def test_what_is_pointed_at_is_said_in_as_many_lines_as_the_note_has() -> None:
    said = "query “the” (3), key “baker” (12): weight 0.0213, number 4 of 18 of this query's keys"
    for note, lines in (("Short.", 1), ("A note that takes more than one line, " * 2, 2)):
        page = Page(Figure(title="t", panels=(bars(2),), note=note), 400, 300, LIGHT)
        canvas = RecordingCanvas()
        page.paint_readout(canvas, said)
        assert len(canvas.words) == lines
        assert (" ".join(canvas.words) == said) == (lines > 1)
        assert all(text.box.bottom <= 300 for text in canvas.texts)


def test_few_rows_of_words_are_all_in_sight_or_on_a_page_of_their_own() -> None:
    many = [f"word{number}" for number in range(24)]
    lens = replace(words(many, 4), value_name="probability")
    figure = Figure(title="t", panels=(lens, words(many[:4], 3)))
    for height in range(240, 420, 20):
        drawing = Page(figure, 500, height, LIGHT).placed[0].drawing
        assert isinstance(drawing, WordGridDrawing)
        assert drawing.window.rows == 4

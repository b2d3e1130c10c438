"""Names of points: beside them, over no other one; and what is left out is said."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from app.figure import Figure, Paths
from app.render.geometry import Rect
from app.render.paths import DOT, PathsDrawing
from app.theme import LIGHT
from tests.app.render.examples import paths
from tests.app.render.recording import RecordingCanvas, Text, overlapping, record

pytestmark = pytest.mark.usefixtures("qapp")


def clustered(count: int, spread: float) -> Paths:
    """Points of which most stand close together, and one far away."""
    labels = [f"word{number}" for number in range(count)]
    points = spread * np.random.default_rng(3).normal(size=(count, 3, 2))
    points[0] += 100
    return replace(paths(labels), points=points.astype(np.float32), emphasised=1, reached=1)


def drawn(panel: Paths, size: tuple[float, float] = (600, 400)) -> tuple[list[Text], set[str]]:
    """The names that are drawn, and all that is written."""
    canvas = RecordingCanvas()
    drawing = PathsDrawing(panel, Rect(0, 0, *size), LIGHT)
    drawing.paint(canvas)
    names = [text for text in canvas.texts if text.words in panel.labels]
    points = [(x, y) for x, y, radius in canvas.dots if radius == DOT]
    assert len(points) == len(panel.labels)
    for text in names:
        for x, y in points:
            inside = text.box.x < x < text.box.right and text.box.y < y < text.box.bottom
            assert not inside or text.bold, f"{text.words} covers a point"
    assert overlapping(names) == []
    return names, set(canvas.words)


@pytest.mark.parametrize("spread", [1, 10, 40])
def test_names_cover_no_point_and_those_left_out_are_counted(spread: float) -> None:
    panel = clustered(20, spread)
    names, written = drawn(panel)
    missing = 20 - len(names)
    said = [words for words in written if "left out" in words]
    assert len(said) == bool(missing)
    if missing:
        assert said[0].split()[0] == str(missing)
    assert panel.labels[1] in {text.words for text in names}, "the pinned one has its name"


@pytest.mark.parametrize("width", range(200, 420, 20))
def test_the_legend_says_how_many_names_are_missing_in_whole_words(width: int) -> None:
    _, written = drawn(clustered(20, 1), (width, 300))
    assert not any("…" in words for words in written if "name" in words)


def test_a_crowded_point_is_named_at_another_side() -> None:
    panel = replace(paths(["the", "cat"]), reached=0, emphasised=None)
    points = np.zeros((2, *panel.points.shape[1:]), dtype=np.float32)
    points[1, :, 0], points[:, 1:, 0] = 0.3, 10
    names, written = drawn(replace(panel, points=points))
    assert {text.words for text in names} == {"the", "cat"}
    assert not any("left out" in words for words in written)


def test_names_side_by_side_are_not_read_as_one() -> None:
    names, _ = drawn(clustered(60, 12), (900, 500))
    for one in names:
        for other in names:
            level = abs(one.box.middle[1] - other.box.middle[1]) < 8
            if one is not other and level and one.box.x < other.box.x:
                assert other.box.x - one.box.right > 3


def test_many_names_are_placed_quickly() -> None:
    panel = clustered(512, 30)
    record(Figure(title="", panels=(panel,)), 700, 450)
    start = time.perf_counter()
    record(Figure(title="", panels=(panel,)), 700, 450)
    assert time.perf_counter() - start < 0.5

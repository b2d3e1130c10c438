"""Curves: names as long as the panel allows, numbers beside the axis that stand apart."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Curve, Curves, Figure
from app.render.page import Page
from app.theme import DARK, LIGHT, Theme
from tests.app.render.recording import RecordingCanvas, overlapping, record

pytestmark = pytest.mark.usefixtures("qapp")
X = np.arange(5, dtype=np.float32)


def named(*names: str) -> Figure:
    curves = tuple(Curve(name=name, x=X, y=X, emphasised=not i) for i, name in enumerate(names))
    return Figure(
        title="t",
        panels=(Curves(title="", curves=curves, x_title="x", y_title="y", x_labels=("a",) * 5),),
    )


def test_a_name_is_cut_only_where_the_panel_ends() -> None:
    name = "“the token” and the mean of the others"
    assert name in record(named(name, "b"), 330, 300).words
    assert name not in record(named(name, "b"), 200, 300).words


@pytest.mark.parametrize("width", [160, 330, 700])
def test_names_stay_inside_the_panel_and_apart(width: int) -> None:
    canvas = record(named(*(f"a name of some length {i}" for i in range(7))), width, 400)
    assert all(text.box.right <= width for text in canvas.texts)
    assert overlapping(canvas.texts) == []


@pytest.mark.parametrize("height", [180, 220, 300, 700])
def test_numbers_beside_the_axis_stand_apart(height: int) -> None:
    canvas = record(named("y"), 400, height)
    numbers = [text for text in canvas.texts if text.words.replace(".", "").isdigit()]
    assert len(numbers) >= 2
    assert overlapping(numbers) == []


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_line_can_be_told_by_its_colour_beside_an_emphasised_one(theme: Theme) -> None:
    figure = named(*"abcdefgh")
    canvas = RecordingCanvas()
    Page(figure, 700, 400, theme).paint(canvas)
    drawn = [how for _, how in canvas.lines if how["colour"] in theme.lines]
    assert {how["colour"] for how in drawn} == set(theme.lines)
    assert all(how.get("opacity", 1.0) == 1.0 for how in drawn)
    assert all(_contrast(how["colour"], theme.surface) >= 3 for how in drawn)
    widths = {how["colour"]: how["width"] for how in drawn}
    others = [width for colour, width in widths.items() if colour != theme.lines[0]]
    assert widths[theme.lines[0]] > 1.5 * max(others) and min(others) >= 1.5


def _contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours; 3 is what graphical objects need."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

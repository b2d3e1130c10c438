"""Curves: names as long as the panel allows, numbers beside the axis that stand apart."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Curve, Curves, Figure
from tests.app.render.recording import overlapping, record

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

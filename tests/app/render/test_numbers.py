"""Numbers as people read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.figure import Bar, Bars, Figure
from app.render.numbers import number, small, tick, ticks
from app.render.page import Page
from app.theme import LIGHT
from tests.app.render.examples import heatmap
from tests.app.render.recording import RecordingCanvas, record


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (0.4119, "0.412"),
        (1.0, "1.000"),
        (3.1749, "3.17"),
        (-3.1749, "−3.17"),
        (128.44, "128.4"),
        (12345.6, "12,346"),
        (2.13e-5, "2.1e-05"),
        (float("nan"), "–"),
        (float("-inf"), "−∞"),
    ],
)
def test_a_number_is_short_and_never_shown_as_zero_unless_it_is(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 1, ["0", "0.25", "0.5", "0.75", "1"]),
        (0, 12, ["0", "5", "10"]),
        (-3, 3, ["−2", "0", "2"]),
        (0, 4000, ["0", "1,000", "2,000", "3,000", "4,000"]),
    ],
)
def test_ticks_are_round(low: float, high: float, shown: list[str]) -> None:
    marks, step = ticks(low, high, 5)
    assert [tick(mark, step) for mark in marks] == shown


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
    st.integers(2, 12),
)
def test_ticks_lie_within_and_are_evenly_spaced(low: float, span: float, most: int) -> None:
    marks, step = ticks(low, low + span, most)
    assert len(marks) <= most
    assert all(low - 1e-6 * span <= mark <= low + span + 1e-6 * span for mark in marks)
    if len(marks) > 1:
        assert np.allclose(np.diff(marks), step, rtol=1e-6)


def test_the_ends_and_quarters_of_a_scale_are_right_in_every_digit() -> None:
    quarters = [tick(0.00025 * part, 0.00025) for part in (-2, -1, 0, 1, 2)]
    assert quarters == ["−0.0005", "−0.00025", "0", "0.00025", "0.0005"]
    assert tick(1.25e-5, 1.25e-5) == "1.25e−05"
    assert tick(0.000123, 0.000123) == "0.000123"


@pytest.mark.usefixtures("qapp")
def test_the_number_beside_a_row_is_that_of_the_row() -> None:
    values = np.array([12.095, 15.375, 18.456, 11.306, 0.25], np.float32)
    panel = heatmap(np.zeros((5, 9)), of_rows=("norm", values, 18.456))
    words = record(Figure(title="", panels=(panel,))).words
    assert {"12.10", "15.38", "18.46", "11.31", "0.250"} <= set(words)


@pytest.mark.usefixtures("qapp")
def test_a_tiny_probability_is_less_than_what_is_shown_and_exact_under_the_pointer() -> None:
    bars = Bars(title="", bars=(Bar(label="a", value=0.0001), Bar(label="b", value=2.77e-5)))
    page = Page(Figure(title="", panels=(bars,)), 400, 200, LIGHT)
    canvas = RecordingCanvas()
    page.paint(canvas)
    assert {"0.0001", "<0.0001"} <= set(canvas.words)
    hit = page.placed[0].drawing.beside(None, 0, 0)
    following = page.placed[0].drawing.beside(hit, 1, 0)
    assert following is not None
    assert following.text == "“b”: probability 0.0000277"
    assert small(3e-12) == "3.00e−12"


@pytest.mark.usefixtures("qapp")
def test_the_note_under_a_map_is_not_cut_while_there_is_room_beside_it() -> None:
    note = "colours end at 4; largest 1,330"
    panel = replace(heatmap(np.zeros((3, 400))), limits_note=note)
    assert note in record(Figure(title="", panels=(panel,)), 260, 220).words


@pytest.mark.usefixtures("qapp")
def test_nothing_is_printed_as_minus_zero() -> None:
    """In cells, bars, read-outs and on axes."""
    cells = heatmap(np.array([[-0.00001, -0.0], [-0.004, -0.006]]))
    bars = Bars(title="", bars=(Bar(label="b", value=-0.0),))
    words = record(Figure(title="", panels=(cells, bars))).words
    assert words.count("0.00") == 3
    assert {"−0.01", "0.0000"} <= set(words)
    assert "−0.00" not in words
    assert number(-0.0) == "0.000"
    assert tick(-0.00001, 0.1) == "0"

"""Candidates: narrowed as decoding narrows them, and a click takes one."""

from __future__ import annotations

import pytest
import torch
from pytestqt.qtbot import QtBot

from app.figure import Bars, Curves, WordGrid
from app.wiring import App
from core.decoding.filters import probabilities
from core.request import Sampling
from tests.app.driver import Opener, click_at, find, front, settled
from tests.app.test_decoding import step, turn_to


def grid(app: App) -> WordGrid:
    panel = app.window.pictures.figure.panels[0]
    assert isinstance(panel, WordGrid)
    return panel


def bars(app: App) -> Bars:
    panel = app.window.predictions.figure.figure.panels[0]
    assert isinstance(panel, Bars)
    return panel


def test_over_time_grows_with_every_step(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    turn_to(qtbot, app, "over_time")
    for count in (1, 2, 3):
        step(qtbot, app)
        assert len(grid(app).columns.labels) == count
        assert grid(app).column == count - 1
        curves = app.window.pictures.figure.panels[1]
        assert isinstance(curves, Curves)
        assert len(curves.curves[0].y) == count


def test_the_cache_view_grows_by_a_column_a_step(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    prompt = len(app.store.state.answer.trace.tokens["decoder"])
    turn_to(qtbot, app, "cache")
    for count in (0, 1, 2):
        step(qtbot, app)
        figure = app.window.pictures.figure
        assert figure.panels[0].values.shape[1] == prompt + count  # type: ignore[union-attr]
        assert f"{app.store.state.step.cache_positions} positions" in figure.title


def test_a_column_of_over_time_selects_its_step(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    turn_to(qtbot, app, "over_time")
    step(qtbot, app, 3)
    made = app.store.state.steps
    click_at(front(app), find(front(app), step=1))
    settled(qtbot, app)
    assert app.store.state.selection.step == 1
    assert app.store.state.steps == made
    assert app.window.decoding.count.text() == "step 2 of 3"


def test_a_candidate_of_over_time_is_taken_at_its_step(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    turn_to(qtbot, app, "over_time")
    step(qtbot, app, 3)
    first = app.store.state.steps[0]
    other = app.store.state.steps[1].candidates[2].token
    click_at(front(app), find(front(app), step=1, token=other))
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 2)
    settled(qtbot, app)
    assert app.store.state.steps[0] is first, "nothing before it was computed again"
    assert (app.store.state.steps[1].token, app.store.state.steps[1].forced) == (other, True)
    assert list(grid(app).columns.labels) == ["1", "2"]


def test_a_candidate_of_predictions_is_taken(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    widget = app.window.predictions.figure
    place = len(app.store.state.step.trace.tokens["decoder"]) - 1
    other = app.store.state.step.candidates[3].token
    click_at(widget, find(widget, token=other, position=place))
    qtbot.waitUntil(lambda: app.store.state.steps[-1].token == other)
    assert len(app.store.state.steps) == 2


def test_no_candidate_of_the_prompt_is_taken(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.store.select(query=2)
    settled(qtbot, app)
    widget = app.window.predictions.figure
    qtbot.waitUntil(lambda: bars(app).position == 2)
    token = bars(app).bars[0].token
    click_at(widget, find(widget, token=token, position=2))
    assert app.store.state.steps == ()
    assert "edit the text" in app.store.state.problem.text


@pytest.mark.parametrize(
    ("field", "value"), [("min_p", 0.9), ("repetition_penalty", 1.7), ("top_p", 0.5)]
)
def test_bars_are_what_decoding_draws_from(
    qtbot: QtBot, open_app: Opener, field: str, value: float
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 4)
    getattr(app.window.predictions.narrowing, field).setValue(value)
    qtbot.waitUntil(lambda: f"{value:g}" in bars(app).note)
    shown = app.store.state.step
    seen = shown.tokens.ids[:-1]
    drawn = probabilities(shown.logits, Sampling(**{field: value}), seen)
    for bar in bars(app).bars:
        if bar.dimmed:
            assert float(drawn[bar.token]) == 0
        else:
            assert bar.value == pytest.approx(float(drawn[bar.token]), abs=1e-6)
    app.session.stepping.choose(strategy="sample")
    step(qtbot, app, 1)
    again = app.store.state.step
    kept = probabilities(again.logits, Sampling(**{field: value}), again.tokens.ids[:-1])
    for candidate in again.candidates:
        assert candidate.kept == pytest.approx(float(kept[candidate.token]), abs=1e-6)
    assert torch.isfinite(again.logits).all()

"""A long decoding: what a step costs the window does not grow with the steps before it."""

from __future__ import annotations

import statistics
import time
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.figure import WordGrid
from app.labels import labels_of
from app.panels.move_chips import MoveChips
from app.recent import KEPT
from tests.app.driver import Opener, click_at, find, front, settled
from tests.app.test_decoding import to_the_end, turn_to

LONG = 260


def test_only_the_last_runs_remember_what_was_derived(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.window.decoding.choices.most.setValue(40)
    to_the_end(qtbot, app)
    key = ("pattern", "decoder.self", 0, 0, None)
    traces = [step.trace for step in app.store.state.steps]
    assert not any(trace.remembers(key) for trace in traces[:-KEPT])
    assert traces[-1].remembers(key)
    app.session.stepping.show(3)
    settled(qtbot, app)
    assert traces[3].remembers(key), "computed again when looked at again"


def test_a_step_late_in_a_run_costs_the_window_what_an_early_one_does(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    turn_to(qtbot, app, "over_time")
    tasks = app.session.stepping.writer._tasks
    costs: list[float] = []
    submit = tasks.submit

    def timed(lane: Any, work: Any, done: Any, *others: Any, **more: Any) -> None:
        def taken_in(made: Any) -> None:
            started = time.thread_time()
            done(made)
            costs.append(time.thread_time() - started)

        submit(lane, work, taken_in if lane == "decode" else done, *others, **more)

    tasks.submit = timed  # type: ignore[method-assign]
    app.window.decoding.choices.most.setValue(LONG)
    app.session.stepping.last()
    qtbot.waitUntil(lambda: app.store.state.ending != "", timeout=120_000)
    settled(qtbot, app)
    assert len(costs) == LONG
    early, late = statistics.median(costs[20:70]), statistics.median(costs[-50:])
    assert late < 1.6 * early + 0.001, f"{1000 * early:.2f} ms, then {1000 * late:.2f} ms"


def test_a_long_table_shows_steps_around_the_one_looked_at(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.window.decoding.choices.most.setValue(130)
    to_the_end(qtbot, app)
    turn_to(qtbot, app, "over_time")
    grid = app.window.pictures.figure.panels[0]
    assert isinstance(grid, WordGrid)
    assert grid.columns.labels[0] == "31"
    assert grid.columns.labels[-1] == "130"
    click_at(front(app), find(front(app), step=124))
    settled(qtbot, app)
    assert app.store.state.selection.step == 124


@pytest.mark.parametrize("text", ["a", "😀", "né"])
def test_chips_made_one_by_one_read_like_all_at_once(
    qtbot: QtBot, open_app: Opener, text: str
) -> None:
    app = open_app("random:decoder")
    ids = app.store.state.model.tokenizer.encode(text * 9, add_special=False).ids
    app.window.decoding.choices.most.setValue(99)
    made = MoveChips()
    for number, token in enumerate(ids, start=1):
        app.session.stepping.take(token, number - 1)
        qtbot.waitUntil(lambda n=number: len(app.store.state.steps) == n)
        steps = app.store.state.steps
        expected = labels_of(steps[-1].tokens)[-len(steps) :]
        assert tuple(chip.label for chip in made.of(steps, False)) == expected
        assert made.of(steps, False) == MoveChips().of(steps, False)
        chips = app.window.decoding.chips
        assert tuple(chip.label for chip in chips.chips) == expected
        right = [chips.box(i).right() for i in range(number)]
        assert right == sorted(right)

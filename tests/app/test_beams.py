"""Beam search from the decoding bar, and its hypotheses in every view."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.wiring import App
from core.decoding import BeamSearch
from core.request import DecodeRequest
from tests.app.driver import Opener, QuickCore, click_at, find, front, heatmap, press, settled
from tests.app.test_decoding import click, step, turn_to


def search(qtbot: QtBot, app: App, *, button: str = "last") -> BeamSearch:
    bar = app.window.decoding
    bar.choices.most.setValue(6)
    bar.choices.strategy.setCurrentIndex(bar.choices.strategy.findData("beam"))
    bar.choices.strategy.activated.emit(bar.choices.strategy.currentIndex())
    bar.choices.beams.setValue(3)
    click(bar.buttons[button])
    qtbot.waitUntil(lambda: app.store.state.search is not None, timeout=20_000)
    settled(qtbot, app)
    return app.store.state.search


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder-decoder"])
def test_the_best_hypothesis_becomes_the_steps(qtbot: QtBot, open_app: Opener, source: str) -> None:
    app = open_app(source)
    found = search(qtbot, app)
    state = app.store.state
    request = DecodeRequest(run=state.answer.request, strategy="beam", max_new_tokens=6, beams=3)
    own = BeamSearch(state.model, request)
    best = own.run()[0]
    assert [s.token for s in state.steps] == [node.token for node in own.path(best.id)]
    assert state.selection.step == len(state.steps) - 1
    assert f"{abs(found.best[0].score):.3f}" in app.window.decoding.ending.text()
    assert len(app.window.decoding.chips.chips) == len(state.steps)


def test_one_step_on_shows_the_first_token_and_there_is_nothing_beyond_the_last(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    search(qtbot, app, button="step")
    assert app.store.state.selection.step == 0
    count = len(app.store.state.steps)
    step(qtbot, app, count - 1)
    click(app.window.decoding.buttons["step"])
    settled(qtbot, app)
    assert len(app.store.state.steps) == count
    assert app.store.state.selection.step == count - 1


def test_clicking_a_dropped_hypothesis_shows_its_attention(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    found = search(qtbot, app)
    turn_to(qtbot, app, "beams")
    node = next(n for n in found.nodes if n.fate == "dropped" and n.index == 3)
    click_at(front(app), find(front(app), hypothesis=node.id))
    tokens = [n.token for n in found.path(node.id)]
    qtbot.waitUntil(lambda: [s.token for s in app.store.state.steps] == tokens)
    settled(qtbot, app)
    assert node.why in app.window.decoding.ending.text()
    turn_to(qtbot, app, "attention")
    ids = list(app.store.state.steps[-1].tokens.ids[:-1])
    whole = app.store.state.model.trace(ids=ids)
    values = whole.pattern("decoder.self", 0, 0).numpy()
    assert abs(heatmap(app).values - values).max() < 1e-5


def test_a_token_by_hand_leaves_the_search_and_goes_on_greedily(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    search(qtbot, app)
    old = app.store.state.steps
    app.session.stepping.take(old[2].candidates[7].token, 2)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 3)
    assert "greedily" in app.window.decoding.ending.text()
    step(qtbot, app, 1)
    last = app.store.state.steps[-1]
    assert last.token == int(last.logits.argmax())
    app.session.stepping.revisit(0)
    settled(qtbot, app)
    assert app.store.state.steps == old


class SlowSearch(QuickCore):
    """Tells of its progress and takes its time."""

    def search(self, answer: Any, choice: Any, narrowing: Any, report: Any, stop: Any) -> Any:
        def slow(text: str, fraction: float | None) -> None:
            report(text, fraction)
            time.sleep(0.15)

        return super().search(answer, choice, narrowing, slow, stop)


def test_progress_is_shown_and_the_search_can_be_cancelled(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder", core=SlowSearch())
    app.session.stepping.choose(strategy="beam", max_new_tokens=200)
    press(app, Qt.Key.Key_N)
    status = app.window.status
    qtbot.waitUntil(lambda: status.cancel.isVisible() and status.progress.value() > 0)
    assert "Beam search, step" in status.activity.text()
    click(status.cancel)
    qtbot.waitUntil(lambda: app.store.state.busy is None, timeout=5000)
    assert app.store.state.search is None
    assert app.store.state.steps == ()
    step(qtbot, app, 0)


def test_other_beams_search_anew(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    search(qtbot, app)
    app.window.decoding.choices.length_penalty.setValue(2.0)
    assert app.store.state.search is None
    assert app.store.state.steps == ()


def test_the_bar_never_widens_the_window(qtbot: QtBot, open_app: Opener) -> None:
    """With everything in it: beams, a branch, the check and a long text."""
    app = open_app("random:decoder")
    search(qtbot, app)
    app.window.decoding.choices.most.setValue(80)
    search_again = app.window.decoding.buttons["last"]
    click(search_again)
    qtbot.waitUntil(lambda: len(app.store.state.steps) > 40, timeout=60_000)
    settled(qtbot, app)
    steps = app.store.state.steps
    app.session.stepping.take(steps[-2].candidates[5].token, len(steps) - 2)
    qtbot.waitUntil(lambda: len(app.store.state.tree.branches) == 3)
    settled(qtbot, app)
    app.session.checker.together(True)
    qtbot.waitUntil(lambda: app.store.state.all_at_once is not None, timeout=20_000)
    bar = app.window.decoding
    assert bar.branch.isVisible()
    assert bar.checks.result.isVisible()
    assert bar.minimumSizeHint().width() <= 1366
    assert app.window.width() == 1366
    assert "same numbers" in bar.text.text()


def by_hand(qtbot: QtBot, app: App, *, considered: bool) -> BeamSearch:
    """At the second step a token is taken that the search itself considered, or did not."""
    found = search(qtbot, app)
    steps = app.store.state.steps
    other = next(
        c.token
        for c in steps[1].candidates
        if c.token != steps[1].token
        and (found.find([steps[0].token, c.token]) is not None) == considered
    )
    app.session.stepping.take(other, 1)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 2)
    settled(qtbot, app)
    return found


@pytest.mark.parametrize("considered", [True, False])
def test_from_any_token_taken_by_hand_it_goes_on(
    qtbot: QtBot, open_app: Opener, considered: bool
) -> None:
    app = open_app("random:decoder")
    found = by_hand(qtbot, app, considered=considered)
    bar = app.window.decoding
    assert "greedily" in bar.ending.text()
    assert all(bar.buttons[name].isEnabled() for name in ("play", "step", "last"))
    to_the_end(qtbot, app, 6)
    assert bar.ending.text() == "Ended at 6 tokens; raise “At most” to go on."
    six = [s.token for s in app.store.state.steps]
    bar.choices.most.setValue(8)
    settled(qtbot, app)
    assert [s.token for s in app.store.state.steps] == six, "raising it begins nothing anew"
    assert app.store.state.search is found
    to_the_end(qtbot, app, 8)
    assert [s.token for s in app.store.state.steps][:6] == six


def to_the_end(qtbot: QtBot, app: App, count: int) -> None:
    click(app.window.decoding.buttons["last"])
    qtbot.waitUntil(lambda: len(app.store.state.steps) == count, timeout=20_000)
    settled(qtbot, app)


def test_the_bar_says_how_far_a_search_is(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder", core=SlowSearch())
    app.session.stepping.choose(strategy="beam", max_new_tokens=200)
    press(app, Qt.Key.Key_N)
    bar = app.window.decoding
    qtbot.waitUntil(lambda: bar.chips._empty.startswith("Beam search, step 3 of 200"))
    app.session.cancel()
    qtbot.waitUntil(lambda: bar.chips._empty.startswith("Press ▶"))

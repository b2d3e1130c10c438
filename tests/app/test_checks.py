"""Comparisons on demand: cached and full, step by step and all at once, own heads and shared."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.figure import Bars
from app.panels.checks import power, told_apart
from app.render.word_grid import WordGridDrawing
from core.analysis.sharing import share
from core.masks import choose
from tests.app.driver import Opener, QuickCore, click_chip, front, heatmap, settled
from tests.app.test_decoding import step, turn_to


def push(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder-decoder"])
def test_cached_equals_full(qtbot: QtBot, open_app: Opener, source: str) -> None:
    app = open_app(source)
    checks = app.window.decoding.checks
    assert not checks.isVisible()
    step(qtbot, app, 3)
    push(checks.check)
    qtbot.waitUntil(lambda: checks.result.isVisible())
    assert checks.result.text().startswith("cached = full ✓ ")
    assert float(checks.result.text().rpartition(" ")[2]) < 1e-4
    assert "3 steps" in checks.result.toolTip()
    step(qtbot, app, 1)
    assert not checks.result.isVisible(), "it says nothing of the new step"
    assert checks.check.isVisible()


class Wrong(QuickCore):
    """Its third step on the cache is off."""

    def advance(self, *arguments: Any, **more: Any) -> Any:
        made = super().advance(*arguments, **more)
        if made.index == 2:
            made.logits[0] += 0.25
        return made


def test_a_cache_that_is_off_is_found_out(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder", core=Wrong())
    step(qtbot, app, 4)
    checks = app.window.decoding.checks
    push(checks.check)
    qtbot.waitUntil(lambda: checks.result.isVisible())
    assert "✗" in checks.result.text()
    assert checks.result.text().endswith("0.3") or "2e-1" in checks.result.text()


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder-decoder"])
def test_teacher_forcing_shows_the_same_numbers_in_one_run(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = open_app(source)
    app.store.select(stack="decoder")
    step(qtbot, app, 4)
    stepped = heatmap(app).values
    together = app.window.decoding.checks.together
    click_chip(app.window.decoding.chips, 1)
    push(together)
    qtbot.waitUntil(lambda: app.store.state.all_at_once is not None)
    settled(qtbot, app)
    assert together.isChecked()
    assert heatmap(app).values.shape == stepped.shape
    assert abs(heatmap(app).values - stepped).max() < 1e-5
    state = app.store.state
    assert state.trace.cache.positions == len(state.trace.tokens["decoder"])
    assert state.trace is not state.steps[-1].trace
    text = app.window.decoding.text.text()
    assert "in 1 run" in text
    assert "4 runs" in text
    assert "same numbers" in text
    click_chip(app.window.decoding.chips, 1)
    settled(qtbot, app)
    assert app.store.state.trace is app.store.state.steps[1].trace
    assert not together.isChecked()


def test_a_mask_that_looks_ahead_gives_one_run_other_numbers(
    qtbot: QtBot, open_app: Opener
) -> None:
    """Nothing is cached then, and nothing says that it is."""
    app = open_app("random:decoder")
    app.session.mask("decoder.self", choose("bidirectional"))
    settled(qtbot, app)
    step(qtbot, app, 4)
    state, bar = app.store.state, app.window.decoding
    ran = len(state.steps[-1].trace.tokens["decoder"])
    assert f"nothing cached: this step ran all {ran} positions anew" in bar.text.text()
    assert state.steps[-1].cache_positions == state.steps[-1].cache_bytes == 0
    push(bar.checks.check)
    qtbot.waitUntil(lambda: bar.checks.result.isVisible())
    assert bar.checks.result.text() == "no cache: one run ≠ steps"
    assert "lets earlier tokens see later ones" in bar.checks.result.toolTip()
    push(bar.checks.together)
    qtbot.waitUntil(lambda: app.store.state.all_at_once is not None)
    settled(qtbot, app)
    state = app.store.state
    assert len(state.trace.tokens["decoder"]) == ran
    parting = state.checked.difference.parting
    made = state.steps[parting.step]
    row = len(made.trace.tokens["decoder"]) - 1
    there = float(state.trace.logits_at(row)[0].softmax(-1)[made.token])
    assert parting.together == pytest.approx(there)
    assert parting.stepped == made.probability
    assert "same numbers" not in bar.text.text()
    now, then = told_apart(there, made.probability)
    assert f"is {now}, step by step {then}" in bar.text.text()
    turn_to(qtbot, app, "cache")
    figure = app.window.pictures.figure
    assert figure.title == "Key/value cache · nothing can be kept"
    assert "runs the whole text anew" in figure.note


def test_a_branch_or_another_token_ends_teacher_forcing(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 3)
    push(app.window.decoding.checks.together)
    qtbot.waitUntil(lambda: app.store.state.all_at_once is not None)
    old = app.store.state.steps
    app.session.stepping.take(old[1].candidates[4].token, 1)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 2)
    assert app.store.state.all_at_once is None
    assert app.store.state.trace is app.store.state.steps[-1].trace


def test_shared_heads_are_compared(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    bar = app.window.pictures.pooling
    assert not bar.isVisible()
    turn_to(qtbot, app, "cache")
    assert bar.isVisible()
    assert [bar.heads.itemData(i) for i in range(bar.heads.count())] == [2, 1]
    push(bar.run)
    qtbot.waitUntil(lambda: bar.result.text() != "", timeout=10_000)
    settled(qtbot, app)
    state = app.store.state
    own = share(state.model.network, state.trace, 2)
    assert f"by {own.mean_kl:.3g} bits" in bar.result.text()
    assert "cache 69.6 kB → 34.8 kB" in bar.result.text()
    bar.heads.setCurrentIndex(1)
    bar.heads.activated.emit(1)
    assert bar.result.text() == ""
    push(bar.run)
    qtbot.waitUntil(lambda: bar.result.text() != "", timeout=10_000)
    settled(qtbot, app)
    panel = app.window.pictures.figure.panels[-1]
    assert isinstance(panel, Bars)
    assert [b.label for b in panel.bars] == [
        "2 K/V heads",
        "1 K/V head",
    ]
    assert panel.bars[0].value == pytest.approx(own.mean_kl)
    push(bar.back)
    settled(qtbot, app)
    assert "by how heads share" in app.window.pictures.figure.panels[-1].title
    assert bar.result.text() == ""
    assert not bar.back.isVisible()
    push(bar.run)
    qtbot.waitUntil(lambda: bar.result.text() != "", timeout=10_000)
    settled(qtbot, app)
    app.session.stepping.back()
    settled(qtbot, app)
    assert bar.result.text() == "", "it says nothing of another run"
    panel = app.window.pictures.figure.panels[-1]
    assert not isinstance(panel, Bars)
    assert "by how heads share" in panel.title


def test_an_encoder_has_nothing_to_share(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    turn_to(qtbot, app, "cache")
    assert not app.window.pictures.pooling.isVisible()


def test_two_probabilities_show_their_difference() -> None:
    assert told_apart(0.5811, 0.5552) == ("0.58", "0.56")
    assert told_apart(0.00123, 0.00127) == ("0.0012", "0.0013")


def test_small_numbers_are_written_short() -> None:
    assert [power(v) for v in (0, 3.2e-6, 1e-10, 0.25)] == ["0", "3e-6", "1e-10", "2e-1"]


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder-decoder"])
def test_every_kind_of_sharing_is_in_sight(qtbot: QtBot, open_app: Opener, source: str) -> None:
    """To compare them is what the table is for."""
    app = open_app(source)
    step(qtbot, app, 4)
    turn_to(qtbot, app, "cache")
    drawing = front(app).page.placed[-1].drawing
    assert isinstance(drawing, WordGridDrawing)
    assert drawing.window == drawing.whole
    heads = app.window.pictures.pooling.heads
    wide = max(heads.fontMetrics().horizontalAdvance(heads.itemText(i)) for i in range(2))
    assert heads.width() >= wide + 24, "with room for the arrow"

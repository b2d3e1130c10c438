"""The map of a mask shows what is asked for, also where the run is behind or never comes."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.engine import Question
from app.panels.mask_map import MaskMap
from app.store import Answer
from app.wiring import App
from core.errors import Cancelled
from core.masks import MaskChoice
from tests.app.driver import Opener, QuickCore, click_at, mask_editor, settled

SITE = "encoder.self"
CTRL = Qt.KeyboardModifier.ControlModifier
REDO = CTRL | Qt.KeyboardModifier.ShiftModifier


class Held(QuickCore):
    """Runs a painted mask only once it is let go."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def run(self, question: Question, previous: Answer | None, stop: Any) -> Answer:
        if any(choice.blocked for choice in question.masks.values()):
            while not self.go_on.wait(0.005):
                if stop():
                    raise Cancelled("The run was stopped.")
        return super().run(question, previous, stop)


def sees(shown: MaskMap, cell: tuple[int, int]) -> bool:
    """Whether this is what the map says of a cell."""
    words = shown.words_of(cell)
    assert ("painted out" in words) == ("may not see" in words), words
    return "painted out" not in words


def painted(qtbot: QtBot, open_app: Opener, core: Held) -> tuple[App, MaskMap, MaskMap]:
    """A cell is painted in the large map, and its run is on its way; the small map and the large
    one."""
    app = open_app("random:encoder", core=core)
    app.session.write(text="abcd")
    settled(qtbot, app)
    editor, small = mask_editor(qtbot, app), app.window.mask_panel.maps[SITE]
    click_at(editor.map, editor.map.cell_centre(1, 2))
    qtbot.waitUntil(lambda: app.session._tasks.active("run"))
    return app, small, editor.map


@pytest.mark.parametrize("end", ["cancel", "choose"])
def test_a_stroke_taken_back_before_its_run_does_not_stay_on_the_map(
    qtbot: QtBot, open_app: Opener, end: str
) -> None:
    core = Held()
    app, small, large = painted(qtbot, open_app, core)
    for shown in (small, large):
        assert not sees(shown, (1, 2)), "the run has not come yet"
    QTest.keyClick(large, Qt.Key.Key_Z, CTRL)
    for shown in (small, large):
        assert sees(shown, (1, 2))
    if end == "choose":
        app.session.opening.choose_architecture("encoder")
    app.session.cancel()
    settled(qtbot, app)
    assert not app.store.state.masks and app.store.state.answered
    for shown in (small, large):
        assert sees(shown, (1, 2))
    click_at(small, small.cell_centre(1, 2))
    assert app.store.state.masks[SITE].blocked == ((1, 2),), "it is painted anew"
    core.go_on.set()
    settled(qtbot, app)


def test_a_stroke_whose_run_was_cancelled_is_asked_for_still(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Held()
    app, small, large = painted(qtbot, open_app, core)
    app.session.cancel()
    settled(qtbot, app)
    assert app.store.state.old
    for shown in (small, large):
        assert not sees(shown, (1, 2))
    core.go_on.set()
    QTest.keyClick(large, Qt.Key.Key_Z, CTRL)
    QTest.keyClick(large, Qt.Key.Key_Z, REDO)
    settled(qtbot, app)
    assert app.store.state.trace.request.mask(SITE).blocked == ((1, 2),)
    app.session.write(text="a")
    settled(qtbot, app)
    for shown in (small, large):
        assert not sees(shown, (1, 2)), "of this text, too"


def test_cells_of_a_longer_text_are_no_cells_of_this_one(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app, small, large = painted(qtbot, open_app, core)
    core.go_on.set()
    click_at(large, large.cell_centre(5, 5))
    settled(qtbot, app)
    app.session.write(text="a")
    settled(qtbot, app)
    assert small.accessibleDescription() == "8 of 9 cells are visible"
    QTest.keyClick(large, Qt.Key.Key_Z, CTRL)
    assert small.accessibleDescription() == "8 of 9 cells are visible"
    settled(qtbot, app)
    assert app.store.state.masks[SITE].blocked == ((1, 2),)


def test_a_cell_that_its_kind_hides_too_is_not_shown_as_visible_when_its_paint_is_taken_back(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    app.session.write(text="abcd")
    window = MaskChoice(key="sliding_window", params=(("window", 2),))
    app.session.mask(SITE, replace(window, blocked=((0, 5), (3, 2))))
    settled(qtbot, app)
    app.session.write(text="a" * 6000)
    qtbot.waitUntil(lambda: app.store.state.refused is not None)
    app.session.mask(SITE, window)
    settled(qtbot, app)
    assert app.store.state.old, "no run comes of it"
    small, large = app.window.mask_panel.maps[SITE], mask_editor(qtbot, app).map
    for shown in (small, large):
        assert shown.words_of((0, 5)) == "“[CLS]” (0) may not see “[SEP]” (5)"
        assert "may see" in shown.words_of((3, 2))
        assert shown.accessibleDescription() == "11 of 36 cells are visible"

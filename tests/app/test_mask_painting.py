"""Painting a mask: with a quick pointer, by key, and taking all of it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.running import DROPPED
from app.wiring import App
from core.masks import MaskChoice
from tests.app.driver import Opener, click_at, drag, mask_at, mask_editor, opened_on, settled

SITE = "encoder.self"
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = CTRL | Qt.KeyboardModifier.ShiftModifier


def cells(qtbot: QtBot, app: App) -> tuple[tuple[int, int], ...]:
    settled(qtbot, app)
    return mask_at(app, SITE).blocked


# --- with the pointer -------------------------------------------------------------------------


def test_a_quick_pointer_leaves_no_holes(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcdefgh")
    shown = mask_editor(qtbot, app).map
    drag(shown, *(shown.cell_centre(2, key) for key in (0, 4, 8)))
    assert cells(qtbot, app) == tuple((2, key) for key in range(9))
    drag(shown, shown.cell_centre(5, 1), shown.cell_centre(8, 4))
    assert cells(qtbot, app)[9:] == ((5, 1), (6, 2), (7, 3), (8, 4))


def test_where_the_pointer_is_outside_nothing_is_painted(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcdef")
    shown = mask_editor(qtbot, app).map
    beside = QPointF(2, shown.cell_centre(1, 0).y())
    drag(shown, shown.cell_centre(1, 2), beside, QPointF(2, shown.cell_centre(4, 0).y()))
    assert cells(qtbot, app) == ((1, 0), (1, 1), (1, 2))


@pytest.mark.qt_log_ignore("does not support raise", extend=True)  # a tooltip
def test_a_stroke_ends_where_the_cells_become_those_of_other_tokens(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abcdefgh")
    shown = mask_editor(qtbot, app).map
    drag(shown, shown.cell_centre(2, 0), shown.cell_centre(2, 1), release=False)
    app.session.mask(SITE, MaskChoice(key="local", params=(("window", 4),)))
    assert cells(qtbot, app) == ()
    assert shown.words_of((2, 1)).endswith("(1)")
    assert "painted out" in shown.words_of((2, 1)), "a run of the same text does not end it"
    app.session.write(text="abc")
    settled(qtbot, app)
    QTest.mouseMove(shown, shown.cell_centre(3, 3).toPoint())
    QTest.mouseRelease(shown, Qt.MouseButton.LeftButton, pos=shown.cell_centre(3, 3).toPoint())
    assert cells(qtbot, app) == ()


def test_a_stroke_is_over_when_the_map_goes(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    editor = mask_editor(qtbot, app)
    shown = editor.map
    drag(shown, shown.cell_centre(2, 0), shown.cell_centre(2, 1), release=False)
    editor.hide()
    assert cells(qtbot, app) == ((2, 0), (2, 1))


@pytest.mark.qt_log_ignore("does not support raise", extend=True)  # a tooltip
def test_the_map_stays_as_it_is_while_a_stroke_goes_over_decoded_tokens(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abc", "random:decoder")
    app.session.stepping.choose(max_new_tokens=8)
    app.session.stepping.last()
    settled(qtbot, app)
    app.session.stepping.show(5)
    settled(qtbot, app)
    shown = mask_editor(qtbot, app).map
    there = shown.cell_at(shown.area().bottomRight() - QPointF(1, 1))
    assert there is not None
    last, text = there[0], len(app.store.state.answer.trace.tokens["decoder"])
    assert last >= text
    area, bar = shown.area(), app.window.decoding
    places = [shown.cell_centre(last, key) for key in (0, 1, last)]
    drag(shown, *places, release=False)
    settled(qtbot, app)
    assert shown.area() == area
    assert len(app.store.state.steps) == 8
    assert bar.ending.text() != DROPPED
    QTest.mouseRelease(shown, Qt.MouseButton.LeftButton, pos=places[-1].toPoint())
    qtbot.waitUntil(lambda: app.store.state.answered and not app.store.state.steps)
    settled(qtbot, app)
    painted = mask_at(app, "decoder.self").blocked
    assert painted == tuple((last, key) for key in range(last + 1))
    assert bar.ending.text() == DROPPED
    # It ends where the bar does, once the bar is laid out anew.
    qtbot.waitUntil(lambda: bar.ending.width() == bar.ending.sizeHint().width())
    told = f"But {last + 1} cells are painted out, in every text; all of them lie beyond this one"
    assert told in app.window.mask_panel.explanation.text()
    click_at(shown, shown.cell_centre(1, 0))
    qtbot.waitUntil(lambda: app.store.state.answered)
    assert bar.ending.text() == DROPPED, "another stroke does not make it untrue"
    told = f"But {last + 2} cells are painted out, in every text; {last + 1} of them lie beyond"
    assert told in app.window.mask_panel.explanation.text()
    app.session.stepping.on()
    settled(qtbot, app)
    assert bar.ending.text() == ""


# --- taking back ------------------------------------------------------------------------------


def test_reset_is_taken_back_as_one_step(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcdef")
    panel = app.window.mask_panel
    whole = MaskChoice(
        key="sliding_window",
        params=(("window", 6),),
        also=(MaskChoice(key="no_self"),),
        how="or",
        hide_padding=False,
    )
    app.session.mask(SITE, whole)
    thumbnail = panel.maps[SITE]
    settled(qtbot, app)
    for key in range(4):
        click_at(thumbnail, thumbnail.cell_centre(5, key))
        settled(qtbot, app)
    before = mask_at(app, SITE)
    assert len(before.blocked) == 4
    QTest.mouseClick(panel.clear, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, SITE) == MaskChoice()
    panel.clear.setFocus()
    QTest.keyClick(panel.clear, Qt.Key.Key_Z, CTRL)
    settled(qtbot, app)
    assert mask_at(app, SITE) == before
    assert panel.kind.key == "sliding_window"
    assert panel.second.key == "no_self"
    assert not panel.hide_padding.isChecked()
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, SHIFT)
    settled(qtbot, app)
    assert mask_at(app, SITE) == MaskChoice()
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, CTRL)
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, CTRL)
    assert len(cells(qtbot, app)) == 3, "the last click before Reset"
    assert app.window.prompt.text.toPlainText() == "abcdef"


def test_another_kind_is_taken_back_before_the_strokes_under_it(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    panel = app.window.mask_panel
    click_at(panel.maps[SITE], panel.maps[SITE].cell_centre(1, 0))
    settled(qtbot, app)
    panel.hide_padding.click()
    settled(qtbot, app)
    editor = mask_editor(qtbot, app)
    QTest.mouseClick(editor.undo, Qt.MouseButton.LeftButton)
    assert cells(qtbot, app) == ((1, 0),)
    assert mask_at(app, SITE).hide_padding
    QTest.mouseClick(editor.undo, Qt.MouseButton.LeftButton)
    assert cells(qtbot, app) == ()


def test_the_link_that_clears_is_reached_by_tab(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    panel = app.window.mask_panel
    told = panel.explanation
    assert not told.focusPolicy() & Qt.FocusPolicy.TabFocus, "no link, no stop"
    click_at(panel.maps[SITE], panel.maps[SITE].cell_centre(1, 2))
    assert cells(qtbot, app) == ((1, 2),)
    around = told.parentWidget().parentWidget()
    around.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(around, Qt.Key.Key_Tab)
    assert told.hasFocus()
    QTest.keyClick(told, Qt.Key.Key_Return)
    assert cells(qtbot, app) == ()


# --- by key -----------------------------------------------------------------------------------


def test_cells_are_painted_by_key(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    editor = mask_editor(qtbot, app)
    shown, layer = editor.map, app.store.state.selection.layer
    assert "Space" in " ".join(label.text() for label in editor.findChildren(type(editor.legend)))
    assert shown.focusPolicy() & Qt.FocusPolicy.TabFocus
    editor.undo.setFocus()
    shown.setFocus(Qt.FocusReason.TabFocusReason)
    assert shown.cursor_cell == (0, 0)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up):
        QTest.keyClick(shown, key)
    assert shown.cursor_cell == (1, 1)
    QTest.keyClick(shown, Qt.Key.Key_Space)
    assert cells(qtbot, app) == ((1, 1),)
    QTest.keyClick(shown, Qt.Key.Key_Right)
    QTest.keyClick(shown, Qt.Key.Key_Return)
    assert cells(qtbot, app) == ((1, 1), (1, 2))
    assert editor.isVisible(), "Return paints and closes nothing"
    QTest.keyClick(shown, Qt.Key.Key_Space)
    assert cells(qtbot, app) == ((1, 1),), "and again shows it"
    QTest.keyClick(shown, Qt.Key.Key_Z, CTRL)
    assert cells(qtbot, app) == ((1, 1), (1, 2))
    assert not app.store.state.playing
    assert app.store.state.selection.layer == layer
    for _ in range(9):
        QTest.keyClick(shown, Qt.Key.Key_Left)
    assert shown.cursor_cell == (1, 0)
    editor.close()


def test_the_cell_that_keys_are_about_is_seen(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    shown = mask_editor(qtbot, app).map
    qtbot.waitUntil(shown.hasFocus)
    before = shown.grab().toImage()
    QTest.keyClick(shown, Qt.Key.Key_Right)
    assert shown.grab().toImage() != before
    assert "see" in shown.accessibleDescription()
    click_at(shown, shown.cell_centre(3, 3))
    assert shown.cursor_cell == (3, 3), "keys go on from where the mouse was"


def test_a_cell_hidden_by_the_kind_is_refused_by_key_too(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab", "random:decoder")
    editor = mask_editor(qtbot, app)
    QTest.keyClick(editor.map, Qt.Key.Key_Right)
    QTest.keyClick(editor.map, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert editor.problem.isVisible()
    assert "decoder.self" not in app.store.state.masks


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_return_clicks_only_the_button_it_stands_on(
    qtbot: QtBot, open_app: Opener, key: Qt.Key
) -> None:
    app = opened_on(qtbot, open_app, "ab")
    editor = mask_editor(qtbot, app)
    QTest.keyClick(editor.map, Qt.Key.Key_Space)
    assert cells(qtbot, app) == ((0, 0),)
    editor.undo.setFocus()
    QTest.keyClick(editor.undo, key)
    assert cells(qtbot, app) == ()
    assert editor.isVisible()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.isVisible()


def test_a_second_click_takes_back_before_the_first_was_run(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    editor = mask_editor(qtbot, app)
    where = editor.map.cell_centre(1, 2)
    click_at(editor.map, where)
    click_at(editor.map, where)
    assert cells(qtbot, app) == ()
    for _ in range(3):
        click_at(editor.map, where)
    assert cells(qtbot, app) == ((1, 2),)
    editor.close()


def test_the_editor_goes_with_its_attention(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    settled(qtbot, app)
    app.window.mask_panel.buttons["decoder.cross"].click()
    editor = mask_editor(qtbot, app)
    assert editor.site == "decoder.cross"
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: not editor.isVisible(), timeout=20_000)
    settled(qtbot, app)
    assert set(app.store.state.masks) <= {"decoder.self"}
    assert app.store.state.answered

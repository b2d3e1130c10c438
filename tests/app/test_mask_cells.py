"""Cells painted out of a mask, and how that is undone and cleared."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.app.choosing import choose
from tests.app.driver import (
    Opener,
    click_at,
    drag,
    heatmap,
    mask_at,
    mask_editor,
    opened_on,
    settled,
    type_text,
)


def test_a_cell_painted_in_the_thumbnail_is_hidden(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab")
    thumbnail = app.window.mask_panel.maps["encoder.self"]
    click_at(thumbnail, thumbnail.cell_centre(1, 2))
    settled(qtbot, app)
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert [tuple(cell) for cell in zip(*hidden.nonzero(), strict=True)] == [(1, 2)]
    assert heatmap(app).values[1, 2] == 0
    click_at(thumbnail, thumbnail.cell_centre(1, 2))
    settled(qtbot, app)
    hidden = heatmap(app).hidden
    assert hidden is None or not hidden.any()


def test_the_large_mask_editor_paints_too(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab")
    editor = mask_editor(qtbot, app)
    click_at(editor.map, editor.map.cell_centre(3, 0))
    settled(qtbot, app)
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert hidden[3, 0]
    QTest.mouseClick(app.window.mask_panel.clear, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ()
    editor.close()


def test_painting_is_undone_stroke_by_stroke_and_cleared_at_once(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    panel = app.window.mask_panel
    thumbnail = panel.maps["encoder.self"]

    def blocked() -> set[tuple[int, int]]:
        settled(qtbot, app)
        return set(mask_at(app, "encoder.self").blocked)

    drag(thumbnail, *(thumbnail.cell_centre(1, key) for key in (2, 3, 4)))
    stroke = blocked()
    assert stroke == {(1, 2), (1, 3), (1, 4)}
    click_at(thumbnail, thumbnail.cell_centre(1, 3))  # shown again
    assert blocked() == {(1, 2), (1, 4)}
    assert panel.edit.text() == "2 painted…"
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == stroke
    assert app.window.prompt.text.toPlainText() == "abcd"
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == set()
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == set()
    assert panel.edit.text() == "Paint…"
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, shift)
    assert blocked() == stroke
    QTest.keyClick(thumbnail, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == {(1, 2), (1, 4)}
    QTest.keyClick(thumbnail, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == {(1, 2), (1, 4)}, "there is no more"
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == stroke
    click_at(thumbnail, thumbnail.cell_centre(2, 2))
    QTest.keyClick(thumbnail, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == stroke | {(2, 2)}, "a new stroke ends what could be done again"


def test_painted_cells_are_cleared_without_the_kind_of_mask(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    panel = app.window.mask_panel
    choose(qtbot, app, panel.kind.combo, "causal")
    thumbnail = panel.maps["encoder.self"]
    click_at(thumbnail, thumbnail.cell_centre(3, 1))
    settled(qtbot, app)
    type_text(app, "ab")
    settled(qtbot, app)
    told = panel.explanation.text()
    assert "But 1 cell is painted out, in every text" in told
    QTest.mouseClick(panel.edit, Qt.MouseButton.LeftButton)
    editor = panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    assert editor.undo.isEnabled()
    QTest.mouseClick(editor.clear, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    choice = mask_at(app, "encoder.self")
    assert (choice.key, choice.blocked) == ("causal", ())
    assert not editor.clear.isEnabled()
    assert not editor.redo.isEnabled()
    QTest.mouseClick(editor.undo, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ((3, 1),)
    QTest.mouseClick(editor.redo, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ()
    QTest.mouseClick(editor.undo, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    editor.close()
    panel.explanation.linkActivated.emit("clear")
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ()
    assert "painted" not in panel.explanation.text()


def test_the_editor_undoes_by_key_wherever_its_focus_is(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    app.window.mask_panel.edit.click()
    editor = app.window.mask_panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    for key in (1, 2, 3):
        click_at(editor.map, editor.map.cell_centre(1, key))
        settled(qtbot, app)
    for focus in (editor.map, editor.undo, editor.clear):
        count = len(mask_at(app, "encoder.self").blocked)
        focus.setFocus()
        QTest.keyClick(focus, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settled(qtbot, app)
        assert len(mask_at(app, "encoder.self").blocked) == count - 1
    assert app.window.prompt.text.toPlainText() == "abcd"
    editor.close()

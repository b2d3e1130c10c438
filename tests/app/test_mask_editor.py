"""The large mask: where it opens, and why a cell cannot be painted."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, click_at, mask_editor, opened_on, settled


def test_the_editor_leaves_the_picture_in_sight_and_explains_its_colours(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.window.mask_panel.edit.click()
    editor = app.window.mask_panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    picture = app.window.pictures
    covered = editor.frameGeometry().right() - picture.mapToGlobal(QPoint(0, 0)).x()
    assert covered < 0.1 * picture.width()
    lists = app.window.predictions
    assert editor.frameGeometry().right() < lists.mapToGlobal(QPoint(0, 0)).x()
    assert app.window.frameGeometry().contains(editor.frameGeometry().center())
    editor.move(30, 40)
    editor.close()
    app.window.mask_panel.edit.click()
    assert editor.pos() == QPoint(30, 40)
    theme = app.window.theme
    assert theme is not None
    for colour in (theme.lines[0], theme.hatch_line, theme.accent):
        assert colour in editor.legend.text()
    editor.close()


def test_the_editor_says_itself_why_a_cell_is_hidden_already(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "ab", "random:decoder")
    editor = mask_editor(qtbot, app)
    painted = editor.map.geometry()
    click_at(editor.map, editor.map.cell_centre(0, 1))
    assert editor.problem.isVisible()
    assert "hides this cell already" in editor.problem.text()
    assert app.store.state.problem is None
    qtbot.wait(20)
    assert editor.map.geometry() == painted, "the cells moved"
    click_at(editor.map, editor.map.cell_centre(1, 0))
    settled(qtbot, app)
    assert not editor.problem.isVisible()
    click_at(editor.map, editor.map.cell_centre(0, 1))
    editor.close()
    editor.show()
    assert not editor.problem.isVisible()
    editor.close()


def test_the_panel_says_itself_why_a_cell_is_hidden_already(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab", "random:decoder")
    panel = app.window.mask_panel
    shown, before = panel.maps["decoder.self"], panel.explanation.text()
    click_at(shown, shown.cell_centre(0, 1))
    assert "hides this cell already" in panel.explanation.text()
    assert app.window.theme is not None
    assert app.window.theme.warning in panel.explanation.styleSheet()
    assert app.store.state.problem is None
    assert not app.window.prompt.problem.text()
    app.store.select(layer=1)
    assert panel.explanation.text() == before
    assert app.window.theme.muted in panel.explanation.styleSheet()
    click_at(shown, shown.cell_centre(0, 1))
    click_at(shown, shown.cell_centre(1, 0))
    settled(qtbot, app)
    assert "hides this cell already" not in panel.explanation.text()

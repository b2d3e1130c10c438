"""What the Predictions dock has in sight: its top, or the word that was asked for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import Opener, settled


def top(app: App) -> int:
    """Pixels of the lists that are scrolled out of sight."""
    return app.window.predictions._scroll.verticalScrollBar().value()


def scroll(qtbot: QtBot, app: App) -> None:
    app.window.predictions._scroll.verticalScrollBar().setValue(60)
    qtbot.waitUntil(lambda: top(app) == 60)


def still(qtbot: QtBot, app: App) -> None:
    settled(qtbot, app)
    qtbot.waitUntil(lambda: not app.window.predictions._timer.isActive())
    qtbot.wait(20)


def test_another_text_or_model_begins_at_the_top(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    still(qtbot, app)
    scroll(qtbot, app)
    app.session.stepping.on()
    still(qtbot, app)
    assert top(app) == 60, "a step is of the same text"
    app.session.write(text="another")
    still(qtbot, app)
    assert top(app) == 0
    scroll(qtbot, app)
    app.session.opening.open("random:encoder-decoder")
    qtbot.waitUntil(lambda: app.store.state.model.source == "random:encoder-decoder")
    still(qtbot, app)
    assert top(app) == 0


def test_a_word_asked_for_comes_in_sight(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    still(qtbot, app)
    assert top(app) == 0
    asked = app.window.predictions.asked
    asked.field.setText("qx")
    asked.field.returnPressed.emit()
    still(qtbot, app)
    assert asked.said.text().endswith("takes several tokens; shown is the first, “q”.")
    figure = app.window.predictions.figure
    assert figure is not None
    last = figure.page.placed[0].drawing
    shown = app.window.predictions._scroll.viewport().height()
    (row,) = (i for i, bar in enumerate(last.panel.bars) if bar.label == "q")  # type: ignore[attr-defined]
    y = next(y for y in range(figure.height()) if (h := last.at(150, y)) and h.row == row)
    assert top(app) <= y < top(app) + shown
    assert top(app) > 0


def test_the_top_comes_back_when_no_word_is_asked_for_any_more(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    still(qtbot, app)
    asked = app.window.predictions.asked
    asked.field.setText("q")
    asked.field.returnPressed.emit()
    still(qtbot, app)
    assert top(app) > 0
    asked.field.clear()
    asked.field.returnPressed.emit()
    still(qtbot, app)
    assert top(app) == 0


def test_tab_goes_through_the_list_and_leaves_it_where_it_is(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    still(qtbot, app)
    panel = app.window.predictions
    assert panel._scroll.verticalScrollBar().maximum() > 0
    panel.asked.field.setFocus()
    for _ in range(6):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if QApplication.focusWidget() is panel.figure:
            break
    assert QApplication.focusWidget() is panel.figure
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Backtab):
        qtbot.keyClick(QApplication.focusWidget(), key)
        still(qtbot, app)
        assert top(app) == 0

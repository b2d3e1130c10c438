"""How tests drive the window: type, click, wait, look."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.engine import Engine
from app.figure import Heatmap
from app.panels.chips import TokenChips
from app.panels.mask_editor import MaskEditor
from app.wiring import App

if TYPE_CHECKING:
    from app.render.widget import FigureWidget
    from core.loaded import LoadedModel
    from core.masks import MaskChoice

Opener = Callable[..., App]


@cache
def loaded(source: str) -> LoadedModel:
    from core import load_model

    return load_model(source)


class QuickCore(Engine):
    """The real core; a random model is made once for all tests."""

    def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        if source.startswith("random:"):
            return loaded(source)
        return super().load(source, device, report, stop)


def settled(qtbot: QtBot, app: App) -> None:
    """Wait until nothing runs and what is in front shows the newest state."""

    def still() -> bool:
        state = app.store.state
        return (
            state.busy is None
            and not app.window.pictures.pending
            and (state.answer is None or state.old or state.answer.inputs == state.inputs)
        )

    qtbot.waitUntil(still, timeout=20_000)


def heatmap(app: App) -> Heatmap:
    """The map in front."""
    panel = app.window.pictures.figure.panels[0]
    assert isinstance(panel, Heatmap)
    return panel


def labels(app: App) -> list[str]:
    """What the chips of the text read."""
    return [chip.label for chip in app.window.prompt.chips.chips]


def type_text(app: App, text: str) -> None:
    """Replace the text, key by key."""
    editor = app.window.prompt.text
    editor.setFocus()
    QTest.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(editor, text)


def opened_on(qtbot: QtBot, open_app: Opener, text: str, source: str = "random:encoder") -> App:
    """The window on a model that has read a text."""
    app = open_app(source)
    type_text(app, text)
    settled(qtbot, app)
    return app


def click_at(widget: QWidget, point: QPointF) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=point.toPoint())


def click_chip(chips: TokenChips, index: int) -> None:
    click_at(chips, chips.box(index).center())


def go_to(qtbot: QtBot, app: App, view: str) -> None:
    """To a view: to its group, and there by its number key."""
    abilities = app.store.state.abilities
    assert abilities is not None
    app.session.leafing.turn_to(next(v.group for v in abilities.views if v.key == view))
    settled(qtbot, app)
    press(app, Qt.Key(Qt.Key.Key_1.value + app.window.pictures.tabs.shown.index(view)))
    settled(qtbot, app)


def press(app: App, key: Qt.Key, *, shift: bool = False) -> None:
    """A key while the picture has the focus."""
    widget = app.window.pictures.widgets[app.store.state.view]
    widget.setFocus()
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(widget, key, modifier)


def mask_at(app: App, site: str) -> MaskChoice:
    """What an attention site is told to obey; by default the model's own mask."""
    from core.masks import MaskChoice

    return app.store.state.masks.get(site, MaskChoice())


def mask_editor(qtbot: QtBot, app: App) -> MaskEditor:
    """The mask large, opened by its button."""
    click_at(app.window.mask_panel.edit, QPointF(app.window.mask_panel.edit.rect().center()))
    editor = app.window.mask_panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    return editor


def drag(shown: QWidget, *points: QPointF, release: bool = True) -> None:
    """Press at the first point; the pointer is then seen at the others only."""
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(shown, left, pos=points[0].toPoint())
    for point in points[1:]:
        QTest.mouseMove(shown, point.toPoint())
    if release:
        QTest.mouseRelease(shown, left, pos=points[-1].toPoint())


def find(widget: FigureWidget, **picks: int) -> QPointF:
    """A point of the picture whose click picks exactly this."""
    for y in range(0, widget.height(), 4):
        for x in range(0, widget.width(), 4):
            found = widget.page.at(x, y)
            if found is not None and dict(found[1].picks) == picks:
                return QPointF(x, y)
    raise AssertionError(f"nothing in the picture picks {picks}")


def front(app: App) -> FigureWidget:
    return app.window.pictures.widgets[app.store.state.view]

"""The view in front draws, on every architecture, and panels without room are a page further."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, click_at, front, go_to, press, settled, type_text


def test_only_the_view_in_front_draws(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    drawn: list[str] = []
    app.window.pictures.drawn.connect(drawn.append)
    type_text(app, "abc")
    settled(qtbot, app)
    assert set(drawn) == {"attention"}
    go_to(qtbot, app, "hidden_states")
    assert drawn[-1] == "hidden_states"


@pytest.mark.parametrize("source", ["random:encoder", "random:decoder", "random:encoder-decoder"])
def test_every_view_draws_on_every_architecture(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = open_app(source)
    for key in app.window.pictures.keys:
        app.session.look_at(key)
        settled(qtbot, app)
        assert app.store.state.problem is None, key
        assert app.window.pictures.figure.title, key


def test_panels_without_room_are_a_page_further(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    go_to(qtbot, app, "inside_head")
    widget = front(app)
    widget.setFixedSize(500, 260)
    settled(qtbot, app)
    more, seen = widget.page.more, set()
    assert more is not None
    for _ in widget.page.layout.rows:
        layout = widget.page.layout
        seen |= {panel for panel in range(len(layout.boxes)) if layout.shows(panel)}
        click_at(widget, QPointF(more.x + 20, more.y + 10))
    assert seen == set(range(len(widget.figure.panels)))
    assert widget.page.layout.first == 0
    press(app, Qt.Key.Key_PageDown)
    assert widget.page.layout.first > 0
    press(app, Qt.Key.Key_PageUp)
    assert widget.page.layout.first == 0

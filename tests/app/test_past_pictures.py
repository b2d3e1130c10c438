"""A picture that stays in front while the one of another text is prepared takes no clicks."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from app.panels.nothing_read import PREPARING, UNPREPARED
from app.wiring import App
from tests.app.driver import Opener, click_at, find, front, go_to, settled, type_text
from tests.app.test_decoding import step
from tests.app.test_preparing import held


def in_front(qtbot: QtBot, open_app: Opener, view: str) -> App:
    """A dear picture of a long text, in front of the one of a short text that was just read."""
    app = open_app("random:decoder")
    type_text(app, "a long text")
    go_to(qtbot, app, view)
    return app


def reads(qtbot: QtBot, app: App, text: str) -> None:
    type_text(app, text)
    answer = lambda: app.store.state.answer  # noqa: E731
    qtbot.waitUntil(lambda: answer().inputs.text == text)
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))


def of_bar(app: App, row: int) -> QPointF:
    """A point of a bar of the next token's list."""
    last = len(app.store.state.trace.tokens["decoder"]) - 1
    bar = app.window.pictures.figure.panels[0].bars[row]
    return find(front(app), token=bar.token, position=last)


def test_no_token_of_the_text_before_is_taken(qtbot: QtBot, open_app: Opener) -> None:
    app = in_front(qtbot, open_app, "predictions")
    spot = of_bar(app, 3)
    go_on = held(app, "predictions")
    reads(qtbot, app, "ab")
    shown = front(app)
    assert shown.isVisible() and app.window.pictures.figure is None
    click_at(shown, spot)
    go_on.set()
    settled(qtbot, app)
    assert not app.store.state.steps
    click_at(shown, of_bar(app, 6))  # the same again were a double click
    qtbot.waitUntil(lambda: bool(app.store.state.steps))
    settled(qtbot, app)


def test_no_place_of_the_text_before_is_pinned(qtbot: QtBot, open_app: Opener) -> None:
    app = in_front(qtbot, open_app, "attention")
    spot = find(front(app), query=9, key=3)
    go_on = held(app, "attention")
    reads(qtbot, app, "ab")
    before = app.store.state.selection
    click_at(front(app), spot)
    assert app.store.state.selection == before
    go_on.set()
    settled(qtbot, app)
    assert app.window.pictures.figure is not None


def test_a_place_that_a_further_token_leaves_where_it_is_is_pinned(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = in_front(qtbot, open_app, "attention")
    step(qtbot, app, 1)
    spot = find(front(app), query=9, key=3)
    go_on = held(app, "attention")
    app.session.stepping.on()
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 2)
    click_at(front(app), spot)
    assert app.store.state.selection.query == 9
    go_on.set()
    settled(qtbot, app)


def test_a_page_whose_picture_is_about_to_be_drawn_does_not_say_that_it_was_given_up(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app(wait=False)
    page, said = app.window.pictures.waiting, set[str]()
    app.store.changed.connect(lambda _: said.add(page.text() if page.isVisible() else ""))
    qtbot.waitUntil(lambda: app.store.state.answer is not None, timeout=30_000)
    settled(qtbot, app)
    assert PREPARING in said
    assert UNPREPARED not in said

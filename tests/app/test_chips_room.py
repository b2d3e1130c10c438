"""The tokens of the text have the room that there is."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.wiring import App
from tests.app.driver import Opener, settled


def reads(qtbot: QtBot, app: App, letters: int) -> None:
    app.session.write(text="a" * letters)
    settled(qtbot, app)


def all_in_sight(app: App) -> bool:
    prompt = app.window.prompt
    return prompt._chips_area.viewport().height() >= prompt.chips.minimumHeight()


def test_more_tokens_take_the_room_that_the_mask_below_has_no_need_of(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    own, below = app.window.docks[:2]
    before, height = own.height(), app.window.height()
    letters = 16
    while all_in_sight(app) and own.height() == before:
        reads(qtbot, app, letters)
        qtbot.wait(20)
        letters += 8
    qtbot.waitUntil(lambda: own.height() > before)
    qtbot.waitUntil(lambda: all_in_sight(app))
    reads(qtbot, app, 300)
    qtbot.waitUntil(lambda: below.room.spare == 0)
    assert not all_in_sight(app), "beyond that they scroll"
    assert app.window.height() == height

"""Fewer tokens are asked for than there are."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, settled
from tests.app.test_decoding import step


def test_none_is_added_until_more_are_wanted(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    bar = app.window.decoding
    step(qtbot, app, 6)
    bar.choices.most.setValue(3)
    assert not bar.buttons["step"].isEnabled()
    assert bar.ending.text() == "There are 6 tokens already; raise “At most” to go on."
    app.session.stepping.on()
    settled(qtbot, app)
    assert len(app.store.state.steps) == 6
    bar.choices.most.setValue(7)
    assert bar.ending.text() == ""
    step(qtbot, app, 1)
    assert bar.ending.text() == "Ended at 7 tokens; raise “At most” to go on."

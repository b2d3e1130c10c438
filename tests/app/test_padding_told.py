"""What is said of padding holds: also where there is none."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, opened_on, settled


def test_a_text_too_long_for_its_padding(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "some words")
    said = app.window.prompt.unknown
    count = len(app.store.state.trace.tokens["encoder"])
    app.window.prompt.pad_to.setValue(count - 2)
    settled(qtbot, app)
    assert not any(app.store.state.trace.tokens["encoder"].padding)
    assert said.text().startswith(f"Nothing is padded to {count - 2}: ")
    assert said.text().endswith(f"takes {count} tokens.")
    assert said.isVisible()
    for length in (count + 2, 0):
        app.window.prompt.pad_to.setValue(length)
        settled(qtbot, app)
        assert not said.isVisible()


def test_padding_that_is_not_there_is_not_said_to_be_seen(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab")
    told = app.window.mask_panel.explanation
    app.window.mask_panel.hide_padding.click()
    settled(qtbot, app)
    assert "Padding would be seen, but there is none." in told.text()
    app.window.prompt.pad_to.setValue(8)
    settled(qtbot, app)
    assert "Padding is seen; where distance counts" in told.text()

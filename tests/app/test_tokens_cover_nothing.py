"""Tokens that come cover nothing that stands below them, not even for a moment."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, settled


def test_the_note_of_unknown_words_moves_with_the_tokens(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("builtin:encoder")
    app.session.write(text="书 the")
    settled(qtbot, app)
    prompt = app.window.prompt
    qtbot.waitUntil(prompt.unknown.isVisible)
    lines = prompt.chips.minimumHeight()
    seen: list[int] = []

    def look(names: frozenset[str]) -> None:
        if "answer" in names:  # before anything is painted or laid out by itself
            seen.append(prompt.unknown.geometry().top() - prompt._chips_area.geometry().bottom())

    app.store.changed.connect(look)
    app.session.write(text="书 the cat sat on the mat. " * 4)
    settled(qtbot, app)
    assert prompt.chips.minimumHeight() > lines
    assert seen and all(between > 0 for between in seen)

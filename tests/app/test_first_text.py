"""The text that stands there before a model does: no one wrote it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, settled
from tests.app.test_starting import Held, let_go


def test_undo_does_not_lead_to_the_text_of_an_architecture_that_never_was_there(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("builtin:decoder")
    editor = app.window.prompt.text
    assert editor.toPlainText() == "Once upon a time"
    assert not editor.document().isUndoAvailable()
    app.window.menus.editing.enable()
    assert not app.window.menus.editing.actions["undo"].isEnabled()


def test_undo_does_not_lead_to_the_text_of_a_kind_that_was_given_up_before_the_core_came(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Held()
    app = open_app("random:encoder", core=core, wait=False)
    app.session.opening.choose_architecture("decoder")
    let_go(qtbot, app, core)
    editor = app.window.prompt.text
    assert app.store.state.model.spec.architecture == "decoder"
    assert not editor.document().isUndoAvailable()


def test_an_example_is_still_undone(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("builtin:decoder")
    app.session.write(text="Shown from outside.")
    settled(qtbot, app)
    app.window.prompt.text.undo()
    assert app.store.state.inputs.text == "Once upon a time"


def test_what_a_person_wrote_early_is_undone_word_by_word(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("builtin:decoder", core=core, wait=False)
    qtbot.keyClicks(app.window.prompt.text, "x")
    written = app.window.prompt.text.toPlainText()
    let_go(qtbot, app, core)
    assert app.window.prompt.text.toPlainText() == written
    assert app.window.prompt.text.document().isUndoAvailable()


def test_a_line_that_is_shown_begins_at_its_beginning(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("builtin:translator")
    target = app.window.prompt.target
    app.session.write(target="A line that is far too long for the field it stands in. " * 4)
    settled(qtbot, app)
    assert target.horizontalScrollBar().maximum() > 0
    assert target.horizontalScrollBar().value() == 0

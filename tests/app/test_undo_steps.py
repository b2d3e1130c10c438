"""What is put in from outside and what is typed behind it are two steps for undo."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.panels.editor import Editor


@pytest.fixture
def editor(qtbot: QtBot) -> Editor:
    made = Editor("Text", "", lines=2)
    qtbot.addWidget(made)
    made.turn_to("encoder")
    made.show_text("The cat")
    return made


def test_typing_behind_an_example(qtbot: QtBot, editor: Editor) -> None:
    editor.show_text("Example.")
    qtbot.keyClicks(editor, " big dog")
    editor.undo()
    assert editor.toPlainText() == "Example."
    editor.undo()
    assert editor.toPlainText() == "The cat"
    editor.redo()
    editor.redo()
    assert editor.toPlainText() == "Example. big dog"


def test_typing_behind_a_masked_word(qtbot: QtBot, editor: Editor) -> None:
    editor.mask_word(4, 7, "[MASK]")
    qtbot.keyClicks(editor, " sat")
    editor.undo()
    assert editor.toPlainText() == "The [MASK]"
    assert editor.unmask_word(4, 10)
    assert editor.toPlainText() == "The cat"


def test_typing_behind_a_word_that_came_back(qtbot: QtBot, editor: Editor) -> None:
    editor.mask_word(4, 7, "[MASK]")
    assert editor.unmask_word(4, 10)
    qtbot.keyClicks(editor, "s")
    editor.undo()
    assert editor.toPlainText() == "The cat"


def test_letters_typed_one_after_another_are_one_step(qtbot: QtBot, editor: Editor) -> None:
    qtbot.keyClicks(editor, " sat")
    editor.undo()
    assert editor.toPlainText() == "The cat"

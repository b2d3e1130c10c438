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


def test_a_mask_that_undo_and_redo_brought_back_still_stands_for_its_word(
    qtbot: QtBot, editor: Editor
) -> None:
    editor.mask_word(0, 3, "[MASK]")
    editor.mask_word(7, 10, "[MASK]")
    for _ in range(2):
        editor.undo()
    assert editor.toPlainText() == "The cat"
    for _ in range(2):
        editor.redo()
    assert editor.toPlainText() == "[MASK] [MASK]"
    assert editor.unmask_word(7, 13)
    assert editor.unmask_word(0, 6)
    assert editor.toPlainText() == "The cat"


def test_a_mask_that_came_back_behind_its_word_still_stands_for_it(
    qtbot: QtBot, editor: Editor
) -> None:
    editor.mask_word(4, 7, "[MASK]")
    assert editor.unmask_word(4, 10)
    editor.undo()
    assert editor.toPlainText() == "The [MASK]"
    qtbot.keyClicks(editor, ".")
    assert editor.unmask_word(4, 10)
    assert editor.toPlainText() == "The cat."


def test_a_mask_typed_by_hand_stands_for_no_word(qtbot: QtBot, editor: Editor) -> None:
    editor.mask_word(4, 7, "[MASK]")
    qtbot.keyClicks(editor, " [MASK]")
    assert not editor.unmask_word(11, 17)
    assert editor.unmask_word(4, 10)
    assert editor.toPlainText() == "The cat [MASK]"

"""When the text of an example gives way to another one, and when it comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.examples import Example, read, still_of
from tests.app.driver import Opener, settled, type_text

EXAMPLES = read()
PAIRED = Example(
    title="It follows",
    model="random:encoder",
    text="Tom was very hungry.",
    pair="He ate some bread and cheese.",
    note="The head says that the second follows. With “Paris is far.” it says “random”.",
)


def begun(title: str) -> Example:
    return next(example for example in EXAMPLES if example.title.startswith(title))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Next sentence", "The train to London was late again."),
        ("Next sentence", "It is not the end of the world."),
        ("Next sentence", "Is this a joke?"),
        ("The other way", "The president gave a speech in the city."),
        ("The other way", "It is cold today."),
        ("The other way", "<2zh>Where is the station?"),
    ],
)
def test_words_that_any_text_has_do_not_make_it_the_examples(title: str, text: str) -> None:
    assert not still_of(begun(title), Inputs(text=text))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Masked word: he or she", "Mary said that [MASK] was tired."),
        ("Masked word: he or she", "Ma said that [MASK] was tired."),
        ("Word sense: bank is", "He went to the bank to get some [MASK]."),
        ("Word sense: bank is", "He went to the bank to get so"),
        ("Classification from [CLS]: neg", "I love this movie."),
        ("A pronoun", "Mary saw Tom, and he was happy."),
        ("The other way", "<2zh>I love machine learning."),
    ],
)
def test_what_a_note_asks_for_is_the_examples(title: str, text: str) -> None:
    assert still_of(begun(title), Inputs(text=text))


def test_only_the_last_word_may_be_begun() -> None:
    assert still_of(PAIRED, Inputs(text="Tom wa"))
    assert not still_of(PAIRED, Inputs(text="To wa he"))


def test_characters_of_chinese_are_words() -> None:
    chinese = replace(PAIRED, text="我爱AI。", pair="", note="")
    assert still_of(chinese, Inputs(text="我爱它。"))
    assert not still_of(chinese, Inputs(text="我恨它。"))


def test_its_very_text_brings_it_back_with_what_stood_beside_it(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    app.window.show_example(PAIRED)
    settled(qtbot, app)
    type_text(app, "Zebras graze quietly")
    settled(qtbot, app)
    assert app.store.state.answer.inputs == Inputs(text="Zebras graze quietly")
    editor = app.window.prompt.text
    while editor.toPlainText() != PAIRED.text:
        assert editor.document().isUndoAvailable()
        QTest.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settled(qtbot, app)
    state = app.store.state
    assert (state.example, state.note) == (PAIRED, PAIRED.note)
    assert state.answer.inputs == PAIRED.inputs
    assert app.window.prompt.pair.toPlainText() == PAIRED.pair


def test_what_was_written_beside_the_text_meanwhile_stays(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    app.window.show_example(PAIRED)
    settled(qtbot, app)
    app.session.write(text="Zebras graze quietly")
    app.session.write(pair="My own one.")
    app.session.write(text=PAIRED.text)
    settled(qtbot, app)
    assert app.store.state.example == PAIRED
    assert app.store.state.inputs.pair == "My own one."


def test_once_dismissed_it_does_not_come_back(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    for text in ("Zebras graze quietly", PAIRED.text):
        app.window.show_example(PAIRED)
        app.session.write(text=text)
    app.session.write(text=f"{PAIRED.text} Very")
    app.session.dismiss()
    app.session.write(text=PAIRED.text)
    settled(qtbot, app)
    assert app.store.state.example is None

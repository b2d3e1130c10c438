"""Typing into the real window: every picture follows the text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.choices import Architecture
from tests.app.driver import Opener, heatmap, labels, settled, type_text


def test_each_typed_text_is_tokenised_run_and_drawn(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "a dog")
    settled(qtbot, app)
    assert labels(app) == ["[CLS]", "a", "·", "d", "o", "g", "[SEP]"]
    assert heatmap(app).values.shape == (7, 7)
    assert heatmap(app).rows.labels == tuple(labels(app))


def test_the_picture_shows_the_models_own_weights(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "two birds")
    settled(qtbot, app)
    trace = app.store.state.answer.trace
    expected = trace.pattern("encoder.self", 0, 0).numpy()
    assert (heatmap(app).values == expected).all()


def test_a_pair_gives_a_second_segment(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "one")
    QTest.keyClicks(app.window.prompt.pair, "two")
    settled(qtbot, app)
    chips = app.window.prompt.chips.chips
    assert [chip.label for chip in chips if chip.segment_b] == ["t", "w", "o"]


def test_the_target_of_an_encoder_decoder(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    assert app.window.prompt.target.isVisible()
    assert not app.window.prompt.pair.isVisible()
    QTest.keyClicks(app.window.prompt.target, "ab")
    settled(qtbot, app)
    shown = [chip.label for chip in app.window.prompt.target_chips.chips]
    assert shown[0] == "[CLS]"
    assert shown[-2:] == ["a", "b"]
    assert app.store.state.answer.trace.pattern("decoder.cross", 0).shape[1] == len(shown)


def test_padding_to_a_length_on_either_side(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "ab")
    app.window.prompt.pad_to.setValue(6)
    settled(qtbot, app)
    kinds = [chip.kind for chip in app.window.prompt.chips.chips]
    assert kinds == ["special", "word", "word", "special", "padding", "padding"]
    side = app.window.prompt.pad_side
    side.setFocus()
    QTest.keyClick(side, Qt.Key.Key_Down)
    settled(qtbot, app)
    kinds = [chip.kind for chip in app.window.prompt.chips.chips]
    assert kinds == ["padding", "padding", "special", "word", "word", "special"]
    assert app.store.state.answer.trace.tokens["encoder"].positions == (None, None, 0, 1, 2, 3)


def test_special_tokens_can_be_left_out(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "ab")
    QTest.mouseClick(app.window.prompt.special, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert labels(app) == ["a", "b"]


def test_a_character_of_several_tokens_lights_up_as_one(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.prompt.text.setPlainText("a 😀!")
    settled(qtbot, app)
    assert labels(app) == ["[CLS]", "a", "·", "😀 1/4", "😀 2/4", "😀 3/4", "😀 4/4", "!", "[SEP]"]
    groups = [chip.group for chip in app.window.prompt.chips.chips]
    assert len(set(groups[3:7])) == 1
    assert len(set(groups)) == 6


def test_raw_labels_on_request(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "a b")
    settled(qtbot, app)
    app.window.menus.raw.trigger()
    settled(qtbot, app)
    assert labels(app) == ["[CLS]", "a", "Ġ", "b", "[SEP]"]
    assert heatmap(app).rows.labels == tuple(labels(app))


@pytest.mark.parametrize(
    ("source", "name"), [("random:encoder", "pair"), ("random:encoder-decoder", "target")]
)
def test_a_box_of_one_line_holds_one_line(
    qtbot: QtBot, open_app: Opener, source: str, name: str
) -> None:
    app = open_app(source)
    box = getattr(app.window.prompt, name)
    box.setFocus()
    QTest.keyClicks(box, "ab")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(box, key)
        QTest.keyClick(box, key, Qt.KeyboardModifier.ShiftModifier)
    settled(qtbot, app)
    assert getattr(app.store.state.inputs, name) == "ab"
    QApplication.clipboard().setText(" c\r\nd\ne\u2028f\n")
    box.paste()
    settled(qtbot, app)
    assert getattr(app.store.state.answer.inputs, name) == "ab c d e f"


@pytest.mark.parametrize("source", ["builtin:encoder", "random:encoder-decoder"])
def test_what_one_writes_in_keeps_its_place(qtbot: QtBot, open_app: Opener, source: str) -> None:
    app = open_app(source)
    prompt = app.window.prompt
    kept = (prompt.text, prompt.pair, prompt.target, prompt.pad_to, prompt.special)

    def places() -> list[QPoint]:
        qtbot.wait(20)
        return [one.mapTo(prompt, QPoint(0, 0)) for one in kept if one.isVisible()]

    before = places()
    chips = prompt.chips.minimumHeight()
    for text in ("", "书", "<mask> and 😀", "the cat " * 20, "a" * 3000):
        prompt.text.setPlainText(text)
        settled(qtbot, app)
        assert places() == before, text[:20]
        if text.startswith("the cat"):
            assert prompt.chips.minimumHeight() > 3 * chips / 2, "they did wrap"


def test_the_text_itself_may_have_lines(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    type_text(app, "a")
    QTest.keyClick(app.window.prompt.text, Qt.Key.Key_Return)
    QTest.keyClicks(app.window.prompt.text, "b")
    settled(qtbot, app)
    assert app.store.state.answer.inputs.text == "a\nb"


def test_a_text_from_elsewhere_can_be_undone(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "my own words")
    settled(qtbot, app)
    editor = app.window.prompt.text
    app.session.write(text="an example")
    settled(qtbot, app)
    assert editor.toPlainText() == "an example"
    editor.setFocus()
    QTest.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settled(qtbot, app)
    assert editor.toPlainText() == "my own words"
    assert app.store.state.inputs.text == "my own words"
    QTest.keyClick(
        editor,
        Qt.Key.Key_Z,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    settled(qtbot, app)
    assert app.store.state.inputs.text == "an example"


def test_undo_never_leads_to_the_text_of_another_architecture(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    text = app.window.prompt.text
    type_text(app, "a dog")
    settled(qtbot, app)

    def switch(architecture: Architecture) -> None:
        app.window.header.architectures[architecture].click()
        qtbot.waitUntil(
            lambda: app.store.state.model.spec.architecture == architecture, timeout=20_000
        )
        settled(qtbot, app)

    switch("decoder")
    own = text.toPlainText()
    text.undo()
    assert text.toPlainText() == own
    type_text(app, "a bird")
    settled(qtbot, app)
    switch("encoder")
    assert text.toPlainText() == "a dog"
    while text.document().isUndoAvailable():
        text.undo()
        assert text.toPlainText() in "a dog" or "[MASK]" in text.toPlainText()
    settled(qtbot, app)
    assert app.store.state.inputs.text == text.toPlainText()
    while text.document().isRedoAvailable():
        text.redo()
    switch("decoder")
    assert text.toPlainText() == "a bird"
    text.undo()
    settled(qtbot, app)
    assert app.store.state.inputs.text in ("a bir", "", own)

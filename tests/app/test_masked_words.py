"""Words masked by clicking a chip, and brought back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.panels.token_chips import word_around
from tests.app.driver import (
    Opener,
    click_chip,
    labels,
    opened_on,
    settled,
)


def test_a_click_masks_the_whole_word_and_another_brings_it_back(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "the cat sat")
    click_chip(app.window.prompt.chips, 6)  # the a of cat
    settled(qtbot, app)
    assert app.window.prompt.text.toPlainText() == "the [MASK] sat"
    masked = [i for i, c in enumerate(app.window.prompt.chips.chips) if c.kind == "masked"]
    assert [labels(app)[i] for i in masked] == ["[MASK]"]
    click_chip(app.window.prompt.chips, masked[0])
    settled(qtbot, app)
    assert app.window.prompt.text.toPlainText() == "the cat sat"


def test_masked_words_come_back_after_typing_elsewhere(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.prompt.text.setPlainText("😀 cat dog")
    settled(qtbot, app)
    click_chip(app.window.prompt.chips, labels(app).index("c"))
    settled(qtbot, app)
    assert app.window.prompt.text.toPlainText() == "😀 [MASK] dog"
    QTest.keyClick(app.window.prompt.text, Qt.Key.Key_Home)
    QTest.keyClicks(app.window.prompt.text, "so ")
    settled(qtbot, app)
    assert app.window.prompt.text.toPlainText() == "so 😀 [MASK] dog"
    click_chip(app.window.prompt.chips, labels(app).index("[MASK]"))
    settled(qtbot, app)
    assert app.window.prompt.text.toPlainText() == "so 😀 cat dog"


def test_a_mask_typed_by_hand_has_no_word_to_bring_back(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "a [MASK]")
    click_chip(app.window.prompt.chips, labels(app).index("[MASK]"))
    assert app.window.prompt.text.toPlainText() == "a [MASK]"
    assert "typed by hand" in app.window.prompt.problem.text()


def test_another_models_mask_is_pointed_out_and_put_right(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "a <mask> dog")
    prompt = app.window.prompt
    assert "<mask>" in prompt.hint.text()
    assert "[MASK]" in prompt.hint.text()
    QTest.mouseClick(prompt.use_mask, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert prompt.text.toPlainText() == "a [MASK] dog"
    assert not prompt.hint.isVisible()
    assert "[MASK]" in labels(app)


def test_each_mask_has_its_own_list(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "[MASK] a [MASK]")
    qtbot.waitUntil(
        lambda: (
            sum(
                panel.title.startswith("Mask at")
                for panel in app.window.predictions.figure.figure.panels
            )
            == 2
        )
    )


@pytest.mark.parametrize(
    ("text", "span", "word"),
    [
        ("the cat sat", (5, 6), "cat"),
        ("the cat sat", (3, 7), "cat"),
        ("don't", (0, 3), "don"),
        ("a cat.", (5, 6), "."),
        ("小猫睡觉", (1, 2), "猫"),
        ("naïve café", (6, 8), "café"),
    ],
)
def test_the_word_around_a_token(text: str, span: tuple[int, int], word: str) -> None:
    start, end = word_around(text, *span)
    assert text[start:end] == word

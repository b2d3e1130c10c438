"""Numbers that are typed key by key become the numbers that were meant."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, settled


def typed(spin: QSpinBox | QDoubleSpinBox, text: str) -> None:
    spin.setFocus()
    spin.selectAll()
    for key in text:
        QTest.keyClicks(spin, key)
    QTest.keyClick(spin, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("temperature", "0.5"),
        ("temperature", "1.25"),
        ("top_p", "0.95"),
        ("min_p", "0.05"),
        ("repetition_penalty", "1.15"),
        ("top_k", "50"),
    ],
)
def test_what_narrows_distributions(qtbot: QtBot, open_app: Opener, field: str, text: str) -> None:
    app = open_app("random:decoder")
    spin = app.window.predictions.narrowing._spins[field]
    typed(spin, text)
    assert getattr(app.store.state.narrowing, field) == float(text)
    assert float(spin.cleanText()) == float(text)
    settled(qtbot, app)


@pytest.mark.parametrize("text", ["0.5", "-1.5"])
def test_the_length_penalty_of_a_search(qtbot: QtBot, open_app: Opener, text: str) -> None:
    app = open_app("random:decoder")
    app.session.stepping.choose(strategy="beam")
    choices = app.window.decoding.choices
    typed(choices.length_penalty, text)
    typed(choices.beams, "12")
    choice = app.store.state.decode
    assert (choice.length_penalty, choice.beams) == (float(text), 12)
    settled(qtbot, app)


def test_what_is_chosen_elsewhere_is_shown(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.session.narrow(temperature=0.25)
    app.session.stepping.choose(length_penalty=-2.0)
    assert app.window.predictions.narrowing.temperature.value() == 0.25
    assert app.window.decoding.choices.length_penalty.value() == -2.0

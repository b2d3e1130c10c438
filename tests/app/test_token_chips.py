"""Chips of tokens: the probability below each, and what a screen reader hears."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.panels.chips import Chip, TokenChips
from app.panels.token_chips import step_chip
from core.request import Step


@pytest.mark.parametrize(
    ("probability", "below", "tip"),
    [
        (0.0, "0%", "0.0000"),
        (0.00004, "<0.1%", "<0.0001"),
        (0.0004, "<0.1%", "0.0004"),
        (0.0012, "0.1%", "0.0012"),
        (0.5, "50.0%", "0.5000"),
        (0.9994, "99.9%", "0.9994"),
        (0.9997, ">99.9%", "0.9997"),
        (1.0, "100%", "1.0000"),
    ],
)
def test_a_chip_never_rounds_to_nothing_or_to_all(probability: float, below: str, tip: str) -> None:
    fields = {"index": 0, "token": 5, "forced": False, "fixed": None, "candidates": ()}
    step = SimpleNamespace(**fields, probability=probability)
    chip = step_chip(cast("Step", step), "a")
    assert chip.below == below
    assert chip.tooltip.endswith(tip)


def test_a_screen_reader_hears_the_chip_that_the_arrow_keys_have_gone_to(qtbot: QtBot) -> None:
    chips, other = TokenChips("Tokens of the text"), QLineEdit()
    around = QWidget()
    layout = QVBoxLayout(around)
    layout.addWidget(chips)
    layout.addWidget(other)
    qtbot.addWidget(around)
    chips.set_chips((Chip(label="the", tooltip="“the” · position 0\nClick."), Chip(label="cat")))
    around.show()
    chips.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(chips.hasFocus)
    assert chips.accessibleDescription() == "the cat"
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    assert chips.accessibleDescription() == "1 of 2: “the” · position 0 Click."
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    assert chips.accessibleDescription() == "2 of 2: cat"
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    assert chips.accessibleDescription() == "the cat"

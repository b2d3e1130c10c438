"""A label that gives way: what is said beside its text goes first."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.panels.elided import ElidedLabel


def shown(label: ElidedLabel) -> str:
    return QLabel.text(label)


def test_what_is_said_beside_the_text_is_left_out_before_the_text_is_cut(
    qtbot: QtBot,
) -> None:
    label = ElidedLabel(cut=Qt.TextElideMode.ElideRight)
    qtbot.addWidget(label)
    label.show()
    label.setText("what was written so far", "  ·  cache 12 positions")
    whole = label.sizeHint().width()
    label.resize(whole + 1, 20)
    assert shown(label) == label.text() == "what was written so far  ·  cache 12 positions"
    assert label.toolTip() == ""
    label.resize(whole - 10, 20)
    assert shown(label) == "what was written so far"
    assert label.toolTip() == label.text()
    label.resize(whole // 3, 20)
    assert shown(label).startswith("what")
    assert shown(label).endswith("…")


def test_it_asks_for_so_much_and_not_more_than_its_text(qtbot: QtBot) -> None:
    label = ElidedLabel(least=200)
    qtbot.addWidget(label)
    label.setText("a")
    assert label.minimumSizeHint().width() == label.sizeHint().width() < 200
    label.setText("word " * 100)
    assert label.minimumSizeHint().width() == 200


def test_what_is_brief_stands_for_what_finds_no_room(qtbot: QtBot) -> None:
    label = ElidedLabel(cut=Qt.TextElideMode.ElideRight)
    qtbot.addWidget(label)
    full = "Kept: “one bank”, “another bank”, “a third bank”"
    label.setText(full, brief="3 texts kept, last “a third bank”")
    label.resize(label.sizeHint().width() + 10, 20)
    label.show()
    qtbot.waitUntil(lambda: shown(label) == full)
    assert label.toolTip() == ""
    label.resize(label.fontMetrics().horizontalAdvance("3 texts kept, last “a t…") + 12, 20)
    qtbot.waitUntil(lambda: shown(label).startswith("3 texts kept, last “a"))
    assert shown(label).endswith("…")
    assert label.toolTip() == label.text() == full

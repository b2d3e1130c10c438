"""Which branch is being continued; in sight once there is more than one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

from app.branches import Tree, how
from app.stepping import Stepping
from app.store import Store

MOST_LETTERS = 23
"""Of a name with the text it quotes; more find no room beside what else stands there."""


LEAST = 120  # pixels: its number, how it was decoded and a few letters


class BranchChoice(QComboBox):
    """Choosing one restores its steps and, with them, every view."""

    def __init__(self, store: Store, stepping: Stepping) -> None:
        super().__init__()
        self._store = store
        self.setAccessibleName("Branch")
        self.setToolTip("Continuations that were tried; choosing one goes back to it")
        self.setMinimumWidth(LEAST)
        self.setMaximumWidth(230)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(stepping.revisit)
        self.hide()

    def show_tree(self) -> None:
        """Fills the list; tells nobody."""
        state = self._store.state
        tree = state.tree.holding(state.steps, state.search)
        self.setVisible(len(tree.branches) > 1)
        if self.isHidden():
            return
        self.blockSignals(True)
        self.clear()
        self.addItems([name_of(tree, number) for number in range(len(tree.branches))])
        self.setCurrentIndex(tree.current)
        self.blockSignals(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt would stop in the middle of a letter where the name finds no room."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        kind = QStyle.ComplexControl.CC_ComboBox
        room = self.style().subControlRect(kind, option, field, self).width() - 4
        right = Qt.TextElideMode.ElideRight
        option.currentText = self.fontMetrics().elidedText(option.currentText, right, room)
        painter = QStylePainter(self)
        painter.drawComplexControl(kind, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


def name_of(tree: Tree, number: int) -> str:
    """Its number, what it was decoded by where that differs, and how its own text begins."""
    branch = tree.branches[number]
    name = f"{number + 1} · {how(branch.choice)}" if branch.choice else f"Branch {number + 1}"
    if not branch.steps:
        return name
    before = len(branch.steps[branch.fork - 1].text) if branch.fork else 0
    own = " ".join(branch.steps[-1].text[before:].split())
    room = MOST_LETTERS - len(name)
    shown = own if len(own) <= room else own[: room - 1] + "…"
    return f"{name}: “{shown}”"

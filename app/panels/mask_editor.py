"""The mask of one site, large enough to paint single cells; the model answers at once."""

from __future__ import annotations

from PySide6.QtGui import QHideEvent, QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.panels.mask_map import MaskMap
from app.theme import Theme


class MaskEditor(QDialog):
    """Stays open beside the window while cells are painted."""

    def __init__(self, parent: QWidget, hint: str) -> None:
        super().__init__(parent)
        self.site = ""
        self.map = MaskMap("Mask", 360)
        self.map.show_labels(True)
        self._hint = QLabel(hint + " Query down, key across.")
        self._hint.setWordWrap(True)
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setAccessibleName("Why a cell was not painted")
        kept = self.problem.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # the cells do not move under the pointer
        self.problem.setSizePolicy(kept)
        self.problem.hide()
        self.map.painted.connect(lambda *_: self.say(""))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        buttons.rejected.connect(self.hide)
        layout = QVBoxLayout(self)
        layout.addWidget(self._hint)
        layout.addWidget(self.map, 1)
        layout.addWidget(self.problem)
        layout.addWidget(buttons)
        self.resize(560, 600)

    def edit(self, site: str, name: str) -> None:
        self.site = site
        self.setWindowTitle(f"{name}: mask")
        self.map.setAccessibleName(f"{name} mask")
        self.say("")

    def say(self, problem: str) -> None:
        """Why the last cell was not painted; empty where it was."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def set_theme(self, theme: Theme) -> None:
        self.map.set_theme(theme)
        self.problem.setStyleSheet(f"color: {theme.warning}")

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.say("")

"""The mask of one site, large enough to paint single cells; the model answers at once."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.panels.mask_map import MaskMap


class MaskEditor(QDialog):
    """Stays open beside the window while cells are painted."""

    def __init__(self, parent: QWidget, hint: str) -> None:
        super().__init__(parent)
        self.site = ""
        self.map = MaskMap("Mask", 360)
        self.map.show_labels(True)
        self._hint = QLabel(hint + " Query down, key across.")
        self._hint.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        buttons.rejected.connect(self.hide)
        layout = QVBoxLayout(self)
        layout.addWidget(self._hint)
        layout.addWidget(self.map, 1)
        layout.addWidget(buttons)
        self.resize(560, 600)

    def edit(self, site: str, name: str) -> None:
        self.site = site
        self.setWindowTitle(f"{name}: mask")
        self.map.setAccessibleName(f"{name} mask")

"""A number with a button on either side and how many there are: Layer ◀ 3 ▶ of 6."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from app.icons import icon
from app.theme import Theme

ARROW, SPACE, SPIN = 22, 2, 40  # pixels of a button when tight; between the parts; of the number
AWAY = 6  # pixels between its words and what stands behind them
NO_LIMIT = (1 << 24) - 1  # Qt's QWIDGETSIZE_MAX


class Counter(QWidget):
    """◀ spin box ▶ of how many; counts from 1."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.spin = QSpinBox()
        self.spin.setRange(1, 1)
        self.spin.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.spin.setAccessibleName(name)
        self.spin.setFixedWidth(SPIN)
        self.back, self.on = QToolButton(), QToolButton()
        for button, what, change in ((self.back, "Previous", -1), (self.on, "Next", 1)):
            button.setAutoRepeat(True)
            button.setAutoRaise(True)
            button.setToolTip(f"{what} {name.lower()}")
            button.setAccessibleName(f"{what} {name.lower()}")
            button.clicked.connect(lambda _=False, by=change: self._go(by))
        self.of = QLabel()
        self._name = QLabel(name)
        self._name.setBuddy(self.spin)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        for widget in (self._name, self.back, self.spin, self.on, self.of):
            layout.addWidget(widget)

    def set_theme(self, theme: Theme) -> None:
        self.back.setIcon(icon("left", theme.text, theme.border))
        self.on.setIcon(icon("right", theme.text, theme.border))

    def add(self, widget: QWidget) -> None:
        """Something more that belongs to this number, behind it."""
        layout = self.layout()
        assert layout is not None
        layout.addWidget(widget)
        self.of.setContentsMargins(0, 0, AWAY, 0)  # or “of 3 ▶” would be read as one

    def show_value(self, value: int, most: int) -> None:
        """Set from outside; tells nobody."""
        self.spin.blockSignals(True)
        self.spin.setRange(1, most)
        self.spin.setValue(value)
        self.spin.blockSignals(False)
        self.of.setText(f"of {most}")
        self.spin.setToolTip(f"{value} of {most}")
        self.back.setEnabled(value > 1)
        self.on.setEnabled(value < most)

    @property
    def saved(self) -> int:
        """Pixels that it needs less when it is tight."""
        arrows = sum(button.sizeHint().width() - ARROW for button in self._arrows())
        return self.of.sizeHint().width() + SPACE + arrows

    @property
    def least(self) -> int:
        """Its width in pixels when it is tight."""
        arrows = self._arrows()
        gaps = (2 + len(arrows) - 1) * SPACE
        return self._name.sizeHint().width() + SPIN + len(arrows) * ARROW + gaps

    def tighten(self, tight: bool) -> None:
        """Narrow buttons, and how many there are only in the tooltip; or all of it."""
        self.of.setVisible(not tight)
        for button in self._arrows():
            button.setMaximumWidth(ARROW if tight else NO_LIMIT)

    def _arrows(self) -> list[QToolButton]:
        return self.findChildren(QToolButton)

    def _go(self, by: int) -> None:
        self.spin.setValue(self.spin.value() + by)

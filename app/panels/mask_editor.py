"""The mask of one site, large enough to paint single cells; the model answers at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.mask_keys import KeyedMaskMap
from app.panels.mask_map import way_of
from app.theme import LIGHT, Theme

BY_KEY = "By key: arrows move, Space hides or shows a cell."
_FROM_CORNER = QPoint(0, 60)  # pixels from the window's upper left corner, below its menus


class MaskEditor(QDialog):
    """Stays open while cells are painted, at the window's left edge: the picture answers, and the
    predictions beside it.

    cleared: no cell is to be painted any more.
    """

    cleared = Signal()

    def __init__(self, parent: QWidget, hint: str) -> None:
        super().__init__(parent)
        self.site = ""
        self._theme = LIGHT
        self.map = KeyedMaskMap("Mask", 360)
        self.map.show_labels(True)
        self._hint = QLabel(f"{hint} {BY_KEY} Query down, key across.")
        self._hint.setWordWrap(True)
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.legend.setAccessibleName("What the colours mean")
        self._placed = False
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setMinimumHeight(2 * self.problem.fontMetrics().lineSpacing())
        self.problem.setAccessibleName("About the cell")
        kept = self.problem.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # the cells do not move under the pointer
        self.problem.setSizePolicy(kept)
        self.problem.hide()
        self.map.painted.connect(lambda *_: self.say(""))
        self.map.went.connect(self._tell)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        buttons.rejected.connect(self.hide)
        self.undo = QPushButton("Undo")
        self.undo.setToolTip("Take back the last change of this mask (Ctrl+Z)")
        self.undo.clicked.connect(self.map.undone)
        self.redo = QPushButton("Redo")
        self.redo.setToolTip("Do what was taken back again (Ctrl+Shift+Z)")
        self.redo.clicked.connect(self.map.redone)
        self.clear = QPushButton("Clear cells")
        self.clear.setToolTip("Take back all that was painted; the kind of mask stays")
        self.clear.clicked.connect(self.cleared)
        close.setAutoDefault(False)
        for button in (self.undo, self.redo, self.clear):
            button.setAutoDefault(False)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        layout = QVBoxLayout(self)
        layout.addWidget(self._hint)
        layout.addWidget(self.map, 1)
        layout.addWidget(self.legend)
        layout.addWidget(self.problem)
        layout.addWidget(buttons)
        self.resize(382, 520)

    def edit(self, site: str, name: str) -> None:
        self.site = site
        self.setWindowTitle(f"{name}: mask")
        self.map.setAccessibleName(f"{name} mask")
        self.say("")
        self._place()

    def offer(self, *, undo: bool, redo: bool, clear: bool) -> None:
        """Whether there is something to take back, or to paint again."""
        self.undo.setEnabled(undo)
        self.redo.setEnabled(redo)
        self.clear.setEnabled(clear)

    def say(self, problem: str) -> None:
        """Why the last cell was not painted; empty where it was."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.problem.setStyleSheet(f"color: {self._theme.warning}")

    def _tell(self, words: str) -> None:
        """What the cell is that keys came to, where it is also said why one was not painted."""
        self.say(words)
        self.problem.setStyleSheet(f"color: {self._theme.muted}")

    def set_theme(self, theme: Theme) -> None:
        self.map.set_theme(theme)
        self._theme = theme
        self.say(self.problem.text())
        self.legend.setText(
            "&nbsp;&nbsp; ".join(
                f"<span style='color:{colour}'>■</span> {meaning}"
                for colour, meaning in (
                    (theme.lines[0], "visible"),
                    (theme.hatch_line, "hidden by the kind of mask"),
                    (theme.accent, "hidden by hand"),
                )
            )
        )

    def _place(self) -> None:
        """Once: later it comes back to where it was moved to."""
        window = self.parentWidget()
        if not self._placed and window is not None:
            self._placed = True
            self.move(window.mapToGlobal(_FROM_CORNER))

    def event(self, event: QEvent) -> bool:
        """Undo and Redo work wherever the focus is: after the mouse was on a button, too."""
        way = way_of(event)
        if way is not None:
            if event.type() == QEvent.Type.KeyPress:
                (self.map.undone if way == "undo" else self.map.redone).emit()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return clicks the button it stands on, and never closes from anywhere else."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focus = self.focusWidget()
            if isinstance(focus, QPushButton):
                focus.click()
            return
        super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.say("")

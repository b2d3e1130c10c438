"""A line above the picture: what went wrong, that the picture is old, what an example shows."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton

from app.icons import icon
from app.panels.dimming import DIMMED_BY
from app.panels.example_note import HEEDED, told
from app.panels.linked import LinkedLabel
from app.panels.old_picture import still_shown
from app.session import Session
from app.store import Store
from app.theme import LIGHT, Theme

BACK = "<a href='back'>Back to it</a>"


class Banner(QFrame):
    """Hidden while there is nothing to say."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store = store
        self._theme = LIGHT
        self._is_note = False
        self.setObjectName("banner")
        self.label = LinkedLabel()
        self.label.linkActivated.connect(session.opening.back_to_example)
        self.label.setWordWrap(True)
        self.label.setAccessibleName("Message")
        # A path is one long word: it must not widen the window.
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("Dismiss")
        self.close_button.setAccessibleName("Dismiss the message")
        self.close_button.clicked.connect(session.dismiss)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 6, 4)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.close_button)
        store.changed.connect(self._show)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.close_button.setIcon(icon("close", theme.text, theme.muted))
        self._dress()

    def _dress(self) -> None:
        """A note is no warning, and does not look like one."""
        edge = self._theme.lines[0] if self._is_note else self._theme.warning
        self.setStyleSheet(
            f"#banner {{ background: {self._theme.surface}; border: 1px solid {edge}; "
            f"border-left: 4px solid {edge}; border-radius: 4px; }}"
        )

    def _show(self, names: frozenset[str]) -> None:
        if not names & {"problem", *DIMMED_BY, *HEEDED}:
            return
        warning, (note, away) = self._warning(), told(self._store.state)
        if self._is_note != (not warning):
            self._is_note = not warning
            self._dress()
        words, away = _breakable(warning or note), away and not warning
        self.label.setTextFormat(Qt.TextFormat.RichText if away else Qt.TextFormat.PlainText)
        self.label.setText(f"{escape(words)} {BACK}" if away else words)
        # That what is shown is old stays true until it is not.
        self.close_button.setVisible(bool(self._problem() or not warning))
        self.setVisible(bool(warning or note))

    def _problem(self) -> str:
        """What went wrong; not with the input, beside which that is told."""
        problem = self._store.state.problem
        return problem.text if problem is not None and problem.where != "input" else ""

    def _warning(self) -> str:
        state = self._store.state
        answer = state.answer
        if (problem := self._problem()) or answer is None:
            return problem
        if state.old:  # why stands beside the text
            return still_shown(answer, state.inputs)
        return ""


def _breakable(text: str) -> str:
    """With a place to break the line after every part of a path."""
    return re.sub(r"(?<=[/\\])(?=\S)", "\u200b", text)

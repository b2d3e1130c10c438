"""One sentence above the picture: what went wrong, or that the picture is an older one."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton

from app.icons import icon
from app.session import Session
from app.store import Store
from app.theme import Theme

_MOST = 60  # characters of the older text that are quoted


class Banner(QFrame):
    """Hidden while there is nothing to say."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store = store
        self.setObjectName("banner")
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setAccessibleName("Message")
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
        self.close_button.setIcon(icon("close", theme.text, theme.muted))
        self.setStyleSheet(
            f"#banner {{ background: {theme.surface}; border: 1px solid {theme.warning}; "
            f"border-left: 4px solid {theme.warning}; border-radius: 4px; }}"
        )

    def _show(self, names: frozenset[str]) -> None:
        if not names & {"problem", "answer", "inputs", "model"}:
            return
        state = self._store.state
        problem, answer = state.problem, state.answer
        parts = []
        if problem is not None and problem.where != "input":
            parts.append(problem.text)
        if state.old and problem is not None and problem.where == "input":
            if answer is None:
                parts.append(problem.text)
            elif answer.inputs != state.inputs or answer.request.masks != _masks(state.masks):
                parts.append(f"Old picture: it still shows “{_short(answer.inputs.text)}”.")
        self.label.setText(" ".join(parts))
        self.setVisible(bool(parts))


def _masks(masks: object) -> object:
    return tuple(sorted(masks.items())) if isinstance(masks, dict) else ()


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"

"""That the distributions shown are not the model's own, and what changed them."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from app.choices import Narrowing
from app.store import Store
from app.theme import Theme

NAMES = {
    "temperature": "T",
    "top_k": "k",
    "top_p": "p",
    "min_p": "min p",
    "repetition_penalty": "repeat ÷",
}


class NotOwn(QLabel):
    """In sight where they are narrowed, as they may have been long ago: it is remembered."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self.setWordWrap(True)
        self.setAccessibleName("Not the model's own probabilities")
        store.changed.connect(self._show)
        self._show(frozenset({"narrowing"}))

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(f"color: {theme.warning}; font-weight: bold")

    def _show(self, names: frozenset[str]) -> None:
        if "narrowing" in names:
            text = said(self._store.state.narrowing)
            self.setText(text)
            self.setVisible(bool(text))


def said(narrowing: Narrowing) -> str:
    """For example “T = 2: not the model's own probabilities.”; empty where they are."""
    own = Narrowing()
    changed = [
        f"{sign} {value:g}" if sign.endswith("÷") else f"{sign} = {value:g}"
        for name, sign in NAMES.items()
        if (value := getattr(narrowing, name)) != getattr(own, name)
    ]
    return f"{', '.join(changed)}: not the model's own probabilities." if changed else ""

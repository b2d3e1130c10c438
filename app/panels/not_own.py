"""That the distributions shown are not the model's own, and what changed them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLabel

from app.choices import Narrowing
from app.store import State, Store
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
        if names & {"narrowing", "model"}:
            text = said_of(self._store.state)
            self.setText(text)
            self.setVisible(bool(text))


def said_of(state: State) -> str:
    """The same of what acts in a state."""
    model = state.model
    return said(state.narrowing, 1.0 if model is None else model.spec.repetition_penalty)


def said(narrowing: Narrowing, checkpoints: float = 1.0) -> str:
    """For example “T = 2: not the model's own probabilities.”; empty where they are.

    checkpoints: the repetition penalty that acts where none was chosen."""
    chosen = narrowing.repetition_penalty
    acting = replace(narrowing, repetition_penalty=checkpoints if chosen is None else chosen)
    none = Narrowing(repetition_penalty=1.0)
    changed = [
        f"{sign} {value:g}" if sign.endswith("÷") else f"{sign} = {value:g}"
        for name, sign in NAMES.items()
        if (value := getattr(acting, name)) != getattr(none, name)
    ]
    if chosen is None and acting == replace(none, repetition_penalty=checkpoints):
        set_by_it = f"repeat ÷ {checkpoints:g}, which the checkpoint sets, acts on these."
        return set_by_it if changed else ""
    return f"{', '.join(changed)}: not the model's own probabilities." if changed else ""

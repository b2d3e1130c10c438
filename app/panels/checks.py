"""Beside the generated text: is the cache exact, and the same text in one run."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.checking import Checker
from app.store import State, Store

EXACT = 1e-4  # beyond it the cached path is not the model's own


class Checks(QWidget):
    """In sight once there are steps."""

    def __init__(self, store: Store, checker: Checker) -> None:
        super().__init__()
        self._store = store
        self.check = QPushButton("Check cache")
        self.check.setToolTip(
            "Run the whole text once without a cache and compare every step with its row"
        )
        self.result = QLabel()
        self.result.setAccessibleName("Cached against full")
        self.together = QPushButton("All at once")
        self.together.setCheckable(True)
        self.together.setToolTip(
            "Teacher forcing: what was written is given, and all positions run at once"
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.result, self.check, self.together):
            row.addWidget(widget)
        self.check.clicked.connect(lambda _=False: checker.verify())
        self.together.clicked.connect(checker.together)
        store.changed.connect(self._show)
        self._show(frozenset({"steps"}))

    def _show(self, names: frozenset[str]) -> None:
        if not names & {"steps", "checked", "together", "selection", "busy"}:
            return
        state = self._store.state
        self.setVisible(bool(state.steps))
        checked = state.checked if state.checked and state.checked.steps is state.steps else None
        self.check.setVisible(checked is None)
        self.result.setVisible(checked is not None)
        self.together.setChecked(state.all_at_once is not None)
        if checked is not None:
            difference = checked.difference
            worst = max(difference.logits, difference.pattern)
            sign = "✓" if worst <= EXACT else "✗"
            self.result.setText(f"cached = full {sign} {power(worst)}")
            self.result.setToolTip(
                f"Largest differences of {difference.steps} steps from their rows of one full "
                f"forward: logits {power(difference.logits)}, attention {power(difference.pattern)}"
            )


def sentence(state: State) -> str:
    """Teacher forcing beside stepping; empty while the steps are shown."""
    checked, full = state.checked, state.all_at_once
    if checked is None or full is None:
        return ""
    stepping = sum(step.trace.milliseconds for step in state.steps)
    count = len(state.steps)
    worst = max(checked.difference.logits, checked.difference.pattern)
    same = f"same numbers (≤ {power(worst)})" if worst <= EXACT else f"differs by {power(worst)}"
    runs = "1 run" if count == 1 else f"{count} runs"
    return (
        f"Teacher forcing: {len(full.tokens['decoder'])} positions in 1 run of "
        f"{full.milliseconds:.0f} ms; stepping took {runs}, {stepping:.0f} ms; {same}, one mask."
    )


def power(value: float) -> str:
    """3e-6, not 3e-06."""
    mantissa, _, exponent = f"{value:.0e}".partition("e")
    return "0" if value == 0 else f"{mantissa}e{int(exponent)}"

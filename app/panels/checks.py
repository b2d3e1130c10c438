"""Beside the generated text: is the cache exact, and the same text in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.checking import Checker
from app.counting import counted
from app.labels import labels_of
from app.store import State, Store

if TYPE_CHECKING:
    from core.decoding.verify import Difference, Parting

EXACT = 1e-4  # beyond it the cached path is not the model's own
WHY_MOVED = {
    "mask": "This mask lets earlier tokens see later ones",
    "positions": "This model turns every position anew as the text grows",
}


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
            text, explained = _verdict(state, checked.difference)
            self.result.setText(text)
            self.result.setToolTip(explained)


def _verdict(state: State, found: Difference) -> tuple[str, str]:
    """What a check found, in a few words and at length."""
    worst = max(found.logits, found.pattern)
    parting = found.parting
    if parting is None or worst > EXACT:
        rows = "their rows of one full forward" if parting is None else "runs of their own texts"
        return (
            f"cached = full {'✓' if worst <= EXACT else '✗'} {power(worst)}",
            (
                f"Largest differences of {found.steps} steps from {rows}: "
                f"logits {power(found.logits)}, attention {power(found.pattern)}"
            ),
        )
    why = f"{WHY_MOVED[parting.why]}, so every step ran the whole text anew: nothing is cached."
    if parting.logits <= EXACT:
        return "no cache", f"{why} One run over all positions gives the same numbers here."
    return (
        "no cache: one run ≠ steps",
        (
            f"{why} One run over all positions gives other numbers: {_parted(state, parting)}; "
            f"logits differ by up to {parting.logits:.2g}."
        ),
    )


def _parted(state: State, parting: Parting) -> str:
    """The probability that changes most."""
    token = labels_of(state.steps[parting.step].tokens, state.display.raw_labels)[-1]
    together, stepped = told_apart(parting.together, parting.stepped)
    return f"P({token}) is {together}, step by step {stepped}"


def sentence(state: State) -> str:
    """Teacher forcing beside stepping; empty while the steps are shown."""
    checked, full = state.checked, state.all_at_once
    if checked is None or full is None:
        return ""
    parting = checked.difference.parting
    if parting is not None and parting.logits > EXACT:
        return (
            f"Teacher forcing gives other numbers: {_parted(state, parting)}. "
            f"{WHY_MOVED[parting.why]}, so nothing can be cached."
        )
    stepping = sum(step.trace.milliseconds for step in state.steps)
    count = len(state.steps)
    worst = max(checked.difference.logits, checked.difference.pattern)
    same = f"same numbers (≤ {power(worst)})" if worst <= EXACT else f"differs by {power(worst)}"
    return (
        f"Teacher forcing: {len(full.tokens['decoder'])} positions in 1 run of "
        f"{full.milliseconds:.0f} ms; stepping took {counted(count, 'run')}, {stepping:.0f} ms; "
        f"{same}, one mask."
    )


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Two probabilities with as many decimals as it takes to see that they differ: 0.58, 0.56."""
    for decimals in range(2, 7):
        found = f"{one:.{decimals}f}", f"{other:.{decimals}f}"
        if found[0] != found[1]:
            return found
    return power(one), power(other)


def power(value: float) -> str:
    """3e-6, not 3e-06."""
    mantissa, _, exponent = f"{value:.0e}".partition("e")
    return "0" if value == 0 else f"{mantissa}e{int(exponent)}"

"""What narrows every distribution: temperature, top-k, top-p, min-p, repetition penalty."""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QWidget

from app.session import Session
from app.store import Store

BUTTONS = 26  # pixels of a spin box beside its number


class NarrowingControls(QWidget):
    """Changing these filters the stored logits again; the model does not run."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store = store
        self.temperature = _decimal(0.0, 5.0, 0.1)
        self.top_k = QSpinBox()
        self.top_k.setRange(0, 1_000_000)
        self.top_k.setSpecialValueText("off")
        self.top_p = _decimal(0.01, 1.0, 0.05)
        self.min_p = _decimal(0.0, 1.0, 0.05)
        self.min_p.setSpecialValueText("off")
        self.repetition_penalty = _decimal(0.1, 5.0, 0.1)
        self._spins: dict[str, QSpinBox | QDoubleSpinBox] = {
            "temperature": self.temperature,
            "top_k": self.top_k,
            "top_p": self.top_p,
            "min_p": self.min_p,
            "repetition_penalty": self.repetition_penalty,
        }
        self._lay_out()
        for field, spin in self._spins.items():
            # In a narrow column what is usual is enough: k may have seven digits, but rarely has.
            spin.setMinimumWidth(spin.fontMetrics().horizontalAdvance("0.00") + BUTTONS)
            spin.valueChanged.connect(lambda value, f=field: session.narrow(**{f: value}))
        store.changed.connect(self._show)
        self._show(frozenset({"narrowing"}))

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(4)
        for column in (1, 3, 5):
            grid.setColumnStretch(column, 1)
        for place, (field, label, name, tip) in enumerate(
            (
                ("temperature", "T", "Temperature", "below 1 sharpens, above 1 flattens"),
                ("top_k", "k", "Top-k", "only the k likeliest tokens stay (off: all)"),
                ("top_p", "p", "Top-p", "the fewest tokens that hold this much stay"),
                ("min_p", "min p", "Min-p", "tokens this share as likely as the likeliest stay"),
                (
                    "repetition_penalty",
                    "repeat ÷",
                    "Repetition penalty",
                    "above 1 makes tokens less likely that are there already (1: off)",
                ),
            )
        ):
            spin, text = self._spins[field], QLabel(label)
            text.setBuddy(spin)
            spin.setAccessibleName(name)
            for widget in (spin, text):
                widget.setToolTip(f"{name}: {tip}")
            row, column = divmod(place, 3)
            if field == "repetition_penalty":
                grid.addWidget(text, row, 2, 1, 2)
                grid.addWidget(spin, row, 4, 1, 2)
            else:
                grid.addWidget(text, row, 2 * column)
                grid.addWidget(spin, row, 2 * column + 1)

    def _show(self, names: frozenset[str]) -> None:
        if "narrowing" not in names:
            return
        narrowing = self._store.state.narrowing
        for field, spin in self._spins.items():
            spin.blockSignals(True)
            spin.setValue(getattr(narrowing, field))
            spin.blockSignals(False)


def _decimal(least: float, most: float, step: float) -> QDoubleSpinBox:
    spin = QDoubleSpinBox()
    spin.setRange(least, most)
    spin.setSingleStep(step)
    spin.setDecimals(2)
    return spin

"""What narrows every distribution: temperature, top-k, top-p, min-p, repetition penalty."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QWidget

from app.session import Session
from app.store import Store

GAP, WIDE = 4, 236  # pixels between; that three numbers in a row ask for at most
BUTTONS = 26  # pixels of a spin box beside its number
LEAST, MOST = 0.1, 5.0  # repetition penalties, where no checkpoint sets another
DIGITS, MOST_DIGITS = 2, 6  # behind the point; the least penalty there is has six
REPEATED = "above 1 makes tokens less likely that are there already (1: off)"


class NarrowingControls(QWidget):
    """Changing these filters the stored logits again; the model does not run."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.temperature = _decimal(0.0, 5.0, 0.1)
        self.top_k = QSpinBox()
        self.top_k.setRange(0, 1_000_000)
        self.top_k.setSpecialValueText("off")
        self.top_p = _decimal(0.01, 1.0, 0.05)
        self.min_p = _decimal(0.0, 1.0, 0.05)
        self.min_p.setSpecialValueText("off")
        self.repetition_penalty = _decimal(LEAST, MOST, 0.1)
        self._spins: dict[str, QSpinBox | QDoubleSpinBox] = {
            "temperature": self.temperature,
            "top_k": self.top_k,
            "top_p": self.top_p,
            "min_p": self.min_p,
            "repetition_penalty": self.repetition_penalty,
        }
        self._words: dict[str, QLabel] = {}
        self._grid = QGridLayout(self)
        self._make()
        for field, spin in self._spins.items():
            # In a narrow column what is usual is enough: k may have seven digits, but rarely has.
            spin.setMinimumWidth(spin.fontMetrics().horizontalAdvance("0.00") + BUTTONS)
            spin.valueChanged.connect(lambda value, f=field: self._narrow(f, value))
        store.changed.connect(self._show)
        self._show(frozenset({"narrowing"}))

    def _make(self) -> None:
        for field, label, name, tip in (
            ("temperature", "T", "Temperature", "below 1 sharpens, above 1 flattens"),
            ("top_k", "k", "Top-k", "only the k likeliest tokens stay (off: all)"),
            ("top_p", "p", "Top-p", "the fewest tokens that hold this much stay"),
            ("min_p", "min p", "Min-p", "tokens this share as likely as the likeliest stay"),
            ("repetition_penalty", "repeat ÷", "Repetition penalty", REPEATED),
        ):
            spin, text = self._spins[field], QLabel(label)
            text.setBuddy(spin)
            spin.setAccessibleName(name)
            for widget in (spin, text):
                widget.setToolTip(f"{name}: {tip}")
            self._words[field] = text
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GAP)
        self._lay_out(3)

    def _lay_out(self, beside: int) -> None:
        """So many numbers in a row; the last, whose name is long, has the room of two."""
        self._beside = beside
        for column in range(6):
            self._grid.setColumnStretch(column, column % 2 if column < 2 * beside else 0)
        for place, (field, spin) in enumerate(self._spins.items()):
            row, column = divmod(place, beside)
            wide = 2 if field == "repetition_penalty" else 1
            at = 2 * beside - 4 if wide == 2 else 2 * column
            self._grid.addWidget(self._words[field], row, at, 1, wide)
            self._grid.addWidget(spin, row, at + wide, 1, wide)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """As wide with two numbers in a row as with three: or it could never be made narrower."""
        width = max(self._width(2), min(self._width(3), WIDE))
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = 3 if self.width() >= self._width(3) else 2
        if beside != self._beside:
            self._lay_out(beside)

    def _width(self, beside: int) -> int:
        """The least, in pixels, of so many numbers in a row."""
        fields = [field for field in self._spins if field != "repetition_penalty"]
        width = (2 * beside - 1) * GAP
        for column in range(beside):
            below = fields[column::beside]
            width += max(self._words[field].sizeHint().width() for field in below)
            width += max(self._spins[field].minimumWidth() for field in below)
        return width

    def _narrow(self, field: str, value: float) -> None:
        """The checkpoint's own penalty is none that was chosen: it stays with its checkpoint."""
        own = self._own_penalty()
        same = value == own or value == round(own, self.repetition_penalty.decimals()) != 1
        given = None if field == "repetition_penalty" and same else value
        self._session.narrow(**{field: given})

    def _own_penalty(self) -> float:
        model = self._store.state.model
        return 1.0 if model is None else model.spec.repetition_penalty

    def _show(self, names: frozenset[str]) -> None:
        if not names & {"narrowing", "model"}:
            return
        narrowing, own = self._store.state.narrowing, self._own_penalty()
        for widget in (self.repetition_penalty, self._words["repetition_penalty"]):
            said = f"; the checkpoint sets {own:g}" * (own != 1)
            widget.setToolTip(f"Repetition penalty: {REPEATED}{said}")
        self._hold(own, narrowing.repetition_penalty)
        for field, spin in self._spins.items():
            value: Any = getattr(narrowing, field)
            if value is None:
                value = round(own, self.repetition_penalty.decimals())
            if spin.value() == value:  # a number that is being typed stays as it is
                continue
            spin.blockSignals(True)
            spin.setValue(value)
            spin.blockSignals(False)

    def _hold(self, own: float, chosen: float | None) -> None:
        """The box can show the checkpoint's own penalty and the one that acts, be they unusual."""
        spin, held = self.repetition_penalty, (own, own if chosen is None else chosen)
        digits = max(DIGITS, *(_digits(number) for number in held))
        least, most = (round(number, digits) for number in (min(LEAST, *held), max(MOST, *held)))
        if (spin.decimals(), spin.minimum(), spin.maximum()) == (digits, least, most):
            return  # a number that is being typed stays as it is
        spin.blockSignals(True)
        spin.setDecimals(digits)
        spin.setRange(least, most)
        spin.blockSignals(False)


def _digits(number: float) -> int:
    """Behind the point, without the noise of a number that was float32."""
    return len(f"{number:.{MOST_DIGITS}f}".rstrip("0").partition(".")[2])


def _decimal(least: float, most: float, step: float) -> QDoubleSpinBox:
    spin = QDoubleSpinBox()
    spin.setRange(least, most)
    spin.setSingleStep(step)
    spin.setDecimals(DIGITS)
    return spin

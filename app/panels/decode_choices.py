"""How decoding goes on: strategy, seed, beams, length; for an encoder the order of its masks."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QSpinBox,
    QWidget,
)

from app.panels.narrowing import BUTTONS
from app.stepping import Stepping
from app.store import Store

STRATEGIES = (("Greedy", "greedy"), ("Sample", "sample"), ("Beam", "beam"))
ORDER_TIP = "Which mask is filled next; those that are filled stay so"
ORDER_RESTS = "Every mask is filled; throw the fills away to fill them in another order"
ORDERS = (("Most confident first", "confident"), ("Left to right", "left-to-right"))


class DecodeChoices(QWidget):
    """Shows only what the strategy, or an encoder, has a use for."""

    def __init__(self, store: Store, stepping: Stepping) -> None:
        super().__init__()
        self._store, self._stepping = store, stepping
        self.speed = _spin("Steps a second", 1, 20, " /s")
        self.strategy = _combo("Strategy", STRATEGIES)
        self.strategy.setToolTip(
            "Greedy takes the likeliest token; Sample draws one; Beam keeps several texts and ends "
            "with the likeliest"
        )
        self.seed = _spin("Seed", 0, 2**31 - 1, prefix="seed ")
        self.beams = _spin("Beams", 1, 16, " beams")
        self.length_penalty = QDoubleSpinBox()
        self.length_penalty.setRange(-5.0, 5.0)
        self.length_penalty.setSingleStep(0.1)
        self.length_penalty.setPrefix("penalty ")
        self.length_penalty.setAccessibleName("Length penalty")
        self.length_penalty.setToolTip(
            "Length penalty: a score is divided by the length of its text to this power; above 0 "
            "favours long texts"
        )
        self.order = _combo("Order of the masks", ORDERS)
        self.most = _spin("Most new tokens", 1, 10_000, " tokens", prefix="at most ")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (
            self.speed,
            self.strategy,
            self.seed,
            self.beams,
            self.length_penalty,
            self.order,
            self.most,
        ):
            row.addWidget(widget)
        # In a narrow window what is usual is enough: a seed may have ten digits, but rarely has.
        for spin, usual in (
            (self.speed, "20 /s"),
            (self.seed, "seed 0000"),
            (self.beams, "16 beams"),
            (self.length_penalty, "penalty −1.00"),
            (self.most, "at most 100 tokens"),
        ):
            spin.setMinimumWidth(spin.fontMetrics().horizontalAdvance(usual) + BUTTONS)
        self._connect()
        store.changed.connect(self._show)
        self._show(frozenset({"decode", "fills"}))

    def _connect(self) -> None:
        choose = self._stepping.choose
        self.speed.valueChanged.connect(lambda value: choose(speed=value))
        self.seed.valueChanged.connect(lambda value: choose(seed=value))
        self.beams.valueChanged.connect(lambda count: choose(beams=count))
        self.length_penalty.valueChanged.connect(lambda power: choose(length_penalty=power))
        self.most.valueChanged.connect(lambda count: choose(max_new_tokens=count))
        self.strategy.activated.connect(lambda _: choose(strategy=self.strategy.currentData()))
        self.order.activated.connect(lambda _: choose(order=self.order.currentData()))

    def _show(self, names: frozenset[str]) -> None:
        if names & {"fills", "model", "answer"}:
            self._show_order()
        if not names & {"decode", "model"}:
            return
        choice, model = self._store.state.decode, self._store.state.model
        spins: dict[QSpinBox | QDoubleSpinBox, float] = {
            self.speed: choice.speed,
            self.seed: choice.seed,
            self.most: choice.max_new_tokens,
            self.beams: choice.beams,
            self.length_penalty: choice.length_penalty,
        }
        for spin, value in spins.items():
            if spin.value() == value:  # a number that is being typed stays as it is
                continue
            spin.blockSignals(True)
            spin.setValue(value)  # type: ignore[arg-type]
            spin.blockSignals(False)
        for one, noun in ((self.beams, "beam"), (self.most, "token")):
            one.setSuffix(f" {noun}" if one.value() == 1 else f" {noun}s")
        self.strategy.setCurrentIndex(self.strategy.findData(choice.strategy))
        self.order.setCurrentIndex(self.order.findData(choice.order))
        writes = model is None or model.spec.decoder is not None
        _show_all(writes and choice.strategy == "sample", self.seed)
        _show_all(writes and choice.strategy == "beam", self.beams, self.length_penalty)
        _show_all(writes, self.strategy, self.most)
        self.order.setVisible(not writes)

    def _show_order(self) -> None:
        """It rests while it has no effect, and says so."""
        open_masks = not self._store.state.fills or self._stepping.filler.may_go_on()
        self.order.setEnabled(open_masks)
        self.order.setToolTip(ORDER_TIP if open_masks else ORDER_RESTS)


def _show_all(shown: bool, *widgets: QWidget) -> None:
    for widget in widgets:
        widget.setVisible(shown)


def _combo(name: str, entries: tuple[tuple[str, str], ...]) -> QComboBox:
    combo = QComboBox()
    for text, value in entries:
        combo.addItem(text, value)
    combo.setAccessibleName(name)
    return combo


def _spin(name: str, least: int, most: int, suffix: str = "", prefix: str = "") -> QSpinBox:
    """prefix, suffix: its name and unit stand in it, where a label beside it found no room."""
    spin = QSpinBox()
    spin.setRange(least, most)
    spin.setPrefix(prefix)
    spin.setSuffix(suffix)
    spin.setAccessibleName(name)
    spin.setToolTip(name)
    return spin

"""How decoding goes on: strategy, seed, beams, length; for an encoder the order of its masks."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QWidget,
)

from app.panels.elided import ElidedLabel
from app.panels.narrowing import BUTTONS
from app.stepping import Stepping
from app.store import Store

STRATEGIES = (("Greedy", "greedy"), ("Sample", "sample"), ("Beam", "beam"))
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
        self.seed = _spin("Seed", 0, 2**31 - 1)
        self.beams = _spin("Beams", 1, 16)
        self.length_penalty = QDoubleSpinBox()
        self.length_penalty.setRange(-5.0, 5.0)
        self.length_penalty.setSingleStep(0.1)
        self.length_penalty.setAccessibleName("Length penalty")
        self.length_penalty.setToolTip(
            "A score is divided by the length of its text to this power; above 0 favours long texts"
        )
        self.order = _combo("Order of the masks", ORDERS)
        self.order.setToolTip("Which mask is filled next")
        self.most = _spin("Most new tokens", 1, 10_000, " tokens")
        self._labels = {
            "seed": _label("Seed", self.seed),
            "beams": _label("Beams", self.beams),
            "length_penalty": _label("Length penalty", self.length_penalty),
            "most": _label("At most", self.most),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (
            self.speed,
            self.strategy,
            self._labels["seed"],
            self.seed,
            self._labels["beams"],
            self.beams,
            self._labels["length_penalty"],
            self.length_penalty,
            self.order,
            self._labels["most"],
            self.most,
        ):
            row.addWidget(widget)
        # In a narrow window what is usual is enough: a seed may have ten digits, but rarely has.
        for spin, usual in (
            (self.speed, "20 /s"),
            (self.seed, "0000"),
            (self.beams, "16"),
            (self.length_penalty, "−1.00"),
            (self.most, "100 tokens"),
        ):
            spin.setMinimumWidth(spin.fontMetrics().horizontalAdvance(usual) + BUTTONS)
        self._connect()
        store.changed.connect(self._show)
        self._show(frozenset({"decode"}))

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
            spin.blockSignals(True)
            spin.setValue(value)  # type: ignore[arg-type]
            spin.blockSignals(False)
        self.strategy.setCurrentIndex(self.strategy.findData(choice.strategy))
        self.order.setCurrentIndex(self.order.findData(choice.order))
        writes = model is None or model.spec.decoder is not None
        _show_all(writes and choice.strategy == "sample", self._labels["seed"], self.seed)
        beams = ("beams", "length_penalty")
        _show_all(writes and choice.strategy == "beam", *(self._labels[name] for name in beams))
        _show_all(writes and choice.strategy == "beam", self.beams, self.length_penalty)
        _show_all(writes, self.strategy, self._labels["most"], self.most)
        self.order.setVisible(not writes)


def _show_all(shown: bool, *widgets: QWidget) -> None:
    for widget in widgets:
        widget.setVisible(shown)


def _label(text: str, buddy: QWidget) -> QLabel:
    label = ElidedLabel()
    label.setText(text)
    label.setBuddy(buddy)
    return label


def _combo(name: str, entries: tuple[tuple[str, str], ...]) -> QComboBox:
    combo = QComboBox()
    for text, value in entries:
        combo.addItem(text, value)
    combo.setAccessibleName(name)
    return combo


def _spin(name: str, least: int, most: int, suffix: str = "") -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(least, most)
    spin.setSuffix(suffix)
    spin.setAccessibleName(name)
    spin.setToolTip(name)
    return spin

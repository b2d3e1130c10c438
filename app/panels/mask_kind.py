"""A chooser for one mask kind; a spin box for each parameter that the kind declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from app.panels.mask_words import explained

if TYPE_CHECKING:
    from core.mask_kinds import MaskKind

Params = tuple[tuple[str, int], ...]


class KindChooser(QWidget):
    """first: (key, label) of the entry that is no registered kind, above all others."""

    changed = Signal()

    def __init__(self, name: str, first: tuple[str, str], beside: QWidget | None = None) -> None:
        super().__init__()
        self._first = first
        self._kinds: Mapping[str, MaskKind] = {}
        self._site = "self"
        self._spins: dict[str, QSpinBox] = {}
        self.combo = QComboBox()
        self.combo.setAccessibleName(name)
        self.combo.setMinimumContentsLength(10)
        self.combo.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.combo.addItem(first[1], first[0])
        self._params = QWidget()
        self._row = QHBoxLayout(self._params)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)
        top = QHBoxLayout()
        top.setSpacing(6)
        if beside is not None:
            top.addWidget(beside)
        top.addWidget(self.combo, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self._params)
        self._params.hide()
        self.combo.activated.connect(self._chosen)

    @property
    def key(self) -> str:
        return str(self.combo.currentData())

    @property
    def params(self) -> Params:
        """As a `MaskChoice` takes them: sorted by name."""
        return tuple(sorted((name, spin.value()) for name, spin in self._spins.items()))

    @property
    def spins(self) -> Mapping[str, QSpinBox]:
        return self._spins

    def offer(self, kinds: Mapping[str, MaskKind], part: str) -> None:
        """The kinds that make sense for "self" or "cross"."""
        fitting = {key: kind for key, kind in kinds.items() if part in kind.sites}
        if list(fitting) == list(self._kinds):
            return
        self._kinds, self._site = fitting, part
        kept = self.key
        self.combo.clear()
        self.combo.addItem(self._first[1], self._first[0])
        for key, kind in fitting.items():
            self.combo.addItem(kind.label, key)
            said = explained(kind, part)
            self.combo.setItemData(self.combo.count() - 1, said, Qt.ItemDataRole.ToolTipRole)
        self.combo.setCurrentIndex(max(0, self.combo.findData(kept)))

    def show_kind(self, key: str, params: Params, longest: int) -> None:
        """Set from outside; tells nobody. longest: the most a parameter may become; what is more
        already stays, and may only become less."""
        self.combo.setCurrentIndex(max(0, self.combo.findData(key)))
        self._build(longest, dict(params))

    def _chosen(self) -> None:
        self._build(4096, {})
        self.changed.emit()

    def _build(self, longest: int, values: Mapping[str, int]) -> None:
        kind = self._kinds.get(self.key)
        parameters = kind.parameters if kind is not None else ()
        self.combo.setToolTip(explained(kind, self._site) if kind is not None else "")
        if [p.name for p in parameters] != list(self._spins):
            self._spins = {}
            while (item := self._row.takeAt(0)) is not None:
                if (widget := item.widget()) is not None:
                    widget.hide()
                    widget.deleteLater()
            for parameter in parameters:
                spin = QSpinBox()
                spin.setRange(parameter.least, 4096)
                spin.setValue(parameter.default)
                spin.setAccessibleName(parameter.label)
                spin.valueChanged.connect(lambda _: self.changed.emit())
                label = QLabel(parameter.label)
                label.setBuddy(spin)
                self._row.addWidget(label)
                self._row.addWidget(spin)
                self._spins[parameter.name] = spin
            self._row.addStretch(1)
        for parameter in parameters:
            most = parameter.most if parameter.most is not None else longest
            spin = self._spins[parameter.name]
            value = values.get(parameter.name, spin.value())
            spin.blockSignals(True)
            spin.setMaximum(max(most, parameter.least, value))
            if spin.value() != value:  # else what is being typed stays as it is
                spin.setValue(value)
            spin.blockSignals(False)
        self._params.setVisible(bool(parameters))

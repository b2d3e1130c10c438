"""The top bar: which model, which architecture, which device."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QToolButton,
    QWidget,
)

from app.choices import ARCHITECTURE_NAMES, ARCHITECTURES, Architecture, untrained
from app.counting import counted, short
from app.panels.elided import ElidedLabel
from app.panels.menu_notes import MenuNotes
from app.session import Session
from app.store import Store


class Header(QWidget):
    """open_folder: the person wants to choose a checkpoint's folder."""

    open_folder = Signal()

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.model = QToolButton()
        self.model.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.model.setAccessibleName("Model")
        self.model.setMinimumWidth(200)
        self.menu = QMenu(self.model)
        self.menu.aboutToShow.connect(lambda: self.fill(self.menu))
        self.model.setMenu(self.menu)
        self.architectures: dict[Architecture, QToolButton] = {}
        group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(8)
        layout.addWidget(self.model)
        layout.addSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(0)
        for architecture in ARCHITECTURES:
            button = QToolButton()
            button.setText(ARCHITECTURE_NAMES[architecture])
            button.setCheckable(True)
            button.setProperty("segment", True)
            button.setToolTip(f"Switch to a model that is {ARCHITECTURE_NAMES[architecture]}")
            button.clicked.connect(lambda _=False, a=architecture: self._choose(a))
            group.addButton(button)
            row.addWidget(button)
            self.architectures[architecture] = button
        layout.addLayout(row)
        layout.addSpacing(8)
        self.facts = ElidedLabel()
        self.facts.setAccessibleName("What the model is like")
        layout.addWidget(self.facts, 1)
        self.device = QComboBox()
        self.device.addItem("CPU", "cpu")
        self.device.setAccessibleName("Device")
        self.device.setToolTip("Where the model runs")
        layout.addWidget(self.device)
        self.device.activated.connect(
            lambda _: session.opening.choose_device(str(self.device.currentData()))
        )
        store.changed.connect(self._show)
        self._show(frozenset({"model", "source", "abilities"}))

    def _choose(self, architecture: Architecture) -> None:
        self._session.opening.choose_architecture(architecture)
        self._show_architecture()

    def _show(self, names: frozenset[str]) -> None:
        if names & {"abilities", "device"}:
            self._show_devices()
        if names & {"model", "source", "abilities", "problem"}:
            self._show_model()
            self._show_architecture()

    def _show_devices(self) -> None:
        state = self._store.state
        devices = state.abilities.devices if state.abilities is not None else ("cpu",)
        if [self.device.itemData(i) for i in range(self.device.count())] != list(devices):
            self.device.clear()
            for device in devices:
                self.device.addItem(device.upper(), device)
        self.device.setCurrentIndex(max(0, self.device.findData(state.device)))
        self.device.setEnabled(len(devices) > 1)

    def _show_model(self) -> None:
        state = self._store.state
        self.model.setText(state.title(state.source) if state.source else "Model")
        model = state.model
        if model is None:
            self.facts.setText("")
            return
        spec = model.spec
        depths = [stack.layers for stack in spec.stacks]
        layers = counted(depths[-1], "layer")
        if len(depths) > 1:
            layers = f"{' + '.join(map(str, depths))} layers"
        heads = max(
            stack.attention("self", i).heads for stack in spec.stacks for i in range(stack.layers)
        )
        notes = dict.fromkeys((*model.notes, *spec.notes))
        self.facts.setText(
            f"{spec.family} · {layers} · {counted(heads, 'head')} · "
            f"d = {spec.main_stack.d_model} · {short(model.parameters)} weights"
            + (" · untrained" if untrained(model.source) else "")
            + (f" · {counted(len(notes), 'note')}" if notes else "")
        )
        self.facts.explain("\n".join(notes))

    def _show_architecture(self) -> None:
        model = self._store.state.model
        for architecture, button in self.architectures.items():
            button.setChecked(model is not None and model.spec.architecture == architecture)

    def fill(self, menu: QMenu) -> None:
        """All models, at every opening: the built-in ones are known only once the core is there."""
        state = self._store.state
        menu.clear()
        if menu.findChild(MenuNotes) is None:
            MenuNotes(menu)
        one_of_all = menu.findChild(QActionGroup) or QActionGroup(menu)
        for group, listed in groupby(state.models, key=lambda found: found.group):
            _heading(menu, group)
            for found in listed:
                self._add(one_of_all, menu, found.source, found.title, found.description)
        if state.recent:
            _heading(menu, "Recent")
            for source in state.recent:
                self._add(one_of_all, menu, source, Path(source).name, source)
        menu.addSeparator()
        menu.addAction("Open checkpoint folder…").triggered.connect(self.open_folder.emit)

    def _add(self, one_of: QActionGroup, menu: QMenu, source: str, title: str, tip: str) -> None:
        action = menu.addAction(title)
        action.setToolTip(tip)
        action.setCheckable(True)
        one_of.addAction(action)
        action.setChecked(source == self._store.state.source)
        action.triggered.connect(lambda _=False: self._session.opening.open(source))


def _heading(menu: QMenu, text: str) -> None:
    """Qt's own sections lose their text in some styles."""
    if menu.actions():
        menu.addSeparator()
    menu.addAction(text).setEnabled(False)

"""The menu bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast, get_args

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.choices import (
    ARCHITECTURE_NAMES,
    ARCHITECTURES,
    HEAD_ORDER_NAMES,
    HEAD_ORDERS,
    HeadOrder,
    PictureSize,
)
from app.editing import EditActions
from app.examples import Example
from app.groups import GROUPS
from app.panels.menu_notes import MenuNotes
from app.panels.saving import DecodingSaver
from app.panels.view_tabs import GROUP_KEYS
from app.session import Session
from app.store import Store

if TYPE_CHECKING:
    from app.window import Window


class Menus:
    """Builds the menus of a window and keeps their check marks true."""

    def __init__(
        self, window: Window, store: Store, session: Session, examples: tuple[Example, ...]
    ) -> None:
        self._window, self._store, self._session = window, store, session
        self.examples: dict[str, QMenu] = {}
        bar = window.menuBar()
        self._file(bar)
        self._edit(bar)
        self._view(bar)
        self._model(bar)
        if examples:
            self._examples(bar, examples)
        self._help(bar)
        store.changed.connect(self._show)
        self._show(frozenset({"display"}))

    def _file(self, bar: QMenuBar) -> None:
        menu = bar.addMenu("&File")
        _add(menu, "&Open checkpoint folder…", self._window.choose_folder, "Ctrl+O")
        _add(menu, "Open model &file…", self._window.choose_file, "Ctrl+Shift+O")
        self.recent = menu.addMenu("Open &recent")
        self.recent.aboutToShow.connect(self._fill_recent)
        menu.addSeparator()
        self.export = _add(menu, "&Export view…", self._window.exporting.choose, "Ctrl+E")
        self.copy = _add(
            menu, "Copy view as a pict&ure", self._window.exporting.copy, "Ctrl+Shift+C"
        )
        self._window.pictures.offer_actions(self.copy, self.export)
        self.saver = DecodingSaver(
            self._window, self._store, self._session, self._window.save_dialog
        )
        self.saver.saved.connect(
            lambda path: self._window.status.showMessage(f"Exported to {path}", 5000)
        )
        self.export_run = _add(menu, "Export &decoding run…", self.saver.choose)
        menu.addSeparator()
        _add(menu, "&Quit", self._window.close, "Ctrl+Q")

    def _edit(self, bar: QMenuBar) -> None:
        menu = bar.addMenu("&Edit")
        self.editing = EditActions(menu, self._window.prompt.text)
        menu.addSeparator()
        menu.addAction(self.copy)

    def _fill_recent(self) -> None:
        self.recent.clear()
        for source in self._store.state.recent:
            action = self.recent.addAction(source)
            action.triggered.connect(lambda _=False, s=source: self._session.opening.open(s))
        if not self._store.state.recent:
            self.recent.addAction("No folder opened yet").setEnabled(False)

    def _view(self, bar: QMenuBar) -> None:
        menu = bar.addMenu("&View")
        self._groups(menu)
        menu.addSeparator()
        _add(menu, "Ne&xt view", self._session.leafing.on, "Ctrl+PgDown")
        _add(menu, "Pre&vious view", self._session.leafing.back, "Ctrl+PgUp")
        menu.addSeparator()
        scale = menu.addMenu("&Colour scale")
        self._scales = _choice(
            scale,
            (("Fi&xed, 0 to 1", "fixed"), ("&Fitted to each map", "auto")),
            lambda value: self._session.display(limits=value),
        )
        self.between = menu.addMenu("Attention &between sentences")
        self.sentences = _choice(
            self.between,
            (
                ("All", "all"),
                ("A to A", "AA"),
                ("A to B", "AB"),
                ("B to A", "BA"),
                ("B to B", "BB"),
            ),
            lambda value: self._session.display(sentences=value),
        )
        orders = menu.addMenu("Sort the &head table by")
        self.orders = _choice(
            orders,
            tuple((HEAD_ORDER_NAMES[by], by) for by in HEAD_ORDERS),
            lambda value: self._session.sort_heads(cast("HeadOrder", value)),
        )
        self.sinks = menu.addAction("Attention with&out sinks")
        self.sinks.setToolTip(
            "Leave out the first token, special tokens and punctuation; rescale the rest"
        )
        self.sinks.setCheckable(True)
        self.sinks.toggled.connect(lambda on: self._session.display(drop_sinks=on))
        self.raw = menu.addAction("&Raw token labels")
        self.raw.setCheckable(True)
        self.raw.toggled.connect(lambda on: self._session.display(raw_labels=on))
        menu.addSeparator()
        _add(menu, "&Keep the text to compare", self._keep, "Ctrl+K")
        self.forget = _add(menu, "For&get the kept texts", self._session.running.forget_kept)
        menu.addSeparator()
        theme = menu.addMenu("&Theme")
        self._themes = _choice(
            theme,
            (("&System", "system"), ("&Light", "light"), ("&Dark", "dark")),
            lambda value: self._session.display(theme=value),
        )
        size = menu.addMenu("&Size of pictures")
        self.sizes = _choice(
            size,
            tuple((f"{percent} %", percent) for percent in get_args(PictureSize)),
            lambda value: self._session.display(picture_size=value),
        )
        panels = menu.addMenu("Pa&nels")
        for dock in self._window.docks:
            panels.addAction(dock.toggleViewAction())
        _add(menu, "Reset the la&yout", self._window.reset_layout)
        _add(menu, "Go to the t&ext", self._window.go_to_text, "Ctrl+L")

    def _groups(self, menu: QMenu) -> None:
        """A submenu for each group of views; Alt and its number shows the group."""
        self.groups: dict[str, QMenu] = {}
        self.views: dict[str, QAction] = {}
        for number, group in enumerate(GROUPS, start=1):
            keys = GROUP_KEYS.format(number)
            self.groups[group.key] = menu.addMenu(f"&{group.title}\t{keys}")
            MenuNotes(self.groups[group.key])
            turn = QAction(group.title, self._window)
            turn.setShortcut(QKeySequence(keys))
            turn.triggered.connect(lambda _=False, g=group.key: self._session.leafing.turn_to(g))
            self._window.addAction(turn)

    def _fill_groups(self) -> None:
        """Once the views are known."""
        abilities = self._store.state.abilities
        if abilities is None or self.views:
            return
        one_of_all = QActionGroup(self._window)
        for view in abilities.views:
            action = self.groups[view.group].addAction(view.title)
            action.setToolTip(view.summary)
            action.setCheckable(True)
            one_of_all.addAction(action)
            action.triggered.connect(lambda _=False, v=view.key: self._session.look_at(v))
            self.views[view.key] = action

    def _model(self, bar: QMenuBar) -> None:
        menu = bar.addMenu("&Model")
        for number, architecture in enumerate(ARCHITECTURES, start=1):
            choose = partial(self._session.opening.choose_architecture, architecture)
            _add(menu, ARCHITECTURE_NAMES[architecture], choose, f"Ctrl+{number}")
        menu.addSeparator()
        models = menu.addMenu("&All models")
        models.aboutToShow.connect(lambda: self._window.header.fill(models))

    def _keep(self) -> None:
        """Keep what was read, and show what there is to compare with it: states where one looks at
        states, else maps and predictions."""
        self._session.running.keep()
        state = self._store.state
        views = state.abilities.views if state.abilities is not None else ()
        at_states = any(view.key == state.view and view.group == "states" for view in views)
        self._session.look_at("compare" if at_states else "two_runs")

    def _examples(self, bar: QMenuBar, examples: tuple[Example, ...]) -> None:
        """A submenu for each model; their names are known once the core is there."""
        self.example_menu = bar.addMenu("E&xamples")
        self.example_menu.setEnabled(False)
        for example in examples:
            if example.model not in self.examples:
                self.examples[example.model] = self.example_menu.addMenu("")
                MenuNotes(self.examples[example.model])
            action = self.examples[example.model].addAction(example.title)
            action.setToolTip(example.note)
            action.triggered.connect(lambda _=False, e=example: self._window.show_example(e))

    def _name_examples(self) -> None:
        for source, menu in self.examples.items():
            menu.setTitle(self._store.state.title(source))
            self.example_menu.setEnabled(True)

    def _enable(self) -> None:
        """What would do nothing just now is grey."""
        state = self._store.state
        tokens = () if state.trace is None else state.trace.tokens.values()
        self.between.menuAction().setEnabled(any(1 in found.sequence for found in tokens))
        for action in (self.export, self.copy):
            action.setEnabled(state.trace is not None)
        self.export_run.setEnabled(bool(state.moves))
        self.forget.setEnabled(bool(state.kept))

    def _help(self, bar: QMenuBar) -> None:
        menu = bar.addMenu("&Help")
        _add(menu, "&Keys", self._window.show_keys, "F1")
        _add(menu, "&About Trifocal", self._window.show_about)

    def _show(self, names: frozenset[str]) -> None:
        if "abilities" in names:
            self._fill_groups()
            self._name_examples()
        if names & {"abilities", "view"} and self._store.state.view in self.views:
            self.views[self._store.state.view].setChecked(True)
        self._enable()
        if "display" in names:
            display = self._store.state.display
            self._themes[display.theme].setChecked(True)
            self.sizes[display.picture_size].setChecked(True)
            self._scales[display.limits].setChecked(True)
            self.sentences[display.sentences].setChecked(True)
            self.orders[display.heads_by].setChecked(True)
            self.sinks.setChecked(display.drop_sinks)
            self.raw.setChecked(display.raw_labels)


def _add(menu: QMenu, text: str, act: Callable[[], object], key: str = "") -> QAction:
    action = menu.addAction(text)
    if key:
        action.setShortcut(QKeySequence(key))
    action.triggered.connect(lambda _=False: act())
    return action


def _choice(
    menu: QMenu, entries: tuple[tuple[str, str], ...], chosen: Callable[[str], None]
) -> dict[str, QAction]:
    group = QActionGroup(menu)
    found = {}
    for text, value in entries:
        action = menu.addAction(text)
        action.setCheckable(True)
        group.addAction(action)
        action.triggered.connect(lambda _=False, v=value: chosen(v))
        found[value] = action
    return found

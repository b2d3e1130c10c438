"""Which attention is looked at: site, layer, head or the mean of all heads."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QWidget,
)

from app.looking import at_site, fitted, heads_at, layers_at
from app.panels.counter import Counter
from app.panels.layer_play import LayerPlay
from app.panels.pictures import Pictures
from app.panels.sites import BRIEF_NAMES, SITE_NAMES
from app.session import Session
from app.store import Store
from app.theme import Theme

MEAN = "The mean of all heads of this layer (M)"
OF_MAIN_STACK = frozenset({"predictions"})
"""Views in which only the layers of the stack that predicts are seen: not those of a source."""

ROOMY, TIGHT = 16, 6  # pixels between the controls
WIDE, NARROW = 450, 355  # pixels that a bar in one line asks for at most; that a folded one does
COMBO = 30  # pixels of a list beside its text
NO_PICTURE = "There is no picture yet"


class SiteBar(QWidget):
    """Selecting here never runs the model."""

    def __init__(self, store: Store, session: Session, pictures: Pictures) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.site = QComboBox()
        self.site.setAccessibleName("Attention site")
        self.site.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layer, self.head = Counter("Layer"), Counter("Head")
        self.play = LayerPlay(store, pictures)
        self.layer.add(self.play)
        self.mean = QPushButton("Mean")
        self.mean.setCheckable(True)
        self.mean.setAccessibleName("Mean of all heads")
        layout = self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(ROOMY)
        for parts in ((self.site, self.layer), (self.head, self.mean)):
            row = QHBoxLayout()  # with the spacing of the whole
            for part in parts:
                row.addWidget(part)
            layout.addLayout(row)
            layout.setAlignment(row, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        self.site.activated.connect(lambda _: self.choose_site(self.site.currentData()))
        self.layer.spin.valueChanged.connect(lambda value: self._select(layer=value - 1))
        self.head.spin.valueChanged.connect(lambda value: self._select(head=value - 1))
        self.mean.clicked.connect(lambda _: self.toggle_mean())
        self._tight = False
        store.changed.connect(self._show)
        self._show(frozenset({"model"}))

    def set_theme(self, theme: Theme) -> None:
        self.layer.set_theme(theme)
        self.head.set_theme(theme)
        self.play.set_theme(theme)

    # --- the room there is ------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Of the tight bar, also while it is roomy: or the window could never be made narrower.
        Where texts are large, so that even this is wide, of the folded one.

        Counted from the parts, so that it is the same at every moment of a change.
        """
        margins = self._row.contentsMargins()
        folded = margins.left() + margins.right() + max(self._parts())
        line = self._line()
        width = line if line <= WIDE else max(folded, NARROW)
        return QSize(width, super().minimumSizeHint().height())

    def _parts(self) -> tuple[int, int]:
        """The widths of both halves of the tight bar."""
        site = self._width_of(BRIEF_NAMES) + COMBO
        mean = self.mean.sizeHint().width()
        return site + TIGHT + self.layer.least, self.head.least + TIGHT + mean

    def _line(self) -> int:
        """The width of the tight bar in one line."""
        margins = self._row.contentsMargins()
        return margins.left() + margins.right() + sum(self._parts()) + 2 * TIGHT

    def _fit(self) -> None:
        """Where there is no room for all "of 6" goes into the tooltips, then the bar is folded."""
        names = self._width_of(SITE_NAMES) - self._width_of(BRIEF_NAMES)
        tight = self.width() < self._line() + self._saved() + names
        way = QBoxLayout.Direction
        direction = way.TopToBottom if self.width() < self._line() else way.LeftToRight
        if direction != self._row.direction():
            self._row.setDirection(direction)
            self.updateGeometry()
        if tight != self._tight:
            self._tight = tight
            self._row.setSpacing(TIGHT if tight else ROOMY)
            for counter in (self.layer, self.head):
                counter.tighten(tight)
            self._name_sites()
            self.updateGeometry()

    def _name_sites(self) -> None:
        names = BRIEF_NAMES if self._tight else SITE_NAMES
        # Not left to Qt, which remembers what the names before needed.
        self.site.setMinimumWidth(self._width_of(names) + COMBO)
        for place in range(self.site.count()):
            site = self.site.itemData(place)
            self.site.setItemText(place, names[site])
            self.site.setItemData(place, SITE_NAMES[site], Qt.ItemDataRole.ToolTipRole)

    def _saved(self) -> int:
        """Pixels that the tight bar needs less."""
        gaps = 4 * (ROOMY - TIGHT)
        return gaps + self.layer.saved + self.head.saved

    def _width_of(self, names: Mapping[str, str]) -> int:
        """Of the longest name, in pixels; of the shortest of all before there is a site."""
        width = self.site.fontMetrics().horizontalAdvance
        least = min(width(name) for name in names.values())
        return max((width(names[site]) for site in self._sites()), default=least)

    # --- for the keyboard too ---------------------------------------------------------------

    def choose_site(self, site: str) -> None:
        stack, part = site.split(".")
        found = at_site(self._store.state.selection, stack, part)
        self._select(stack=stack, part=part, query=found.query, key=found.key)

    def next_site(self) -> None:
        model = self._store.state.model
        if model is not None:
            sites = model.spec.sites
            at = sites.index(self._store.state.selection.site)
            self.choose_site(sites[(at + 1) % len(sites)])

    def move_layer(self, by: int) -> None:
        self.layer.spin.setValue(self.layer.spin.value() + by)

    def move_head(self, by: int) -> None:
        if self._store.state.selection.head is None:
            self.toggle_mean()
        else:
            self.head.spin.setValue(self.head.spin.value() + by)

    def toggle_mean(self) -> None:
        selection = self._store.state.selection
        self._select(head=selection.kept_head if selection.head is None else None)

    def _select(self, **changes: int | str | None) -> None:
        state = self._store.state
        if state.model is None:
            return
        from dataclasses import replace

        wanted = replace(state.selection, **changes)  # type: ignore[arg-type]
        self._store.select(fitted(wanted, state.model.spec, state.trace))

    def _show(self, names: frozenset[str]) -> None:
        if names & {"abilities", "view", "model", "selection"}:
            self._show_place()
        if names & {"abilities", "view", "model", "selection", "answer", "busy"}:
            self._show_heeded()

    def _show_heeded(self) -> None:
        """What the view in front does not depend on rests, and says so."""
        state = self._store.state
        views = {} if state.abilities is None else {v.key: v for v in state.abilities.views}
        view, stack = views.get(state.view), state.selection.stack
        looks = {"site", "layer", "head"} if view is None else view.looks
        layer = "layer"
        main = stack if state.model is None else state.model.spec.main_stack.name
        if state.view in OF_MAIN_STACK and stack != main:
            looks, layer = looks - {"layer"}, f"layer of the {stack}"
        for widget, name, each, tip in (
            (self.site, "site", "site", self._site_tip()),
            (self.layer, "layer", layer, ""),
            (self.head, "head", "head", ""),
            (self.mean, "head", "head", MEAN),
        ):
            heeded = name in looks
            widget.setEnabled(heeded)
            widget.setToolTip(tip if heeded else f"This view is the same for every {each}")
        if state.trace is None and state.busy is None:
            # Nothing is there to be looked at. While a model reads, all stays as it was: what is
            # disabled for a moment would lose the focus.
            for widget in (self.layer, self.head, self.mean):
                widget.setEnabled(False)
                widget.setToolTip(NO_PICTURE)
        if state.selection.head is None:
            self.head.setEnabled(False)

    def _site_tip(self) -> str:
        """Its name in full, where the tight bar has a brief one."""
        return SITE_NAMES.get(self._store.state.selection.site, "") if self._tight else ""

    def _sites(self) -> list[str]:
        return [self.site.itemData(i) for i in range(self.site.count())]

    def _show_place(self) -> None:
        model, selection = self._store.state.model, self._store.state.selection
        self.setEnabled(model is not None)
        if model is None:
            return
        spec, site = model.spec, selection.site
        if site not in spec.sites:
            return
        if self._sites() != list(spec.sites):
            self.site.clear()
            for one in spec.sites:
                self.site.addItem(SITE_NAMES[one], one)
            self._name_sites()
        self.site.setCurrentIndex(self.site.findData(site))
        self.layer.show_value(selection.layer + 1, layers_at(spec, site))
        heads = heads_at(spec, site, min(selection.layer, layers_at(spec, site) - 1))
        self.head.show_value(min(selection.kept_head, heads - 1) + 1, heads)
        self.mean.setChecked(selection.head is None)
        self._fit()  # another model has more sites, or longer numbers

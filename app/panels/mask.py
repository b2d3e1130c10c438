"""MASK: which keys a query may see, for each attention site."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.labels import labels_of
from app.looking import at_site, fitted
from app.panels.counter import NO_LIMIT
from app.panels.dimming import DIMMED_BY, dim
from app.panels.lines import Lines
from app.panels.linked import LinkedLabel
from app.panels.mask_editor import MaskEditor
from app.panels.mask_kind import KindChooser
from app.panels.mask_map import MaskMap, way_of
from app.panels.mask_painting import HINT, REFUSED, MaskPainting
from app.panels.mask_telling import keys_of, told
from app.panels.sites import SHORT_NAMES, SITE_NAMES
from app.session import Session
from app.store import Store
from app.theme import LIGHT, Theme
from app.view_options import RUN_BY

NONE = ("", "No second mask")
OWN = ("model", "The model's own")
THUMBNAIL, ONE_OF_THREE = 84, 64  # pixels of a mask's side
MOST_LINES = 3  # of the explanation, below three thumbnails
HIDE_PADDING = "Padding keys are invisible; turn off to see what goes wrong"
HIDES_ITSELF = "This kind of mask hides the padding, and nothing else"


class MaskPanel(QWidget):
    """A thumbnail for each site; kind, parameters, second kind and painted cells of one site."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store = store
        self._site = ""
        self._theme = LIGHT
        self._refused = False  # the last click was on a cell that the kind hides anyway
        self.maps: dict[str, MaskMap] = {}
        self.buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(lambda i: self._edit_site(list(SITE_NAMES)[i]))
        self.kind = KindChooser("Mask kind", OWN)
        self.how = QComboBox()
        self.how.addItem("and", "and")
        self.how.addItem("or", "or")
        self.how.setAccessibleName("How the two kinds are joined")
        self.how.hide()
        self.second = KindChooser("Second mask kind", NONE, self.how)
        self.hide_padding = QCheckBox("Hide padding")
        self.hide_padding.setChecked(True)
        self.hide_padding.setToolTip(HIDE_PADDING)
        self.edit = QPushButton("Paint…")
        self.edit.setToolTip("Open the mask large, with its tokens, to paint single cells")
        self.clear = QPushButton("Reset")
        self.clear.setToolTip(
            "Back to the model's own mask, without painted cells; Ctrl+Z takes it back"
        )
        self.explanation = LinkedLabel()
        # Two kinds may take more lines than the dock has room for.
        self._told = Lines(self.explanation, "What the mask lets a token see")
        self._painting = MaskPainting(store, session, self._show_maps)
        self.explanation.linkActivated.connect(lambda _: self._painting.clear(self._site))
        self._shows: tuple[object, ...] = ()
        self._lay_out()
        for chooser in (self.kind, self.second):
            chooser.changed.connect(self._chosen)
        self.how.activated.connect(lambda _: self._chosen())
        self.hide_padding.toggled.connect(lambda _: self._chosen())
        self.edit.clicked.connect(lambda: self._painting.open(self._site, self.window()))
        self.clear.clicked.connect(self._reset)
        store.changed.connect(self._show)
        self._show(frozenset({"model", "answer"}))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._colour_told()
        for shown in self.maps.values():
            shown.set_theme(theme)
        self._painting.set_theme(theme)

    @property
    def editor(self) -> MaskEditor | None:
        """The mask large, once it was asked for."""
        return self._painting.editor

    @property
    def site(self) -> str:
        """The site whose mask is being chosen."""
        return self._site

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 6)
        layout.setSpacing(6)
        thumbnails = self._thumbnails = QHBoxLayout()
        thumbnails.setSpacing(8)
        for number, site in enumerate(SITE_NAMES):
            button = QToolButton()
            button.setText(SHORT_NAMES[site])
            button.setCheckable(True)
            button.setToolTip(f"Show {SITE_NAMES[site].lower()} and choose its mask")
            button.setAccessibleName(f"Mask of {SITE_NAMES[site].lower()}")
            self._group.addButton(button, number)
            thumbnail = MaskMap(f"{SITE_NAMES[site]} mask", THUMBNAIL)
            thumbnail.setToolTip(HINT)
            self._painting.follow(thumbnail, partial(str, site))
            thumbnail.refused.connect(self._refuse)
            column = QVBoxLayout()
            column.setSpacing(4)
            column.addWidget(button)
            column.addWidget(thumbnail)
            thumbnails.addLayout(column)
            self.buttons[site], self.maps[site] = button, thumbnail
        thumbnails.addWidget(self._told, 1)
        thumbnails.addStretch(0)
        layout.addLayout(thumbnails)
        layout.addWidget(self.kind)
        layout.addWidget(self.second)
        last = QHBoxLayout()
        last.setSpacing(6)
        last.addWidget(self.hide_padding)
        last.addStretch(1)
        last.addWidget(self.edit)
        last.addWidget(self.clear)
        layout.addLayout(last)
        layout.addStretch(1)

    def _place_told(self, beside: bool) -> None:
        """The explanation beside the one thumbnail; below all else where three leave no room, in as
        many lines as it needs, at most three."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        for around in (self._thumbnails, layout):
            around.removeWidget(self._told)
        side, line = THUMBNAIL if beside else ONE_OF_THREE, self._told.line
        for shown in self.maps.values():
            shown.setFixedSize(side, side)
        self._told.setMinimumSize(60, side if beside else line)
        self._told.grow_to(0 if beside else MOST_LINES)
        self._told.setMaximumHeight(NO_LIMIT if beside else MOST_LINES * line)
        if beside:
            self._thumbnails.insertWidget(self._thumbnails.count() - 1, self._told, 1)
        else:
            layout.insertWidget(layout.count() - 1, self._told, 1)
        top = Qt.AlignmentFlag.AlignVCenter if beside else Qt.AlignmentFlag.AlignTop
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignLeft | top)

    # --- showing ----------------------------------------------------------------------------

    def _show(self, names: frozenset[str]) -> None:
        state = self._store.state
        sites = state.model.spec.sites if state.model is not None else ()
        if names & {"model", "abilities"}:
            # Moved before anything is shown: a panel that was wide for a moment stays wide.
            self._told.setVisible(bool(sites))
            self._place_told(len(sites) == 1)
            for site in sorted(SITE_NAMES, key=lambda site: site in sites):
                self.buttons[site].setVisible(site in sites and len(sites) > 1)
                self.maps[site].setVisible(site in sites)
            self.setEnabled(bool(sites))
            if sites and self._site not in sites:
                self._site = sites[0]
        if names & {"model", "answer"}:
            self.edit.setEnabled(state.trace is not None)  # else there is no cell to paint
        if "selection" in names and state.selection.site in sites:
            self._site = state.selection.site
        if names & ({"model", "abilities", "masks"} | RUN_BY):
            self._show_choice()
        if names & ({"display", "masks"} | RUN_BY):
            self._show_maps()
        if names & DIMMED_BY:
            for shown in self.maps.values():
                dim(shown, state.old)

    def _show_choice(self) -> None:
        state = self._store.state
        if state.model is None or state.abilities is None or not self._site:
            return
        choice, part = self._painting.choice(self._site), self._site.partition(".")[2]
        longest = 4096
        if state.trace is not None:
            longest = max(len(tokens) for tokens in state.trace.tokens.values())
        self.buttons[self._site].setChecked(True)
        kinds = state.abilities.mask_kinds
        self.kind.offer(kinds, part)
        self.second.offer(kinds, part)
        self.kind.show_kind(choice.key, choice.params, longest)
        also = choice.also[0] if choice.also else None
        self.second.show_kind(also.key if also else "", also.params if also else (), longest)
        self.how.setCurrentIndex(self.how.findData(choice.how))
        self.how.setVisible(also is not None)
        self.hide_padding.blockSignals(True)
        hides_itself = choice.key == "padding" and also is None
        self.hide_padding.setChecked(choice.hide_padding or hides_itself)
        self.hide_padding.setEnabled(not hides_itself)
        self.hide_padding.setToolTip(HIDES_ITSELF if hides_itself else HIDE_PADDING)
        self.hide_padding.blockSignals(False)
        cells = len(choice.blocked)
        self.edit.setText(f"{cells} painted…" if cells else "Paint…")
        said = told(state, self._site, choice)
        self._refused = False
        self._colour_told()
        self._told.tell(said)
        self.explanation.setToolTip(QTextDocumentFragment.fromHtml(said).toPlainText())

    def _refuse(self) -> None:
        """Why a cell was not painted, where the mask is explained: until something changes."""
        self._refused = True
        self._colour_told()
        self._told.tell(REFUSED)

    def _colour_told(self) -> None:
        colour = self._theme.warning if self._refused else self._theme.muted
        self.explanation.setStyleSheet(f"color: {colour}")

    def _show_maps(self) -> None:
        state = self._store.state
        trace = state.trace
        editor = self.editor.site if self.editor is not None else ""
        shows = (trace, state.masks, state.selection.layer, state.display.raw_labels, editor)
        if shows == self._shows:
            return
        self._shows = shows
        if trace is None:  # the cells of a former model's text are not this one's
            for shown in self.maps.values():
                shown.forget()
            if self.editor is not None:
                self.editor.map.forget()
            return
        for site, shown in self.maps.items():
            if site in trace.spec.sites:
                self._show_map(shown, site)
        if self.editor is not None and self.editor.site in trace.spec.sites:
            self._show_map(self.editor.map, self.editor.site)

    def _show_map(self, shown: MaskMap, site: str) -> None:
        state, trace = self._store.state, self._store.state.trace
        if trace is None:
            return
        stack = site.partition(".")[0]
        raw = state.display.raw_labels
        rows = labels_of(trace.tokens[stack], raw)
        columns = labels_of(trace.tokens[keys_of(site)], raw)
        shown.show_mask(*self._painting.cells(site, trace, state.selection.layer), rows, columns)

    # --- choosing ---------------------------------------------------------------------------

    def _edit_site(self, site: str) -> None:
        """The site whose mask is being chosen is the one that is looked at."""
        state = self._store.state
        self._site = site
        self._show_choice()
        if state.model is not None:
            wanted = at_site(state.selection, *site.split("."))
            self._store.select(fitted(wanted, state.model.spec, state.trace))

    def _chosen(self) -> None:
        from core.masks import MaskChoice

        before, second = self._painting.choice(self._site), self.second.key
        also = (MaskChoice(key=second, params=self.second.params),) if second else ()
        choice = MaskChoice(
            key=self.kind.key,
            params=self.kind.params,
            also=also,
            how="or" if self.how.currentData() == "or" else "and",
            blocked=before.blocked,
            # Where it has no say, what it said before is kept.
            hide_padding=self.hide_padding.isChecked()
            if self.hide_padding.isEnabled()
            else before.hide_padding,
        )
        self._painting.change(self._site, choice)

    def _reset(self) -> None:
        from core.masks import MaskChoice

        self._painting.change(self._site, MaskChoice())

    def event(self, event: QEvent) -> bool:
        """Undo and Redo of the mask work wherever in the panel the focus is: on Reset, too."""
        way = way_of(event)
        if way is not None:
            if event.type() == QEvent.Type.KeyPress:
                self._painting.go(self._site, way)
            return True
        return super().event(event)

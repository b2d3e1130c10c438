"""PREDICTIONS: always in sight; its controls filter the stored logits again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.choices import untrained
from app.panels.asking import AskedWord
from app.panels.dimming import DIMMED_BY, dim
from app.panels.narrowing import NarrowingControls
from app.panels.not_own import NotOwn
from app.panels.picking import took
from app.session import Session
from app.store import Store
from app.theme import LIGHT, Theme
from app.view_options import SHOWN_BY, drawn, enlargement, options_or_none

if TYPE_CHECKING:  # the window's first paint needs neither a figure nor numpy
    from app.figure import Figure
    from app.render.widget import FigureWidget

KEY, NAME = "predictions", "Predictions"
ROW = 32  # pixels beside a word that is brought in sight
UNTRAINED = "Untrained: the weights are random, so these numbers mean nothing."
LEAST = 175.0, 1.0  # pixels of a list in which words, bars and numbers find room side by side


class _Still(QScrollArea):
    """Stays where it is when Tab goes on; Qt would bring the middle of its widget in sight."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return QAbstractScrollArea.focusNextPrevChild(self, forward)


class PredictionsPanel(QWidget):
    """The view "predictions" in a narrow column, and what narrows its distributions."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._session = store, session
        self._theme = LIGHT
        self.figure: FigureWidget | None = None
        self.asked = AskedWord(store, session)
        self.narrowing = NarrowingControls(store, session)
        self.not_own = NotOwn(store)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.asked)
        self._scroll = _Still()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setMinimumSize(120, 100)
        self.untrained = QLabel(UNTRAINED)
        self.untrained.setWordWrap(True)
        self.untrained.hide()
        layout.addWidget(self.untrained)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self.not_own)
        layout.addWidget(self.narrowing)
        self._shown: tuple[object, ...] = ()
        self._read: object = None  # model and text of what is shown
        self._asked = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._draw)
        store.changed.connect(self._changed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.untrained.setStyleSheet(f"color: {theme.warning}")
        self.not_own.set_theme(theme)
        if self.figure is not None:
            self.figure.set_theme(theme)

    def _changed(self, names: frozenset[str]) -> None:
        if "model" in names:
            model = self._store.state.model
            self.untrained.setVisible(model is not None and untrained(model.source))
            self._shown, self._read = (), None
        if self._store.state.trace is None and self.figure is not None:
            self.figure.hide()  # what a former model predicted is not said by this one
            self.figure.setMinimumHeight(0)
            self._shown = ()
        if names & SHOWN_BY and self.isVisible():
            self._timer.start()
        elif names & SHOWN_BY:
            self._shown = ()  # it would keep a run in memory that is over
        if names & DIMMED_BY and self.figure is not None:
            dim(self.figure, self._store.state.old)

    def resizeEvent(self, event: object) -> None:
        self._timer.start()

    def showEvent(self, event: object) -> None:
        self._timer.start()

    def _draw(self) -> None:
        state = self._store.state
        if state.trace is None or state.abilities is None:
            return
        # Of the selection only the pinned row matters here: another head costs nothing.
        selection = state.selection
        shown = (
            *(state.trace, selection.stack, selection.query, selection.step),
            *(state.narrowing, state.asked, state.display, self._scroll.viewport().width()),
        )
        if shown == self._shown:
            return
        self._shown = shown
        view = next(view for view in state.abilities.views if view.key == KEY)
        figure = drawn(view, state, compact=True)
        self._show_figure(replace(figure, title="", columns=1, weights=()))
        options = options_or_none(state) if state.asked != self._asked else None
        self._bring_in_sight(options.asked if options is not None else ())

    def _show_figure(self, figure: Figure) -> None:
        """As high as its lists need; the panel scrolls."""
        from app.render.page import page_height
        from app.render.widget import FigureWidget

        if self.figure is None:
            self.figure = FigureWidget(theme=self._theme, least=LEAST)
            self.figure.setMinimumWidth(120)
            self.figure.picked.connect(self._picked)
            self._scroll.setWidget(self.figure)
            self.setTabOrder(self.asked.field, self.figure)
            dim(self.figure, self._store.state.old)
        self.figure.enlarge(enlargement(self._store.state))
        scale = self.figure.scale
        height = scale * page_height(figure, self._scroll.viewport().width() / scale)
        self.figure.setMinimumHeight(int(height))
        self.figure.show_figure(figure)
        self.figure.show()
        # The dock bears its title, which a screen reader at the list does not see.
        self.figure.setAccessibleName(NAME)
        # At once, not at the next layout: what is brought in sight must have its place.
        room = self._scroll.viewport().size()
        self.figure.resize(room.width(), max(room.height(), int(height)))

    def _bring_in_sight(self, asked: Collection[int]) -> None:
        """The top for another text or model or where no word is asked for any more, a word just
        asked for; else all stays as it is."""
        answer = self._store.state.answer
        read = None if answer is None else (answer.model, answer.inputs)
        bar = self._scroll.verticalScrollBar()
        word = self._store.state.asked
        if read != self._read or (self._asked and not word):
            bar.setValue(0)
        self._read, self._asked = read, word
        if self.figure is not None and asked:
            place, scale = _place_of(self.figure, asked), self.figure.scale
            if place is not None:
                self._scroll.ensureVisible(0, int(place * scale), 0, int(ROW * scale))

    def _picked(self, picks: Mapping[str, int]) -> None:
        took(picks, self._session.stepping)


def _place_of(widget: FigureWidget, asked: Collection[int]) -> int | None:
    """How far down its page, in pixels, the first list has a token that was asked for."""
    from app.figure import Bars

    page = widget.page
    for panel, placed in zip(page.figure.panels, page.placed, strict=True):
        if not isinstance(panel, Bars):
            continue
        rows = [row for row, bar in enumerate(panel.bars) if bar.token in asked]
        box = placed.box
        for y in range(int(box.y), int(box.y + box.height)):
            hit = placed.drawing.at(box.x + box.width / 2, y)
            if hit is not None and hit.row in rows:
                return y + ROW // 2
    return None

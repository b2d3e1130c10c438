"""The views, one in front. Only that one draws; what is dear is prepared in the worker."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.lanes import GOING_FIRST
from app.panels.keeping import Keeping
from app.panels.nothing_read import WAITING, coming, why
from app.panels.picking import Picking
from app.panels.pooling import Pooling
from app.panels.view_tabs import ViewTabs
from app.session import BUSY_TEXTS, Session
from app.store import Store
from app.tasks import Job
from app.theme import LIGHT, Theme
from app.view_options import SHOWN_BY, drawn, enlargement, options_or_none
from core.progress import Watch

if TYPE_CHECKING:  # the window's first paint needs neither a figure nor numpy
    from app.figure import Figure
    from app.render.widget import FigureWidget
    from app.views import View

PATIENCE = 250  # milliseconds a picture has to come before the page is emptied


class Pictures(QWidget):
    """drawn: the key of a view whose picture has just been painted. message: stands above it."""

    drawn = Signal(str)

    def __init__(self, store: Store, session: Session, message: QWidget) -> None:
        super().__init__()
        self._store, self._session = store, session
        self._views: dict[str, View] = {}
        self._theme = LIGHT
        self.tabs = ViewTabs()
        self._stack = QStackedWidget()
        self.waiting = QLabel(WAITING)
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.waiting.setWordWrap(True)
        self.waiting.setTextFormat(Qt.TextFormat.PlainText)
        self.waiting.setMargin(24)
        self.waiting.setObjectName("waiting")
        self._stack.addWidget(self.waiting)
        self.widgets: dict[str, FigureWidget] = {}
        self._stale: set[str] = set()
        self._drawn: set[str] = set()  # views whose widget shows the model that is open
        self._past: set[str] = set()  # views whose widget shows a text or tokens no longer there
        self._moves: tuple[object, ...] = ()
        self._lane = ""  # what the worker was doing
        self._searching = False
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._show_why)
        self.pooling = Pooling(store, session.checker)
        self.keeping = Keeping(store, session)
        self.picking = Picking(store, session)
        self.tabs.chosen.connect(session.look_at)
        self.tabs.turned.connect(session.leafing.turn_to)
        for wanted in (self.tabs.chosen, self.tabs.turned):
            wanted.connect(lambda _: self._take_keys_unless_tabs_have_them())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.tabs)
        layout.addWidget(message)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.pooling)
        layout.addWidget(self.keeping)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._draw)
        session.stepping.undrawn = lambda: self.pending
        store.changed.connect(self._changed)

    @property
    def figure(self) -> Figure | None:
        """The picture in front; None while there is none of what is looked at."""
        view = self._store.state.view
        return self.widgets[view].figure if self._is_shown(view) else None

    def offer_actions(self, *actions: QAction) -> None:
        """What the right button offers on every picture."""
        self._stack.addActions(actions)
        self._stack.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def take_keys(self) -> None:
        """Give the picture in front the focus, so that the arrow keys look around in it."""
        shown = self._stack.currentWidget()
        if shown is not None:
            shown.setFocus()

    @property
    def pending(self) -> bool:
        """Whether the picture in front is about to be drawn anew."""
        return self._timer.isActive()

    @property
    def awaited(self) -> bool:
        """Whether a picture of what is looked at is on its way."""
        return self.pending or coming(self._store.state)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._views)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in self.widgets.values():
            widget.set_theme(theme)

    def _changed(self, names: frozenset[str]) -> None:
        if "abilities" in names:
            self._offer_views()
        if "model" in names:
            # What the former model's widgets show must not stay under this one's name. A moment
            # is enough for most to read the text, without a flash of an empty page.
            self._drawn.clear()
            self._patience.start()
        state = self._store.state
        if names & {"model", "answer"} or self._taken_back():
            self._past |= set(self.widgets)
        if names & {"problem", "refused"} and (state.problem or state.refused):
            self._show_why()
        if "view" in names:
            self._show_view()
        if "display" in names:
            for widget in self.widgets.values():
                widget.enlarge(enlargement(self._store.state))
        if names & SHOWN_BY:
            self._stale = set(self._views)
        search, made_way = self._search_turned(), self._made_way()
        if search or made_way or names & (SHOWN_BY | {"view"}):
            self._timer.start()
        elif "busy" in names and not coming(state) and not self._is_shown(state.view):
            self._patience.start()  # its preparation was cancelled, unless another one follows
        self.waiting.setText(why(state, pending=self.pending))

    def _taken_back(self) -> bool:
        """Whether any of the tokens that were decoded is there no longer; more may be."""
        before, self._moves = self._moves, self._store.state.moves
        now = self._moves[: len(before)]
        return len(now) < len(before) or any(a is not b for a, b in zip(before, now, strict=True))

    def _made_way(self) -> bool:
        """Whether a load, run or decoding has ended: a preparation gave way to it, and where no
        other picture came of that it is made again."""
        busy = self._store.state.busy
        before, self._lane = self._lane, busy.lane if busy is not None else ""
        return before in GOING_FIRST and before != self._lane

    def _search_turned(self) -> bool:
        """Whether a search has begun or ended that the picture in front tells of."""
        before, self._searching = self._searching, self._store.state.searching
        if before == self._searching:
            return False
        self._stale.add("beams")
        return self._store.state.view == "beams"

    def _offer_views(self) -> None:
        abilities = self._store.state.abilities
        if abilities is not None and not self._views:
            self._views = {view.key: view for view in abilities.views}
            self._stale = set(self._views)
            self.tabs.offer(abilities.views)
            self._show_view()

    def _show_view(self) -> None:
        key = self._store.state.view
        if self._views and key not in self._views:
            key = next(iter(self._views))
            self._session.look_at(key)
        if self._views:
            self.tabs.show_key(key)
        if self._is_shown(key):
            self._stack.setCurrentWidget(self.widgets[key])
        else:  # another view's picture must not stay under this one's name
            self._patience.start()

    def _is_shown(self, key: str) -> bool:
        """Whether a view's widget shows what is looked at, and no run or place before it."""
        return key in self._drawn and key not in self._stale

    def _show_why(self) -> None:
        """An empty page that says why, unless the picture in front is the one asked for. The one
        before it stays while that is on its way, but must not pass for it where it is not."""
        state = self._store.state
        key = state.view
        before = key in self._drawn and self._stack.currentWidget() is self.widgets[key]
        if not (self._is_shown(key) or (before and self.awaited)):
            self._stack.setCurrentWidget(self.waiting)

    def _widget(self, key: str) -> FigureWidget:
        """The canvas of a view, made when it is first looked at."""
        if key not in self.widgets:
            from app.render.widget import FigureWidget

            widget = FigureWidget(theme=self._theme)
            widget.enlarge(enlargement(self._store.state))
            widget.picked.connect(partial(self._picked, key))
            widget.unpicked.connect(self.picking.unpicked)
            widget.opened.connect(self.picking.opened)
            self.widgets[key] = widget
            self._stack.addWidget(widget)
        return self.widgets[key]

    def _picked(self, key: str, picks: Mapping[str, int | str]) -> None:
        """A picture that stays while the next one is prepared names places of a text before."""
        self.picking.picked({} if key in self._past else picks)

    def _take_keys_unless_tabs_have_them(self) -> None:
        """Whoever turns to a view wants to look around in it; but who came by Tab stays."""
        if not self.tabs.has_keys:
            self._widget(self._store.state.view).setFocus()

    # --- drawing ----------------------------------------------------------------------------

    def _draw(self) -> None:
        state = self._store.state
        trace, view = state.trace, self._views.get(state.view)
        if trace is None or view is None:
            return
        selection, options = state.selection, options_or_none(state)
        if view.key not in self._stale:
            self._session.let_go()
        elif options is None or view.prepare is None:
            self._session.let_go()
            self._paint(view)  # which says why there are no options
        elif view.ready and view.ready(trace, selection, options):
            self._session.let_go()
            self._paint(view)
        elif self._lane not in GOING_FIRST:  # else once that has ended
            self._prepare(view)
        self.waiting.setText(why(self._store.state, pending=self.pending))

    def _prepare(self, view: View) -> None:
        state = self._store.state
        trace, prepare = state.trace, view.prepare
        selection, options = state.selection, options_or_none(state)
        assert trace is not None and prepare is not None and options is not None

        def work(job: Job) -> None:
            watch = Watch(job.should_stop, partial(job.report, BUSY_TEXTS["prepare"]))
            prepare(trace, selection, options, watch)

        def prepared(_: object) -> None:
            # Once the person looks elsewhere, or otherwise, a later preparation is on its way:
            # painting now would compute here, in the window's thread, what that one computes.
            now = self._store.state
            here = now.trace is trace and now.selection == selection
            if here and options_or_none(now) == options:
                self._paint(view)

        self._session.prepare(work, prepared)

    def _paint(self, view: View) -> None:
        state = self._store.state
        if state.trace is None or state.view != view.key:
            return
        started = time.perf_counter()
        widget = self._widget(view.key)
        widget.show_figure(drawn(view, state))
        self._drawn.add(view.key)
        self._stack.setCurrentWidget(widget)
        widget.repaint()
        self._stale.discard(view.key)
        self._past.discard(view.key)
        self._store.update(draw_ms=1000 * (time.perf_counter() - started))
        self.drawn.emit(view.key)

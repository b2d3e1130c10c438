"""The status line: what the view shows or what is going on just now, what is open, how long each
part took."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from app.lanes import LASTING
from app.panels.dimming import DIMMED_BY, dim
from app.panels.elided import ElidedLabel
from app.session import Session
from app.starting import START
from app.store import Busy, Store
from app.view_options import RUN_BY

OLD = "Of the run before: what is asked now was not run."
PATIENCE = 500  # milliseconds before work is worth a progress bar
GAP, LEAST = 7, 64  # pixels between its parts; in which one reads what is going on


class StatusLine(QStatusBar):
    """A progress bar and Cancel appear on what takes longer than half a second."""

    def __init__(self, store: Store, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setSizeGripEnabled(False)
        self.activity = ElidedLabel(cut=Qt.TextElideMode.ElideRight)
        self.activity.setMinimumWidth(LEAST)
        self.activity.setAccessibleName("What is going on")
        self.shows = ElidedLabel()
        self.shows.setAccessibleName("What the view shows")
        self.progress = QProgressBar()
        self.progress.setFixedWidth(160)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress")
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Stop what is going on")
        self.cancel.clicked.connect(session.cancel)
        self.model, self.tokens, self.times = QLabel(), QLabel(), QLabel()
        for widget, name in (
            (self.model, "Model and device"),
            (self.tokens, "Number of tokens"),
            (self.times, "Milliseconds of tokenising, running and drawing"),
        ):
            widget.setAccessibleName(name)
        # As wide as it gets, so that nothing moves while one types.
        widest = _times(99.9, 9999, 999)
        self.times.setMinimumWidth(self.fontMetrics().horizontalAdvance(widest) + 16)
        self.times.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(self.activity)
        self.addWidget(self.progress)
        self.addWidget(self.cancel)
        self.addWidget(self.shows, 1)
        for widget in (self.model, self.tokens, self.times):
            self.addPermanentWidget(widget)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._show_bar)
        self._hide_bar()
        self.messageChanged.connect(self._show_summary)
        store.changed.connect(self._show)

    def _show(self, names: frozenset[str]) -> None:
        state = self._store.state
        if "busy" in names:
            self._show_busy(state.busy)
        if names & {"view", "abilities"}:
            views = state.abilities.views if state.abilities is not None else ()
            self.shows.setText(next((v.summary for v in views if v.key == state.view), ""))
        if names & ({"model", "draw_ms", "source"} | RUN_BY):
            self._show_facts()
        if names & DIMMED_BY:
            for label in (self.tokens, self.times):
                dim(label, state.old)
                label.setToolTip(OLD if state.old else "")
        self._give_way(going=not self.progress.isHidden())

    def _show_busy(self, busy: Busy | None) -> None:
        if busy is None:
            self._patience.stop()
            self._hide_bar()
            return
        if self.progress.isHidden():
            if not self._patience.isActive():
                self._patience.start()
        else:
            self._fill(busy)

    def _show_bar(self) -> None:
        busy = self._store.state.busy
        if busy is not None:
            self.clearMessage()  # it hides Cancel
            self.shows.hide()
            self._give_way(going=True)  # first: Qt lays the window out as soon as one is shown
            for widget in (self.activity, self.progress, self.cancel):
                widget.show()
            self._fill(busy)

    def _hide_bar(self) -> None:
        for widget in (self.activity, self.progress, self.cancel):
            widget.hide()
        self._give_way(going=False)
        self._show_summary()

    def _show_summary(self) -> None:
        """Where neither a passing message nor the progress bar stands."""
        if not self.currentMessage() and self.progress.isHidden():
            self.shows.show()

    def _fill(self, busy: Busy) -> None:
        text = busy.text
        # An import cannot be stopped, and a file is written whatever is cancelled.
        self.cancel.setVisible(busy.lane not in (START, *LASTING))
        if busy.lane in (START, "load") and self._store.state.source:
            text = f"{text}: {self._store.state.title(self._store.state.source)}"
        self.activity.setText(text)
        if busy.fraction is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(1000 * busy.fraction))

    def _give_way(self, *, going: bool) -> None:
        """The window must not grow for what is going on: the model, which the header names too,
        makes room for it."""
        parts = (self.activity, self.progress, self.cancel, self.model, self.tokens, self.times)
        needed = sum(max(p.minimumSizeHint().width(), p.minimumWidth()) + GAP for p in parts)
        self.model.setVisible(not going or needed <= self.width())

    def _show_facts(self) -> None:
        state = self._store.state
        answer, trace = state.answer, state.trace
        if state.model is None:
            return
        from core.device import name_of

        device = name_of(state.model.device).upper()
        self.model.setText(f"{state.title(state.model.source)} · {device}")
        if answer is None or trace is None:
            self.tokens.setText("")
            self.times.setText("")
            return
        counts = [len(tokens) for tokens in trace.tokens.values()]
        noun = "token" if counts == [1] else "tokens"
        self.tokens.setText(f"{' + '.join(str(n) for n in counts)} {noun}")
        run = answer.run_ms if trace is answer.trace else trace.milliseconds
        self.times.setText(_times(answer.tokenise_ms, run, state.draw_ms))


def _times(tokenise: float, run: float, draw: float) -> str:
    return f"tokenise {_ms(tokenise)} · run {_ms(run)} · draw {_ms(draw)} ms"


def _ms(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"

"""READ-OUT: the pinned query and key, and every number between them."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from app.labels import place_words
from app.lanes import GOING_FIRST
from app.looking import lengths_at
from app.reading import Place, Reading, dear, pinned, read
from app.session import Session
from app.store import Store
from app.theme import Theme
from app.view_options import SHOWN_BY

NOTHING = "Click a cell to pin it, or a token beside the map to pin its row. Esc lets go."

COMING = "The mean of all heads of a long text takes a moment."
UNREAD = "The mean of all heads was not read to the end. Esc lets go; pin it again to read it."


class Pin(QWidget):
    """A spin box for a position; its lowest value is "none"."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.spin = QSpinBox()
        self.spin.setRange(-1, -1)
        self.spin.setSpecialValueText("–")
        self.spin.setAccessibleName(f"Pinned {name.lower()}")
        self.spin.setToolTip(f"Index of the pinned {name.lower()}; – pins none")
        label = QLabel(name)
        label.setBuddy(self.spin)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(label)
        layout.addWidget(self.spin, 1)

    def show_value(self, value: int | None, count: int) -> None:
        self.spin.blockSignals(True)
        self.spin.setRange(-1, count - 1)
        self.spin.setValue(-1 if value is None else value)
        self.spin.blockSignals(False)


class ReadoutPanel(QWidget):
    """Reads again whenever the run, the selection or a step changes, while it is in sight."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.query, self.key = Pin("Query"), Pin("Key")
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.hide()
        self._rest(True)
        pins = QHBoxLayout()
        pins.setSpacing(12)
        pins.addWidget(self.query)
        pins.addWidget(self.key)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(pins)
        layout.addLayout(self._grid)
        layout.addWidget(self.note)
        layout.addStretch(1)
        self.query.spin.valueChanged.connect(lambda i: store.select(query=i if i >= 0 else None))
        self.key.spin.valueChanged.connect(lambda i: store.select(key=i if i >= 0 else None))
        self._theme: Theme | None = None
        self._coming = False  # numbers that the worker reads
        self._lane = ""  # what the worker was doing
        store.changed.connect(self._changed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.note.setStyleSheet(f"color: {theme.muted}")
        for name, _ in self._rows:
            name.setStyleSheet(f"color: {theme.muted}")

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """What is written, name and value."""
        return tuple((n.text(), v.text()) for n, v in self._rows if not n.isHidden())

    def _changed(self, names: frozenset[str]) -> None:
        busy = self._store.state.busy
        before, self._lane = self._lane, busy.lane if busy is not None else ""
        ended = before in GOING_FIRST and before != self._lane
        # Reading gives way to a load, run or step; where no other numbers came of that, it begins
        # again.
        if (names & SHOWN_BY or (self._coming and ended)) and self.isVisible():
            self._show()
        elif self._coming and busy is None:
            self.note.setText(UNREAD)

    def showEvent(self, event: QShowEvent) -> None:
        self._show()

    def _show(self) -> None:
        state = self._store.state
        trace, selection = state.trace, state.selection
        self._coming = False
        if trace is None:  # numbers of a former model are not this one's
            self._write([])
            self.note.hide()  # there is no cell to click
            self._rest(True)
            return
        self._rest(False)
        if selection.site not in trace.spec.sites:
            return
        queries, keys = lengths_at(trace, selection.site)
        self.query.show_value(selection.query, queries)
        self.key.show_value(selection.key, keys)
        asked = trace, selection, state.display.raw_labels
        if not dear(trace, selection):
            self._show_reading(read(*asked))
            return
        self._write(lines_of(pinned(*asked)))

        def done(reading: Reading) -> None:
            now = self._store.state
            if (now.trace, now.selection, now.display.raw_labels) == asked:
                self._show_reading(reading)

        self._session.prepare(lambda job: read(*asked, job.should_stop), done, "read")
        self._coming = True  # now, as asking for it drops what was asked for before
        self.note.setText(COMING)
        self.note.show()

    def _show_reading(self, reading: Reading) -> None:
        self._coming = False
        self._write(lines_of(reading))
        self.note.setText(note_of(reading))
        self.note.setVisible(bool(self.note.text()))

    def _rest(self, rests: bool) -> None:
        for pin in (self.query, self.key):
            pin.setEnabled(not rests)

    def _write(self, lines: list[tuple[str, str]]) -> None:
        while len(self._rows) < len(lines):
            name, value = QLabel(), QLabel()
            value.setTextFormat(Qt.TextFormat.PlainText)  # “<s>” is a token, not a tag
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            value.setWordWrap(True)
            if self._theme is not None:
                name.setStyleSheet(f"color: {self._theme.muted}")
            row = len(self._rows)
            self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, row, 1)
            self._rows.append((name, value))
        for i, (name, value) in enumerate(self._rows):
            used = i < len(lines)
            name.setVisible(used)
            value.setVisible(used)
            if used:
                name.setText(lines[i][0])
                value.setText(lines[i][1])


def lines_of(reading: Reading) -> list[tuple[str, str]]:
    """Name and value, in reading order."""
    lines = []
    for name, place in (("query", reading.query), ("key", reading.key)):
        if place is not None:
            lines.append((name, _token(place)))
    if reading.weight is not None:
        if reading.allowed:
            rank = f"  (no. {reading.rank} of {reading.keys})"
            lines.append(("weight", f"{reading.weight:.4f}{rank}"))
        else:
            lines.append(("weight", "0, masked"))
        if reading.product is not None and reading.score is not None:
            lines.append(("q·k", _signed(reading.product)))
            lines.append(("score", f"{_signed(reading.score)}{made_of(reading)}"))
    by = "attends to" if reading.key is None else "attended by"
    for i, (place, weight) in enumerate(reading.strongest):
        lines.append((by if i == 0 else "", f"{weight:.4f}  “{place.label}” ({place.index})"))
    return lines


def _signed(value: float) -> str:
    return f"{value:z.4f}".replace("-", "−")


def made_of(reading: Reading) -> str:
    """How the score comes from q·k, where nothing else is added to it: “  = q·k / √32”."""
    if reading.adjusted or reading.scale is None or reading.scale == 1:
        return ""
    usual = math.isclose(reading.scale, reading.d_head**-0.5, rel_tol=1e-6)
    return f"  = q·k / √{reading.d_head}" if usual else f"  = q·k × {reading.scale:.4g}"


def note_of(reading: Reading) -> str:
    if reading.query is None and reading.key is None:
        return NOTHING
    if reading.dead:
        return "This query may see no key, so attention adds nothing to it."
    if reading.weight is not None and reading.product is None:
        return "The mean of all heads; choose one head to see its scores."
    if reading.adjusted:
        return f"The score is scaled, {reading.adjusted}."
    return ""


def _token(place: Place) -> str:
    where = place_words(place.index, place.position)
    return f"“{place.label}”  {where}, id {place.token}"

"""The keys of the window, in one table: what the help lists is what works."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QWidget

SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A key that means something wherever no editor wants it. action: a name the window knows."""

    key: Qt.Key
    action: str
    written: str
    meaning: str
    modifier: Qt.KeyboardModifier = NONE
    argument: int = 0


BINDINGS: tuple[Binding, ...] = (
    Binding(key=Qt.Key.Key_Left, action="head", argument=-1, written="←", meaning="head before"),
    Binding(key=Qt.Key.Key_Right, action="head", argument=1, written="→", meaning="next head"),
    Binding(key=Qt.Key.Key_Up, action="layer", argument=-1, written="↑", meaning="layer before"),
    Binding(key=Qt.Key.Key_Down, action="layer", argument=1, written="↓", meaning="next layer"),
    Binding(
        key=Qt.Key.Key_Up,
        modifier=SHIFT,
        action="query",
        argument=-1,
        written="Shift+↑",
        meaning="pin the query before",
    ),
    Binding(
        key=Qt.Key.Key_Down,
        modifier=SHIFT,
        action="query",
        argument=1,
        written="Shift+↓",
        meaning="pin the next query",
    ),
    Binding(
        key=Qt.Key.Key_Left,
        modifier=SHIFT,
        action="key",
        argument=-1,
        written="Shift+←",
        meaning="pin the key before",
    ),
    Binding(
        key=Qt.Key.Key_Right,
        modifier=SHIFT,
        action="key",
        argument=1,
        written="Shift+→",
        meaning="pin the next key",
    ),
    Binding(key=Qt.Key.Key_M, action="mean", written="M", meaning="mean of all heads, or one head"),
    Binding(key=Qt.Key.Key_S, action="site", written="S", meaning="next attention site"),
    Binding(key=Qt.Key.Key_Escape, action="clear", written="Esc", meaning="let go of the pins"),
    Binding(key=Qt.Key.Key_Space, action="play", written="Space", meaning="play or pause decoding"),
    Binding(key=Qt.Key.Key_N, action="step", written="N", meaning="one decoding step on"),
    Binding(key=Qt.Key.Key_B, action="back", written="B", meaning="one decoding step back"),
    Binding(key=Qt.Key.Key_Home, action="first", written="Home", meaning="back to the prompt"),
    Binding(key=Qt.Key.Key_End, action="last", written="End", meaning="decode to the end"),
    *(
        Binding(
            key=Qt.Key(Qt.Key.Key_1.value + i),
            action="tab",
            argument=i,
            written=str(i + 1),
            meaning=f"view no. {i + 1} of the group",
        )
        for i in range(9)
    ),
)

PICTURE_KEYS: tuple[tuple[str, str], ...] = (
    ("Ctrl+arrows", "read the picture place by place"),
    ("Enter", "pick the place that is read"),
    ("+, −, 0", "zoom in, out, back to the whole"),
    ("PgDown, PgUp", "its other parts, where not all fit"),
)

VIEW_KEYS: tuple[tuple[str, str], ...] = (
    ("Alt+1, 2, …", "the groups of views"),
    ("1, 2, …", "the views of the group"),
    ("Ctrl+PgDown, PgUp", "next view, view before"),
)

SHORTCUTS: tuple[tuple[str, str], ...] = (
    ("Ctrl+O", "open a checkpoint folder"),
    ("Ctrl+Shift+O", "open a model file (GGUF, …)"),
    ("Ctrl+E", "export the view in front"),
    ("Ctrl+Shift+C", "copy the view as a picture"),
    ("Ctrl+L", "go to the text"),
    ("Ctrl+K", "keep the text to compare"),
    ("Ctrl+1, 2, 3", "the three architectures"),
    ("Ctrl+Q", "quit"),
)

_EDITORS = (QPlainTextEdit, QLineEdit, QAbstractSpinBox, QComboBox)


def binding_of(event: QKeyEvent, focus: QWidget | None) -> Binding | None:
    """What a key means that nobody used; None inside an editor, except for Esc."""
    if isinstance(focus, _EDITORS) and event.key() != Qt.Key.Key_Escape:
        return None
    modifiers = event.modifiers() & ~KEYPAD
    for binding in BINDINGS:
        if binding.key.value == event.key() and binding.modifier == modifiers:
            return binding
    return None


def help_html() -> str:
    """All keys, in two columns of short tables."""
    left = _table("Views", VIEW_KEYS) + _table("Look around", _bound("head", "clear"))
    left += _table("In the picture", PICTURE_KEYS)
    right = _table("Decoding", _bound("play", "last")) + _table("Window", SHORTCUTS)
    return (
        f"<table><tr><td style='padding-right:32px'>{left}</td>"
        f"<td style='padding-right:24px'>{right}</td></tr></table>"
        "<p>Inside a text field keys without Ctrl or Alt belong to the text, all but Esc.</p>"
    )


def _bound(first: str, last: str) -> tuple[tuple[str, str], ...]:
    """The bindings from one action to another, those of an action in one row."""
    actions = list(dict.fromkeys(binding.action for binding in BINDINGS))
    rows = []
    for action in actions[actions.index(first) : actions.index(last) + 1]:
        own = [binding for binding in BINDINGS if binding.action == action]
        rows.append((" ".join(b.written for b in own), ", ".join(b.meaning for b in own)))
    return tuple(rows)


def _table(title: str, rows: tuple[tuple[str, str], ...]) -> str:
    cell = "style='white-space:nowrap; padding:2px 16px 2px 0'"
    cells = "".join(
        f"<tr><td {cell}><b>{key}</b></td><td {cell}>{meaning}</td></tr>" for key, meaning in rows
    )
    return f"<h4>{title}</h4><table>{cells}</table>"

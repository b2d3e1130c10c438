"""Why there is no picture: what the page says that stands in its place."""

from __future__ import annotations

from app.lanes import TOWARDS_A_PICTURE
from app.store import State

WAITING = "The model is being loaded; you can type already."
NO_MODEL = "No model is open: choose one above."
UNREAD = "This model has read no text yet."
PREPARING = "This picture is being prepared."
UNPREPARED = (
    "This picture was not prepared to the end. Turn to another view and back to prepare it."
)


def coming(state: State) -> bool:
    """Whether a picture is on its way. The worker takes what leads to none last, so while it does
    that nothing is being prepared."""
    return state.busy is not None and state.busy.lane in TOWARDS_A_PICTURE


def why(state: State, *, pending: bool = False) -> str:
    """pending: the picture is about to be drawn. Empty only while a model reads its first text: it
    takes but a moment, and the status line tells of a longer one. Whatever the banner says, the
    page keeps its own sentence: a problem need not be with the picture, and what was not prepared
    can be, also where it failed."""
    if state.busy is not None and state.busy.lane == "load":
        return WAITING
    if state.trace is not None:
        return PREPARING if pending or coming(state) else UNPREPARED
    if state.model is None:
        return WAITING if state.problem is None else NO_MODEL
    if state.refused is not None:
        return f"There is no picture yet. {state.refused.text}"
    return UNREAD if state.busy is None else ""

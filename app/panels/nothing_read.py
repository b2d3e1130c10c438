"""Why there is no picture: one sentence for the page that stands in its place."""

from __future__ import annotations

from app.store import State

WAITING = "The model is being loaded; you can type already."
NO_MODEL = "No model is open: choose one above."
UNREAD = "This model has read no text yet."


def why(state: State) -> str:
    """Empty where there is a run, and while one is on its way: it takes but a moment, and the
    status line tells of a longer one."""
    if state.trace is not None:
        return ""
    if state.busy is not None and state.busy.lane == "load":
        return WAITING
    if state.model is None:
        return WAITING if state.problem is None else NO_MODEL
    if state.refused is not None:
        return f"There is no picture yet. {state.refused.text}"
    return UNREAD if state.busy is None else ""

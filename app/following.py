"""Keeps pins on their words when a text is edited; free of Qt and torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.selection import Selection

if TYPE_CHECKING:
    from core.trace import Trace


def followed(selection: Selection, before: Trace, after: Trace) -> Selection:
    """The pins where their tokens stand in the new run of the same model."""
    queries, keys = selection.stack, "encoder" if selection.part == "cross" else selection.stack
    return replace(
        selection,
        query=_moved(selection.query, before, after, queries),
        key=_moved(selection.key, before, after, keys),
    )


def _moved(pin: int | None, before: Trace, after: Trace, stack: str) -> int | None:
    if pin is None or stack not in before.tokens or stack not in after.tokens:
        return pin
    return place(pin, before.tokens[stack].ids, after.tokens[stack].ids)


def place(index: int, old: Sequence[int], new: Sequence[int]) -> int | None:
    """Where the token at `index` of the old ids stands in the new ones, that were edited in one
    place; None when it is gone. One that was replaced by another counts as the same."""
    most = min(len(old), len(new))
    same = next((i for i in range(most) if old[i] != new[i]), most)
    behind = next((i for i in range(most - same) if old[-1 - i] != new[-1 - i]), most - same)
    if index < same:
        return index
    if index >= len(old) - behind:
        return index + len(new) - len(old)
    return index if len(old) == len(new) else None

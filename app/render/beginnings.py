"""Labels that begin alike are cut at their common beginning, not where they differ."""

from __future__ import annotations

from collections.abc import Sequence

from app.render import text

SEEN = 8  # so many letters of what is a label's own have to be in sight
FEWEST = 6  # a common beginning that is worth cutting


def told_apart(labels: Sequence[str], room: float, size: float) -> list[str]:
    """Each label in the room it has: whole, or cut at its end, or, where another one would read the
    same so, at its beginning, between words."""
    return [_cut(label, _alike(labels, place), room, size) for place, label in enumerate(labels)]


def _alike(labels: Sequence[str], place: int) -> int:
    """How many letters a label shares with the one that begins most like it."""
    others = (other for at, other in enumerate(labels) if at != place and other != labels[place])
    return max((_shared(labels[place], other) for other in others), default=0)


def _shared(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _cut(label: str, alike: int, room: float, size: float) -> str:
    shown = text.elide(label, room, size)
    own_in_sight = len(shown) - 1 >= min(len(label), alike + SEEN)
    if shown == label or own_in_sight or alike < FEWEST:
        return shown
    starts = [at + 1 for at in range(alike) if label[at] == " "] or [alike]
    for start in starts:
        shorter = f"… {label[start:]}"
        if text.width(shorter, size) <= room:
            return shorter
    return text.elide(f"… {label[starts[-1] :]}", room, size)

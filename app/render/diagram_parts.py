"""What a diagram needs besides its boxes: letters of one size, and the line nearest to a point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.figure import Box
from app.render import text
from app.render.canvas import Canvas, Point
from app.render.geometry import Rect

LARGEST, SMALLEST = 14.0, 10.0
REACH = 5.0  # the pointer finds a line so many pixels away

LEAST_WORD = 3  # so many letters of a word are worth the number behind it

Sizes = dict[tuple[int, int], float]


def even_sizes(boxes: Iterable[tuple[Box, Rect]]) -> Sizes:
    """The size of the letters that suits all boxes of so many pixels."""
    found: Sizes = defaultdict(lambda: LARGEST)
    for box, rect in boxes:
        if box.text and box.kind != "group":
            found[_pixels(rect)] = _fitting(_words(box), rect, found[_pixels(rect)])
    return found


def worth(boxes: Iterable[tuple[Box, Rect]]) -> list[Box]:
    """The boxes without their values where those would leave too little of a word; all of one size
    alike, for a number here and none there would look like a difference."""
    boxes = list(boxes)
    tight = {_pixels(rect) for box, rect in boxes if box.value and not _keeps(box, rect)}
    return [replace(box, value="") if _pixels(rect) in tight else box for box, rect in boxes]


def _keeps(box: Box, rect: Rect) -> bool:
    """Whether a word stays readable beside its number."""
    room = rect.width - 6 - text.width(f" {box.value}", SMALLEST)
    least = box.text if len(box.text) <= LEAST_WORD + 1 else box.text[:LEAST_WORD] + "…"
    return text.width(least, SMALLEST) <= room


def paint_even(canvas: Canvas, box: Box, rect: Rect, sizes: Sizes, colour: str) -> None:
    """A text in the middle of its box, at the size of all boxes like it; cut where it does not fit
    at the smallest, but for its value."""
    if not box.text:
        return
    size, words, room = sizes[_pixels(rect)], _words(box), rect.width - 6
    most = max(1, int((rect.height / size + 0.2) / 1.3))  # lines are 1.3 apart, the last one 1.1
    lines = text.wrap(words, rect.width - 8, size)
    if most == 1:
        tail = box.value and f" {box.value}"
        whole = box.text.replace("\n", " ")
        lines = [text.elide(whole, room - text.width(tail, size), size) + tail]
    elif len(lines) > most > 2 and "\n" in words:  # the last paragraph is what no other box says
        lines = [*lines[: most - 2], lines[most - 2] + "…", lines[-1]]
    elif len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1] + "…"]
    x, y = rect.middle
    y -= (len(lines) - 1) * size * 0.65
    for line in lines:
        shown = text.elide(line, room, size)
        canvas.text(x, y, shown, colour=colour, size=size, align="center")
        y += size * 1.3


def nearest_line(lines: Sequence[Sequence[Point]], x: float, y: float) -> int | None:
    """The line within reach of a point, of equally near ones the last, which lies in front; each
    goes straight from its first point to its last."""
    if not lines:
        return None
    ends: NDArray[np.float64] = np.array([(line[0], line[-1]) for line in lines])
    starts, ways = ends[:, 0], ends[:, 1] - ends[:, 0]
    here = np.array([x, y])
    lengths = np.maximum(np.vecdot(ways, ways), 1e-9)
    part = np.clip(np.vecdot(here - starts, ways) / lengths, 0, 1)
    far = np.linalg.norm(starts + part[:, None] * ways - here, axis=1)
    nearest = len(far) - 1 - int(far[::-1].argmin())
    return nearest if far[nearest] <= REACH else None


def _words(box: Box) -> str:
    return f"{box.text} {box.value}" if box.value else box.text


def _fitting(words: str, rect: Rect, size: float) -> float:
    """The largest size, from `size` down, at which a text fits into a box; the smallest if none."""
    while size > SMALLEST:
        lines = text.wrap(words, rect.width - 8, size)
        wide = max(text.width(line, size) for line in lines)
        if wide <= rect.width - 8 and len(lines) * size * 1.3 <= rect.height - 2:
            break
        size -= 1
    return size


def _pixels(rect: Rect) -> tuple[int, int]:
    return round(rect.width), round(rect.height)

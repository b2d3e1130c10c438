"""Lays out parts in columns: rows of boxes from top to bottom, arrows between, residual detours."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.figure import Arrow, Box

GAP = 15.0
"""Between two rows; holds an arrow."""
DETOUR = 12.0
"""How far beside the boxes a residual connection runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A box to come. text: its lines. note: what hovering says; action: what it says of a click.
    target: the view it opens.
    crossing: whether it belongs to cross-attention."""

    text: str
    kind: str = "plain"
    note: str = ""
    target: str | None = None
    height: float = 40.0
    crossing: bool = False
    action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detour:
    """A residual connection: leaves above row `start` and enters row `end` from a side."""

    start: int
    end: int
    right: bool = False


@dataclass(slots=True, kw_only=True)
class Column:
    """Rows of one or two parts at x … x + width, the first at y. Filled by `lay_out`.

    stack, part, layer: what a click on a part selects; part: where the part itself says nothing.
    """

    x: float
    y: float
    width: float
    rows: list[list[Part]]
    detours: list[Detour] = field(default_factory=list)
    lit: bool = False
    stack: str = ""
    part: str = "self"
    layer: int | None = None
    boxes: list[list[Box]] = field(default_factory=list)

    @property
    def bottom(self) -> float:
        return max(box.y + box.height for box in self.boxes[-1])

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def lay_out(column: Column, key: str) -> tuple[list[Box], list[Arrow]]:
    """Boxes and arrows of a column; `column.boxes` then tells where each row stands."""
    y = column.y
    for number, row in enumerate(column.rows):
        wide = (column.width - GAP * (len(row) - 1)) / len(row)
        column.boxes.append(
            [
                Box(
                    key=f"{key}.{number}.{place}",
                    text=part.text,
                    x=column.x + place * (wide + GAP),
                    y=y,
                    width=wide,
                    height=part.height,
                    kind=part.kind,
                    note=part.note,
                    target=part.target,
                    action=part.action,
                    picks=() if column.layer is None else (("layer", column.layer),),
                    selects=_site(column, part),
                )
                for place, part in enumerate(row)
            ]
        )
        y += max(part.height for part in row) + GAP
    kind = "selected" if column.lit else "plain"
    arrows = [
        Arrow(points=_between(upper, lower), kind=kind)
        for above, below in zip(column.boxes, column.boxes[1:], strict=False)
        for upper, lower in _pairs(above, below)
    ]
    arrows += [_detour(column, detour) for detour in column.detours]
    return [box for row in column.boxes for box in row], arrows


def _site(column: Column, part: Part) -> tuple[tuple[str, str], ...]:
    """What is looked at after a click."""
    if not column.stack:
        return ()
    own = "self" if part.target == "attention" else column.part
    return (("stack", column.stack), ("part", "cross" if part.crossing else own))


def _pairs(above: list[Box], below: list[Box]) -> list[tuple[Box, Box]]:
    if len(above) == len(below):
        return list(zip(above, below, strict=True))
    return [(upper, lower) for upper in above for lower in below]


def _between(upper: Box, lower: Box) -> tuple[tuple[float, float], ...]:
    """Straight down, through the narrower of the two."""
    narrow = upper if upper.width <= lower.width else lower
    x = narrow.x + narrow.width / 2
    return ((x, upper.y + upper.height), (x, lower.y))


def _detour(column: Column, detour: Detour) -> Arrow:
    box = column.boxes[detour.end][0]
    middle, top = column.middle, column.boxes[detour.start][0].y - GAP * 0.6
    side = column.x + column.width + DETOUR if detour.right else column.x - DETOUR
    edge = box.x + box.width if detour.right else box.x
    level = box.y + box.height / 2
    return Arrow(points=((middle, top), (side, top), (side, level), (edge, level)), kind="residual")


def elbow(start: Box, end: Box, lit: bool) -> Arrow:
    """From the right of one box to the left of another, through the middle of what is between."""
    x0, y0 = start.x + start.width, start.y + start.height / 2
    x1, y1 = end.x, end.y + end.height / 2
    turn = (x0 + x1) / 2
    kind = "selected" if lit else "plain"
    return Arrow(points=((x0, y0), (turn, y0), (turn, y1), (x1, y1)), kind=kind)

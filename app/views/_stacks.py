"""One stack laid out: its inputs, the layers before the chosen one, that one in full, the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.figure import Arrow, Box
from app.views import _parts
from app.views._blueprint import GAP, Column, Part, lay_out
from app.views._parts import Lengths
from core.analysis import parameters
from core.spec import StackSpec

COLUMN, GUTTER, TOP, FRAME = 168.0, 48.0, 4.0, 22.0
HEADER = 28.0
"""Room for a frame's name above the first arrow, also where the diagram is shrunk."""
FOLDED = 22.0
"""The height of the box that stands for layers before or after the chosen one."""


@dataclass(slots=True, kw_only=True)
class Drawn:
    """Boxes and arrows of a stack. end: the box whose output is the stack's. crossings: where the
    encoder's last state enters, from above: boxes of cross-attention and of folded layers."""

    boxes: list[Box]
    arrows: list[Arrow]
    frame: Box
    end: Box
    crossings: list[Box]
    right: float

    @property
    def bottom(self) -> float:
        """Below its layers and what follows them."""
        return max(self.end.y + self.end.height, self.frame.y + self.frame.height)


def stack(
    spec: StackSpec,
    inputs: list[Part],
    *,
    x: float,
    layer: int,
    part: str,
    now: Lengths,
    d_memory: int | None,
    idle: bool,
) -> Drawn:
    """inputs: the parts before the layers. layer: the one drawn in full. part: the attention a
    click selects where the part itself says nothing. idle: nothing of it runs at this step."""
    kind = "plain" if idle else "selected"
    name, left = spec.name, x + COLUMN + GUTTER + FRAME

    def column(
        rows: list[list[Part]], at: tuple[float, float], chosen: int | None, key: str
    ) -> tuple[Column, list[Arrow]]:
        if idle:
            rows = [[replace(p, kind="text" if p.kind == "text" else "plain") for p in row]
                    for row in rows]  # fmt: skip
        made = Column(
            x=at[0], y=at[1], width=COLUMN, rows=rows, lit=not idle, stack=name, part=part,
            layer=chosen,
        )  # fmt: skip
        return made, lay_out(made, f"{name}.{key}")[1]

    entry, arrows = column([[p] for p in inputs], (x, TOP), None, "in")
    boxes = [box for row in entry.boxes for box in row]
    said = f"x {_parts.shape(now.rows, spec.d_model)}"
    boxes.append(_caption(entry.x, entry.bottom + 1, COLUMN, said))
    y, before = TOP, None
    if layer > 0:
        folded, _ = column([[_folded(spec, 0, layer)]], (left, y), layer - 1, "before")
        before = folded.boxes[0][0]
        y += FOLDED + GAP
    rows, detours, cross = _parts.layer(spec.blocks[layer], d_memory, now)
    inside = Column(
        x=left, y=y + HEADER + GAP, width=COLUMN, rows=rows, detours=detours, lit=not idle,
        stack=name, part=part, layer=layer,
    )  # fmt: skip
    if idle:
        inside.rows = [[replace(p, kind="plain") for p in row] for row in rows]
    found, more = lay_out(inside, f"{name}.layer")
    frame = Box(
        key=f"{name}.layers",
        text=f"{name.capitalize()} layer {layer + 1} of {spec.layers}",
        x=left - FRAME,
        y=y,
        width=COLUMN + 2 * FRAME,
        height=inside.bottom - y + GAP,
        kind="group",
    )
    arrows += [*_enter(entry.boxes[-1][0], before, frame, inside, kind), *more]
    boxes = [frame, *boxes, *([before] if before is not None else []), *found]
    end, y = inside.boxes[-1][0], frame.y + frame.height + GAP
    crossings = [inside.boxes[cross][0]] if cross >= 0 else []
    if cross >= 0 and before is not None:
        crossings.insert(0, before)
    if layer < spec.layers - 1:
        folded, _ = column([[_folded(spec, layer + 1, spec.layers)]], (left, y), layer + 1, "after")
        after = folded.boxes[0][0]
        crossings += [after] if cross >= 0 else []
        arrows.append(_down(end, after, kind))
        boxes.append(after)
        end, y = after, y + FOLDED + GAP
    if spec.final_norm is not None:
        weights = parameters.norm(spec.final_norm, spec.d_model)
        last = _parts.norm(spec.final_norm, weights, f"the {name}'s last state", "hidden_states")
        last = replace(last, text=f"Final {last.text}")
        final, _ = column([[last]], (left, y), spec.layers - 1, "final")
        arrows.append(_down(end, final.boxes[0][0], kind))
        end = final.boxes[0][0]
        boxes.append(end)
    return Drawn(
        boxes=boxes,
        arrows=arrows,
        frame=frame,
        end=end,
        crossings=crossings,
        right=left + COLUMN + FRAME,
    )


def cross(end: Box, drawn: Drawn, boxes: list[Box], said: str) -> tuple[list[Arrow], Box]:
    """From the encoder's last state into the cross-attention of every decoder layer, below what
    stands between; said: what is handed on."""
    frame = drawn.frame
    between = [b for b in boxes if b.x + b.width > end.x and b.x < frame.x]
    low = max(b.y + b.height for b in between) + GAP + 6
    middle, side = end.x + end.width / 2, frame.x - GUTTER / 4
    arrows = []
    for box in drawn.crossings:
        folded = box.height == FOLDED
        level = box.y + box.height * (0.75 if folded else 0.5)
        into = ((side, low), (side, level), (box.x, level))
        start = () if folded else ((middle, end.y + end.height), (middle, low))
        arrows.append(Arrow(points=(*start, *into), kind="selected"))
    return arrows, _caption(middle + 4, low - 17, 146, said)


def _caption(x: float, y: float, width: float, words: str) -> Box:
    """A shape, without a box around it."""
    key = f"caption.{x:g}.{y:g}"
    return Box(key=key, text=words, x=x, y=y, width=width, height=16, kind="text")


def _folded(spec: StackSpec, first: int, stop: int) -> Part:
    """Layers first … stop - 1 in one box."""
    alone = stop - first == 1
    name = f"Layer {stop}" if alone else f"Layers {first + 1}–{stop}"
    text = f"{name} · the same weights" if spec.shared_layers else name
    return Part(
        text=text,
        note=f"{name} of the {spec.name}",
        action=f"click to see {'it' if alone else 'one'} in full",
        target="architecture",
        height=FOLDED,
    )


def _down(upper: Box, lower: Box, kind: str) -> Arrow:
    x = lower.x + lower.width / 2
    return Arrow(points=((x, upper.y + upper.height), (x, lower.y)), kind=kind)


def _enter(start: Box, before: Box | None, frame: Box, inside: Column, kind: str) -> list[Arrow]:
    """From the embeddings into the layers before the chosen one, or into every box of its first
    row, from above."""
    x0, y0 = start.x + start.width, start.y + start.height / 2
    turn, above = x0 + GUTTER / 2 - 4, inside.y - GAP
    if before is None:
        way: tuple[tuple[float, float], ...] = ((x0, y0), (turn, y0), (turn, above))
        found = []
    else:
        level = before.y + before.height * 0.3
        into = ((x0, y0), (turn, y0), (turn, level), (before.x, level))
        # The line goes on below the frame's name.
        down = ((inside.middle, before.y + before.height), (inside.middle, frame.y))
        found = [Arrow(points=into, kind=kind), Arrow(points=down, kind=kind)]
        way = ((inside.middle, above),)
    middles = [box.x + box.width / 2 for box in inside.boxes[0]]
    return [*found, *(Arrow(points=(*way, (x, above), (x, inside.y)), kind=kind) for x in middles)]

"""Architecture: the whole model as it is, from the text to the heads, one layer in full."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from app.figure import Arrow, Box, Diagram, Figure
from app.selection import Selection
from app.views import View, ViewOptions, _parts
from app.views._blueprint import GAP, Column, Part, elbow, lay_out
from core.analysis import parameters
from core.spec import BlockSpec, DisentangledPositions, RelativeBuckets, StackSpec

if TYPE_CHECKING:
    from core.trace import Trace

COLUMN, GUTTER, TOP, FRAME = 168.0, 48.0, 44.0, 22.0
HEADER = 40.0  # room for a frame's name above the first arrow, also where the diagram is shrunk


@dataclass(slots=True, kw_only=True)
class _Drawn:
    boxes: list[Box]
    arrows: list[Arrow]
    end: Box
    cross: Box | None
    right: float


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    spec = trace.spec
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    x, memory = 4.0, None
    for stack in spec.stacks:
        idle = _cached(options) and stack.name == "encoder" and len(spec.stacks) == 2
        drawn = _stack(trace, stack, selection, options, x, idle)
        boxes += drawn.boxes
        arrows += drawn.arrows
        if memory is not None and drawn.cross is not None:
            arrows.append(_memory(memory, drawn, boxes))
        memory, x = drawn.end, drawn.right + GUTTER
    heads = _parts.heads(spec.heads, spec.main_stack.d_model, decoder=spec.decoder is not None)
    if heads and memory is not None:
        found, more = _heads(heads, memory, x, below=len(spec.stacks) == 2)
        boxes += found
        arrows += more
        x = max(x, found[-1].x + COLUMN + GUTTER)
    bottom = max(box.y + box.height for box in boxes)
    for arrow in arrows:
        bottom = max(bottom, *(y for _, y in arrow.points))
    kind = {"encoder": "encoder-only", "decoder": "decoder-only"}.get(
        spec.architecture, "encoder–decoder"
    )
    return Figure(
        title=f"{spec.name} · {kind} · {_parts.count(parameters.model(spec))} weights",
        panels=(
            Diagram(
                title="",
                boxes=tuple(boxes),
                arrows=tuple(arrows),
                width=x - GUTTER + 4,
                height=bottom + 8,
            ),
        ),
        note=_note(trace, options),
    )


def _stack(
    trace: Trace,
    stack: StackSpec,
    selection: Selection,
    options: ViewOptions,
    x: float,
    idle: bool,
) -> _Drawn:
    """Embedding column, layer column, final norm."""
    spec = trace.spec
    memory = spec.encoder.d_model if spec.encoder is not None else None
    layer = selection.layer if selection.stack == stack.name else 0
    layer = min(layer, stack.layers - 1)
    shared = spec.shared_embedding and stack.name == "decoder" and spec.encoder is not None
    entry = [_text(trace, stack.name, options), *_parts.embedding(stack.embedding, shared=shared)]
    looked = selection.part if selection.stack == stack.name else "self"
    inputs = Column(
        x=x,
        y=TOP,
        width=COLUMN,
        rows=[[part] for part in entry],
        lit=not idle,
        stack=stack.name,
        part=looked,
    )
    rows, detours, cross = _parts.layer(stack.blocks[layer], memory)
    left = x + COLUMN + GUTTER + FRAME
    inside = Column(
        x=left,
        y=TOP + GAP,
        width=COLUMN,
        rows=rows,
        detours=detours,
        lit=not idle,
        stack=stack.name,
        part=looked,
        layer=layer,
    )
    if idle:
        inputs.rows = [[replace(part, kind="plain") for part in row] for row in inputs.rows]
        inside.rows = [[replace(part, kind="plain") for part in row] for row in inside.rows]
    boxes, arrows = lay_out(inputs, f"{stack.name}.in")
    more, more_arrows = lay_out(inside, f"{stack.name}.layer")
    frame = Box(
        key=f"{stack.name}.layers",
        text=f"{stack.name.capitalize()} layer {layer + 1} of {stack.layers}",
        x=left - FRAME,
        y=TOP - HEADER,
        width=COLUMN + 2 * FRAME,
        height=inside.bottom - TOP + HEADER + GAP,
        kind="group",
    )
    arrows += [*_enter(inputs, inside, lit=not idle), *more_arrows]
    boxes += [frame, *more]
    end = inside.boxes[-1][0]
    if stack.final_norm is not None:
        weights = parameters.norm(stack.final_norm, stack.d_model)
        part = _parts.norm(stack.final_norm, weights, f"the {stack.name}'s last state")
        part = replace(part, text=f"Final {part.text}", kind="plain" if idle else part.kind)
        column = Column(
            x=left,
            y=frame.y + frame.height + GAP,
            width=COLUMN,
            rows=[[part]],
            stack=stack.name,
            part=looked,
            layer=stack.layers - 1,
        )
        found, _ = lay_out(column, f"{stack.name}.final")
        kind = "plain" if idle else "selected"
        down = ((column.middle, inside.bottom), (column.middle, column.y))
        arrows.append(Arrow(points=down, kind=kind))
        boxes += found
        end = found[0]
    return _Drawn(
        boxes=boxes,
        arrows=arrows,
        end=end,
        cross=inside.boxes[cross][0] if cross >= 0 else None,
        right=left + COLUMN + FRAME,
    )


def _heads(heads: list[Part], end: Box, x: float, *, below: bool) -> tuple[list[Box], list[Arrow]]:
    """Beside the stack, or below it where two stacks already fill the width."""
    if not below:
        found, _ = lay_out(Column(x=x, y=TOP, width=COLUMN, rows=[[p] for p in heads]), "head")
        return found, [elbow(end, box, lit=True) for box in found]
    y = end.y + end.height
    column = Column(x=end.x, y=y + 2 * GAP, width=end.width, rows=[heads])
    found, _ = lay_out(column, "head")
    middles = [box.x + box.width / 2 for box in found]
    return found, [Arrow(points=((m, y), (m, column.y)), kind="selected") for m in middles]


def _text(trace: Trace, stack: str, options: ViewOptions) -> Part:
    tokens = trace.tokens[stack]
    text = " ".join((tokens.text or " ".join(tokens.pieces)).split())
    text = _beginning(text, 24)
    target = stack == "decoder" and trace.spec.encoder is not None
    words = "tokens so far" if target or options.step is not None else "tokens"
    return Part(
        text=f"{len(tokens)} {words}\n{text}",
        note="The text cut into tokens, each a number (id) in the vocabulary",
    )


def _beginning(text: str, room: int) -> str:
    """As much as fits into so many letters, of which a Chinese character takes two."""
    taken = 0
    for place, letter in enumerate(text):
        taken += 2 if east_asian_width(letter) in "WF" else 1
        if taken > room:
            return text[: place - 1].rstrip() + "…"
    return text


def _layers_note(stack: StackSpec) -> str:
    """How the layers of a stack differ from one another, or do not."""
    if stack.shared_layers:
        return f"All layers of the {stack.name} share one set of weights."
    kinds = {_without_bias(block) for block in stack.blocks}
    return f"Layers of the {stack.name} differ; the chosen one is drawn." if len(kinds) > 1 else ""


def _without_bias(block: BlockSpec) -> BlockSpec:
    """A table of position biases belongs to the first layer, and serves all."""
    bias = isinstance(block.attention.positions, RelativeBuckets | DisentangledPositions)
    own = replace(block.attention, positions=None)
    return replace(block, attention=own) if bias else block


def _enter(inputs: Column, inside: Column, *, lit: bool) -> list[Arrow]:
    """From the embeddings into every box of the layer's first row, from above."""
    start = inputs.boxes[-1][0]
    x0, y0 = start.x + start.width, start.y + start.height / 2
    turn = x0 + GUTTER / 2 - 4
    above = inside.y - GAP
    kind = "selected" if lit else "plain"
    return [
        Arrow(points=((x0, y0), (turn, y0), (turn, above), (x, above), (x, inside.y)), kind=kind)
        for x in (box.x + box.width / 2 for box in inside.boxes[0])
    ]


def _memory(end: Box, drawn: _Drawn, boxes: list[Box]) -> Arrow:
    """From the encoder's last state into cross-attention, below what stands between."""
    assert drawn.cross is not None
    frame = next(box for box in drawn.boxes if box.kind == "group")
    between = [b for b in boxes if b.x + b.width > end.x and b.x < frame.x]
    low = max(b.y + b.height for b in between) + GAP
    middle, level = end.x + end.width / 2, drawn.cross.y + drawn.cross.height / 2
    side = frame.x - GUTTER / 4
    return Arrow(
        points=(
            (middle, end.y + end.height),
            (middle, low),
            (side, low),
            (side, level),
            (drawn.cross.x, level),
        ),
        kind="selected",
    )


def _cached(options: ViewOptions) -> bool:
    """Whether this step continued a run instead of making one."""
    return options.step is not None and options.step.index > 0


def _note(trace: Trace, options: ViewOptions) -> str:
    parts = []
    if trace.spec.architecture == "encoder-decoder":
        parts.append("The encoder's last state enters the cross-attention of every decoder layer.")
    parts += [note for stack in trace.spec.stacks if (note := _layers_note(stack))]
    if options.step is not None and not _cached(options):
        parts.append("This first step reads the last row of the prompt's own run.")
    elif options.step is not None:
        last = len(trace.tokens["decoder"]) - 1
        parts.append(
            f"At this step the decoder runs for position {last} alone; the keys and values of the"
            f" {last} before it come from the cache."
        )
        if trace.spec.encoder is not None:
            parts.append("The encoder does not run again.")
    else:
        parts.append("Click a part to open what it computes.")
    return " ".join(parts)


VIEW = View(
    key="architecture",
    title="Architecture",
    summary="The whole model as it is, from the text to its predictions, with shapes and weights",
    group="inside",
    order=10,
    draw=draw,
)

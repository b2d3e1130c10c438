"""Architecture: the whole model as it is, from the text to the heads, one layer in full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.counting import short
from app.figure import Arrow, Box, Diagram, Figure
from app.selection import Selection
from app.views import View, ViewOptions, _inputs, _outputs, _parts, _stacks
from app.views._blueprint import GAP, Column, elbow, lay_out
from app.views._outputs import Outputs
from app.views._parts import Lengths
from app.views._stacks import COLUMN, GUTTER, TOP, Drawn
from core.analysis import parameters
from core.analysis.entering import MEMORY
from core.spec import BlockSpec, DisentangledPositions, RelativeBuckets, StackSpec

if TYPE_CHECKING:
    from core.trace import Trace

INDENT = 24.0
"""So far to the right of the pooler stand the heads that read it."""

RUN_ANEW = {
    "mask": "Under this mask a new token changes the keys and values of all before it",
    "positions": "This model turns every position anew as the text grows",
}
"""Why a step finds nothing on the cache, as `core.reuse.rows_moved_by` names it."""


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    spec = trace.spec
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    x, memory = 4.0, None
    for stack in spec.stacks:
        drawn = _stack(trace, stack, selection, options, x)
        boxes += drawn.boxes
        arrows += drawn.arrows
        if memory is not None and drawn.crossings:
            size = _parts.shape(len(trace.tokens["encoder"]), spec.stacks[0].d_model)
            more, said = _stacks.cross(memory.end, drawn, boxes, f"{MEMORY} {size}")
            arrows += more
            boxes.append(said)
        memory, x = drawn, drawn.right + GUTTER
    assert memory is not None  # a model has a stack
    rows = _running(trace, spec.main_stack, options)
    outputs = _outputs.heads(
        spec.heads, spec.main_stack.d_model, rows, decoder=spec.decoder is not None
    )
    if outputs.direct or outputs.pooled:
        found, more = _heads(outputs, memory, x, below=len(spec.stacks) == 2)
        boxes += found
        arrows += more
        x = max(x, found[-1].x + found[-1].width + GUTTER)
    bottom = max(box.y + box.height for box in boxes)
    for arrow in arrows:
        bottom = max(bottom, *(y for _, y in arrow.points))
    kind = {"encoder": "encoder-only", "decoder": "decoder-only"}.get(
        spec.architecture, "encoder–decoder"
    )
    return Figure(
        title=f"{spec.name} · {kind} · {short(parameters.model(spec))} weights",
        panels=(
            Diagram(
                title="",
                boxes=tuple(boxes),
                arrows=tuple(arrows),
                width=x - GUTTER + 4,
                height=bottom + 6,
            ),
        ),
        note=_note(trace, options),
        hint="Click a part to open what it computes." if options.step is None else "",
    )


def _stack(
    trace: Trace, stack: StackSpec, selection: Selection, options: ViewOptions, x: float
) -> Drawn:
    spec = trace.spec
    translates = spec.architecture == "encoder-decoder"
    looked = selection.stack == stack.name
    layer = min(selection.layer, stack.layers - 1) if looked else 0
    if translates and not looked and stack.name == "encoder":
        layer = stack.layers - 1  # its output is what the decoder reads
    shared = spec.shared_embedding and stack.name == "decoder" and spec.encoder is not None
    growing = stack is spec.decoder and (translates or options.step is not None)
    tokens = trace.tokens[stack.name]
    rows = _running(trace, stack, options)
    return _stacks.stack(
        stack,
        [
            *_inputs.text(
                tokens,
                changed=options.fill is not None,
                growing=growing,
                raw=options.raw_labels,
            ),
            *_inputs.embedding(stack.embedding, shared=shared),
        ],
        x=x,
        layer=layer,
        part=selection.part if looked else "self",
        now=Lengths(
            rows=rows, keys=len(tokens), memory=len(trace.tokens["encoder"]) if translates else 0
        ),
        d_memory=spec.encoder.d_model if spec.encoder is not None else None,
        idle=translates and stack.name == "encoder" and _follows(trace, options),
    )


def _running(trace: Trace, stack: StackSpec, options: ViewOptions) -> int:
    """How many positions are computed: one alone where the others come from the cache."""
    length = len(trace.tokens[stack.name])
    follows = stack is trace.spec.decoder and _follows(trace, options)
    return 1 if follows and _moved_by(trace) is None else length


def _heads(
    outputs: Outputs, drawn: Drawn, x: float, *, below: bool
) -> tuple[list[Box], list[Arrow]]:
    """Beside the stack, or below it where two stacks already fill the width; what the pooler feeds
    hangs on the pooler."""
    end, direct = (
        drawn.end,
        [part for part in (*outputs.direct, outputs.pooler) if part is not None],
    )
    if below:
        rows, at = [direct], (end.x, drawn.bottom + GAP)
    else:
        rows, at = [[part] for part in direct], (x, TOP + GAP)
    column = Column(x=at[0], y=at[1], width=COLUMN, rows=rows)
    boxes, _ = lay_out(column, "head")
    if below:
        y = end.y + end.height
        middles = ((box.x + box.width / 2, box.y) for box in boxes)
        arrows = [Arrow(points=((m, y), (m, top)), kind="selected") for m, top in middles]
    else:
        arrows = [elbow(end, box, lit=True) for box in boxes]
    if outputs.pooled:
        pooler = boxes[-1]
        y, turn = pooler.y + pooler.height, pooler.x + INDENT / 2
        rows = [[part] for part in outputs.pooled]
        hanging = Column(x=pooler.x + INDENT, y=y + GAP, width=pooler.width - INDENT, rows=rows)
        found, _ = lay_out(hanging, "head.pooled")
        for box in found:
            level = box.y + box.height / 2
            way = ((turn, y), (turn, level), (box.x, level))
            arrows.append(Arrow(points=way, kind="selected"))
        boxes = [*boxes, *found]
    return boxes, arrows


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


def _at_once(trace: Trace, options: ViewOptions) -> bool:
    """Whether what is shown in place of the last step is one run over all positions."""
    return options.step is not None and options.step.trace is not trace


def _follows(trace: Trace, options: ViewOptions) -> bool:
    """Whether this step continued a run instead of making one."""
    step = options.step
    return step is not None and step.index > 0 and not _at_once(trace, options)


def _moved_by(trace: Trace) -> Literal["mask", "positions"] | None:
    """Why nothing of the run before, one token shorter, could be kept; None where all of it was."""
    from core.reuse import rows_moved_by  # it imports torch, which listing the views must not

    choice, before = trace.request.mask("decoder.self"), trace.tokens["decoder"].real() - 1
    return rows_moved_by(trace.spec.stack("decoder"), choice, before)


def _note(trace: Trace, options: ViewOptions) -> str:
    parts = []
    if trace.spec.architecture == "encoder-decoder":
        parts.append("The encoder's last state m enters every cross-attention.")
    parts += [note for stack in trace.spec.stacks if (note := _layers_note(stack))]
    if options.step is not None:
        parts.append(_step_note(trace, options))
    return " ".join(parts)


def _step_note(trace: Trace, options: ViewOptions) -> str:
    """What runs at this step, and what is taken from the steps before."""
    length = len(trace.tokens["decoder"])
    if _at_once(trace, options):
        return f"Teacher forcing: one run over all {length} positions, with nothing from the cache."
    if not _follows(trace, options):
        return "This first step reads the last row of the prompt's own run."
    moved = _moved_by(trace)
    if moved is None:
        note = (
            f"The decoder now runs for position {length - 1} alone; the keys and values of the"
            f" {length - 1} before it come from the cache."
        )
    else:
        note = f"{RUN_ANEW[moved]}, so the decoder now runs for all {length} positions."
    return note if trace.spec.encoder is None else f"{note} The encoder does not run again."


VIEW = View(
    key="architecture",
    title="Architecture",
    summary="The whole model as it is, from the text to its predictions, with shapes and weights",
    group="inside",
    order=10,
    draw=draw,
    looks=frozenset({"site", "layer"}),
)

"""Head table: every number of every head, a row a head, sorted by any column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.choices import HEAD_ORDER_NAMES, HEAD_ORDERS
from app.counting import counted
from app.figure import Axis, Cell, Figure, Floats, WordGrid
from app.selection import Selection
from app.views import View, ViewOptions, heads
from app.views._maps import sinks_note, still_count
from app.views._tokens import ATTENTION, no_site
from core.analysis import copying as _copying
from core.analysis.copying import can_copy, copying
from core.analysis.head_kinds import KINDS, head_kinds
from core.progress import part

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

MOST_HEADS = 512
NAMES = {"entropy": "entropy", "distance": "distance", **heads.NAMES, "copying": "copying"}
NAMES |= {"previous": "previous", "next": "next", "first": "first", "special": "other special"}
COPYING = (
    "Copying: logits by which a head raises what it attends to above the average token,"
    " through final norm and output head alone."
)
FORMS = {"entropy": "z.2f", "distance": "z.1f", "copying": "+z.3f"}


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    numbers = _numbers(trace, selection, options)
    blank = heads.unmeasured(numbers["entropy"], trace, selection, options)
    order = _order(numbers, _heads(trace, selection), options)
    chosen = None if selection.head is None else (selection.layer, selection.head)
    shown = order[:MOST_HEADS]
    if chosen in order and chosen not in shown:
        shown = [*shown[:-1], chosen]
    columns = list(numbers)
    largest = {name: _largest(values) for name, values in numbers.items()}
    by = options.heads_by if options.heads_by in numbers else ""
    sign = " ▲" if options.heads_reversed else " ▼"
    grid = WordGrid(
        title="",
        cells=tuple(_row(numbers, largest, place, blank.get(place)) for place in shown),
        rows=Axis(title="Head", labels=tuple(f"layer {i + 1}, head {j + 1}" for i, j in shown)),
        columns=Axis(
            title="Measure",
            labels=tuple(NAMES[name] + (sign if name == by else "") for name in columns),
        ),
        picks=(None, "sort"),
        row=shown.index(chosen) if chosen in shown else None,
        column=columns.index(by) if by else None,
    )
    return Figure(
        title=f"{ATTENTION[selection.site]} · {counted(len(order), 'head')} {_sorted(by, options)}",
        panels=(grid,),
        note=_note(trace, selection, options, len(shown), len(order)),
        hint="Click a measure to sort by it.",
    )


def _numbers(trace: Trace, selection: Selection, options: ViewOptions) -> dict[str, Floats]:
    """[layer, head] for each column, in the order of `HEAD_ORDERS` after "layer"."""
    found = head_kinds(trace, selection.site, drop_sinks=options.drop_sinks)
    known = {"entropy": found.entropy, "distance": found.distance}
    known |= dict(zip(KINDS, found.weights, strict=True))
    known["copying"] = copying(trace, selection.site, drop_sinks=options.drop_sinks)
    return {name: known[name] for name in HEAD_ORDERS if name != "layer"}


def _heads(trace: Trace, selection: Selection) -> list[tuple[int, int]]:
    """(layer, head) of every head there is."""
    stack = trace.spec.stack(selection.stack)
    counts = [stack.attention(selection.part, i).heads for i in range(stack.layers)]
    return [(i, j) for i, count in enumerate(counts) for j in range(count)]


def _order(
    numbers: dict[str, Floats], places: list[tuple[int, int]], options: ViewOptions
) -> list[tuple[int, int]]:
    """Those without the number last."""
    if options.heads_by not in numbers:
        return places[::-1] if options.heads_reversed else places
    values = numbers[options.heads_by]
    sign = 1 if options.heads_reversed else -1

    def rank(place: tuple[int, int]) -> tuple[bool, float]:
        value = float(values[place])
        return bool(np.isnan(value)), 0.0 if np.isnan(value) else sign * value

    return sorted(places, key=rank)


def _largest(values: Floats) -> float:
    """Of a column; 0 where there is no number at all."""
    return 0.0 if np.isnan(values).all() else float(np.nanmax(np.abs(values)))


def _row(
    numbers: dict[str, Floats],
    largest: dict[str, float],
    place: tuple[int, int],
    blank: str | None,
) -> tuple[Cell, ...]:
    """blank: why the head has no numbers; a measure alone lacks its key, or its number."""
    layer, head = place
    picks = (("layer", layer), ("head", head))
    cells = []
    for name, values in numbers.items():
        value = float(values[place])
        if np.isnan(value):
            note = blank or "no query here sees such a key"
            cells.append(Cell(text="–", strength=None, note=note, picks=picks))
            continue
        strength = max(0.0, value) / largest[name] if largest[name] > 0 else 0.0
        text = format(value, FORMS.get(name, ".3f")).replace("-", "−")
        cells.append(
            Cell(
                text=text,
                strength=0.75 * strength,
                action="click: its map",
                value=value,
                picks=picks,
            )
        )
    return tuple(cells)


def _sorted(by: str, options: ViewOptions) -> str:
    if not by:
        return "in the model's order" + (", last first" if options.heads_reversed else "")
    name = HEAD_ORDER_NAMES[options.heads_by]
    first = "least" if options.heads_reversed else "most"
    return f"by {name[0].lower()}{name[1:]}, {first} first"


def _note(trace: Trace, selection: Selection, options: ViewOptions, shown: int, count: int) -> str:
    parts = []
    if shown < count:
        parts.append(f"The first {shown} of {count} heads, and always the chosen one.")
    parts.append(
        "Entropy in bits, distance in tokens, else mean weight; colours compare a column's heads."
    )
    parts += [sinks_note(options), still_count(trace, selection, options, sinks=False).strip()]
    if can_copy(trace.spec, selection.site):
        parts.append(COPYING)
    else:
        parts.append("No copying score: these heads do not read tokens the output head names.")
    return " ".join(part for part in parts if part)


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if selection.site in trace.spec.sites:
        heads.prepare(trace, selection, options, part(should_stop, 0, 0.5))
        rest = part(should_stop, 0.5, 1)
        copying(trace, selection.site, rest, drop_sinks=options.drop_sinks)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    known = _copying.key(selection.site, options.drop_sinks)
    return selection.site not in trace.spec.sites or (
        heads.ready(trace, selection, options) and trace.remembers(known)
    )


VIEW = View(
    key="head_table",
    title="Head table",
    summary="Every number of every head, a row a head, sorted by any column",
    group="attention",
    order=60,
    draw=draw,
    prepare=prepare,
    ready=ready,
)

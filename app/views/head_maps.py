"""Head maps: one number for every head, as layers × heads: how spread out, how far, on what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._maps import sinks_note, still_count
from app.views._tokens import ATTENTION, no_site
from app.views.head_table import COPYING, prepare, ready
from app.views.heads import NAMES, unmeasured
from core.analysis.copying import can_copy, copying
from core.analysis.head_kinds import KINDS, head_kinds

if TYPE_CHECKING:
    from core.trace import Trace

TITLES = {"special": "On other special", "induction": "Induction", "offset": "At fixed distance"}
SHARED = "weight"  # the name of the numbers whose scale is one for all their maps


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    found = head_kinds(trace, selection.site, drop_sinks=options.drop_sinks)
    maps = [("Entropy in bits", found.entropy, _largest(found.entropy), "entropy")]
    if selection.part == "self":
        largest = _largest(found.distance)
        maps.append(("Distance in tokens", found.distance, largest, "distance"))
    maps += [
        (TITLES.get(kind, f"On {NAMES[kind]}"), values, 1.0, SHARED)
        for kind, values in zip(KINDS, found.weights, strict=True)
        if not np.isnan(values).all()
    ]
    means = "Means over the queries of this text."
    panels = [
        _map(title, values, limit, name, selection, options) for title, values, limit, name in maps
    ]
    if can_copy(trace.spec, selection.site):
        panels.append(_copied(trace, selection, options))
        means += f" {COPYING}"
    blank = unmeasured(found.entropy, trace, selection, options)
    hatched = " ".join(f"Hatched: {why}." for why in dict.fromkeys(blank.values()))
    still = still_count(trace, selection, options, sinks=False).strip()
    scaled = "Each map's colours are scaled to its values." if options.limits == "auto" else ""
    return Figure(
        title=f"{ATTENTION[selection.site]} · every head in numbers",
        panels=tuple(panels),
        note=" ".join(
            part for part in (means, hatched, scaled, sinks_note(options), still) if part
        ),
        columns=3,
        most_columns=5,
    )


def _copied(trace: Trace, selection: Selection, options: ViewOptions) -> Heatmap:
    """How much each head raises the logits of what it attends to; lowering has the other colour."""
    scores = copying(trace, selection.site, drop_sinks=options.drop_sinks)
    limit = _largest(np.abs(scores))
    found = _map("Copying in logits", scores, limit, "logits", selection, options)
    return replace(found, scale="diverging", limits=(-limit, limit))


def _largest(values: Floats) -> float:
    """Of the numbers among them; 1 where there is none, as in a model whose weights hold NaN."""
    numbers = values[np.isfinite(values)]
    return max(float(numbers.max()), 1e-6) if numbers.size else 1.0


def _map(
    title: str,
    values: Floats,
    limit: float,
    name: str,
    selection: Selection,
    options: ViewOptions,
) -> Heatmap:
    layers, heads = values.shape
    automatic = options.limits == "auto"
    return Heatmap(
        title=title,
        values=values.astype(np.float32),
        rows=Axis(title="Layer", labels=tuple(str(i + 1) for i in range(layers))),
        columns=Axis(title="Head", labels=tuple(str(i + 1) for i in range(heads))),
        limits=(0.0, _largest(values) if automatic else limit),
        row=selection.layer,
        column=selection.head,
        cell_only=True,
        value_name=name,
        picks=("layer", "head"),
        scale_at="title" if name == SHARED and not automatic else "below",
    )


VIEW = View(
    key="head_maps",
    title="Head maps",
    summary="One number for every head: how spread out it is, how far it looks, on what",
    group="attention",
    order=50,
    draw=draw,
    prepare=prepare,
    ready=ready,
)

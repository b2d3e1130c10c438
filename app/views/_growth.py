"""How predicted words grow over the layers: a strip beside each list of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Bars, Floats, Heatmap, Panel
from app.selection import Selection
from app.views import ViewOptions
from app.views._bars import narrowed_by
from core.analysis.lens import growth

if TYPE_CHECKING:
    from core.trace import Trace

MOST_STRIPS, FEW = 3, 5  # lists followed word by word; words of each where there are several
OWN = ", the model's own"
OPEN = ", nothing ruled out"
"""Said of what is shown layer by layer where the lists beside it are narrowed: it never is."""


def followed(panels: list[Panel]) -> list[tuple[int, tuple[int, ...]]]:
    """(position, tokens) of each list: what is followed through the layers."""
    lists = [panel for panel in panels if isinstance(panel, Bars)]
    most = None if len(lists) == 1 else FEW if len(lists) <= MOST_STRIPS else 1
    found = []
    for bars in lists:
        tokens = tuple(bar.token for bar in bars.bars[:most] if bar.token is not None)
        if bars.position is not None and tokens:
            found.append((bars.position, tokens))
    return found


def strips(
    trace: Trace,
    lists: list[tuple[int, tuple[int, ...]]],
    selection: Selection,
    options: ViewOptions,
    *,
    ruled: bool = False,
) -> list[Panel]:
    """How the listed words grow over the layers: a map a list; of many lists, their first words
    in one map. ruled: whether the lists are without words that the checkpoint rules out."""
    grown = [growth(trace, place, tokens).T for place, tokens in lists]
    writes = trace.spec.decoder is not None
    own = OPEN if ruled else ""
    if narrowed_by(options.sampling, penalised=writes):
        own = OWN
    if len(lists) <= MOST_STRIPS:
        return [
            _strip(
                ("Layer by layer" if len(lists) == 1 else f"Layer by layer, at {place}") + own,
                values,
                tuple(options.pieces(token) for token in tokens),
                trace,
                selection,
                options,
            )
            for (place, tokens), values in zip(lists, grown, strict=True)
        ]
    names = tuple(f"{options.pieces(tokens[0])} at {place}" for place, tokens in lists)
    title = f"The first word of every list, layer by layer{own}"
    return [_strip(title, np.concatenate(grown), names, trace, selection, options)]


def _strip(
    title: str,
    values: Floats,
    names: tuple[str, ...],
    trace: Trace,
    selection: Selection,
    options: ViewOptions,
) -> Heatmap:
    """values: [token, layer + 1]."""
    stack = trace.spec.main_stack
    automatic = options.limits == "auto"
    return Heatmap(
        title=title,
        values=np.ascontiguousarray(values),
        rows=Axis(title="", labels=names),
        columns=Axis(
            title="After layer", labels=("emb", *(str(i + 1) for i in range(stack.layers)))
        ),
        limits=(0.0, max(float(values.max()), 1e-6) if automatic else 1.0),
        column=selection.layer + 1 if selection.stack == stack.name else None,
        value_name="probability",
        limits_note="colours scaled to these values" if automatic else "",
    )

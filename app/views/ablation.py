"""Heads switched off: how much the prediction changes when one head, or a layer's, give nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Figure, Floats, Heatmap
from app.selection import Selection
from app.views import View, ViewOptions
from app.views._focus import answer_name, answer_position, no_prediction
from app.views._tokens import ATTENTION, empty, no_site
from app.views._vectors import beyond, round_end, symmetric
from core.analysis.ablation import ablation, key

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace


def draw(trace: Trace, selection: Selection, options: ViewOptions) -> Figure:
    missing = no_site(trace.spec, selection)
    if missing is not None:
        return missing
    if trace.spec.heads.vocab is None:
        return empty("Heads switched off", no_prediction(trace, options))
    position = answer_position(trace, selection, options)
    found = ablation(trace, selection.site, position)
    without = _with_all(found.without, found.without_all)
    divergence = _with_all(found.divergence, found.divergence_all)
    absent = np.isnan(divergence)
    # What the head gives, not what is lost: for the token is positive, as in every other view.
    given = np.where(absent, 0, found.probability - without).astype(np.float32)
    bits = np.where(absent, 0, divergence).astype(np.float32)
    answer = options.pieces(found.answer)
    where = answer_name(trace, position, found.answer, options)
    with_heads = "with the heads of this run" if trace.edited else "with all heads"
    details = (
        (f"P(“{answer}”) without", without),
        (with_heads, np.full_like(given, found.probability)),
    )
    layers, columns = given.shape
    rows = Axis(title="Layer", labels=tuple(str(i + 1) for i in range(layers)))
    heads = Axis(
        title="Head",
        labels=(*(str(i + 1) for i in range(columns - 1)), "all"),
        numbers=(*range(columns - 1), None),
        spoken=(*(f"head {i + 1}" for i in range(columns - 1)), "all heads at once"),
    )

    def panel(title: str, values: Floats, limits: tuple[float, float], name: str) -> Heatmap:
        largest = float(np.abs(values).max())
        return Heatmap(
            title=title,
            values=values,
            rows=rows,
            columns=heads,
            limits=limits,
            scale="diverging" if limits[0] < 0 else "sequential",
            hidden=absent if absent.any() else None,
            row=selection.layer,
            column=selection.head,
            value_name=name,
            picks=("layer", "head"),
            details=details,
            # One head moves little beside all of them, and would be pale on their scale.
            limits_note=beyond(limits[1], largest) if largest > limits[1] else "",
        )

    return Figure(
        title=f"{ATTENTION[selection.site]} without one head, or without all",
        panels=(
            panel(f"Added to P(“{answer}”)", given, symmetric(given[:, :-1]), "added"),
            panel(
                "Change of all probabilities (KL, bits)",
                bits,
                (0.0, round_end(float(bits[:, :-1].max()))),
                "bits",
            ),
        ),
        note=(
            f"{with_heads.capitalize()} the likeliest is {where}: P = {found.probability:.4f}."
            " Each cell is a run of its own with that head's output set to 0, in the column “all”"
            " that of every head of the layer; red: they speak for the token, blue: against it."
        ),
        columns=2,
    )


def _with_all(heads: Floats, together: Floats) -> Floats:
    """[layer, head + 1]: the heads of each layer, and all of them behind."""
    return np.concatenate([heads, together[:, None]], axis=1)


def prepare(
    trace: Trace, selection: Selection, options: ViewOptions, should_stop: ShouldStop | None
) -> None:
    if _applies(trace, selection):
        position = answer_position(trace, selection, options)
        ablation(trace, selection.site, position, should_stop)


def ready(trace: Trace, selection: Selection, options: ViewOptions) -> bool:
    if not _applies(trace, selection):
        return True
    return trace.remembers(key(selection.site, answer_position(trace, selection, options)))


def _applies(trace: Trace, selection: Selection) -> bool:
    return selection.site in trace.spec.sites and trace.spec.heads.vocab is not None


VIEW = View(
    key="ablation",
    title="Heads switched off",
    summary="How much the prediction changes when one head, or all of a layer, give nothing",
    group="matters",
    order=30,
    draw=draw,
    prepare=prepare,
    ready=ready,
)

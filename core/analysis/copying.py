"""How much every head copies: whether it makes the tokens it attends to likelier as output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.edited import left
from core.analysis.sinks import sinks, without
from core.progress import step

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.spec import ModelSpec
    from core.trace import Trace

Floats = NDArray[np.float32]


def can_copy(spec: ModelSpec, site: str) -> bool:
    """Whether what a head reads are tokens that the output head could name: the site must be of the
    stack below a vocabulary head, and its keys tokens of the same vocabulary."""
    stack, part = site.split(".")
    same = part == "self" or spec.shared_embedding
    return spec.heads.vocab is not None and stack == spec.main_stack.name and same


def key(site: str, drop_sinks: bool = False) -> tuple[object, ...]:
    """Under which a trace remembers the scores."""
    return "copying", site, drop_sinks


def copying(
    trace: Trace,
    site: str,
    should_stop: ShouldStop | None = None,
    *,
    drop_sinks: bool = False,
) -> Floats:
    """[layer, head], in logits: the copying score of each head on this text; remembered.

    The head's output at query i is c_i = Σ_j α_ij · v_j · W_O. Added to the last state of i, it
    moves the logits at i, to first order and through final norm and output head alone (not through
    later layers), by d_i [vocab]. With t_j the token of key j, the score is the mean over queries

        Σ_j α_ij · (d_i[t_j] − mean of d_i over the vocabulary).

    Above 0 the head raises what it attends to (a copying head: Elhage et al. 2021, "OV circuit";
    measured here on the states of this very run), below 0 it lowers it. A soft cap of the logits is
    left out; what the run's edits of the attention's output keep from arriving moves nothing
    (`edited.left`). Padding counts neither as query nor as key. drop_sinks: the sum takes the keys
    that are not `sinks`, their weights rescaled; c_i stays what the head writes. NaN for heads a
    layer lacks, and everywhere unless `can_copy`.
    """
    return trace.remembered(
        key(site, drop_sinks), lambda: _copying(trace, site, should_stop, drop_sinks)
    )


def _copying(trace: Trace, site: str, should_stop: ShouldStop | None, drop_sinks: bool) -> Floats:
    name, part = site.split(".")
    spec = trace.spec
    stack = spec.stack(name)
    counts = [stack.attention(part, layer).heads for layer in range(stack.layers)]
    scores = np.full((stack.layers, max(counts)), np.nan, np.float32)
    if not can_copy(spec, site):
        return scores
    assert spec.heads.vocab is not None
    queries = trace.tokens[name]
    keys = trace.tokens["encoder"] if part == "cross" else queries
    dropped = sinks(keys, spec.special.mask)
    table = trace.derive.token_table(name, output=not spec.heads.vocab.tied).cpu().float()
    named = table[list(keys.ids)].numpy()  # [key, d]
    usual = table.mean(dim=0).numpy()
    for layer, count in enumerate(counts):
        step(should_stop, layer / len(counts), "looking at what heads copy")
        allowed = trace.allowed(site, layer).numpy()
        allowed = allowed & ~dropped if drop_sinks else allowed
        real = ~np.array(queries.padding) & allowed.any(axis=1)
        if not real.any():
            continue
        maps = trace.derive.pattern(trace, site, layer, None, None)
        context = trace[f"{name}.{layer}.{part}.context"].to(maps)  # as edited, where it is
        matrix = trace.derive.output_weight(site, layer)[0].to(maps)
        written = context @ matrix  # [head, query, d_model]
        leaving = left(trace, f"{name}.{layer}.{part}.out")
        if leaving is not None:
            written = written * written.new_tensor(leaving)
        moved = trace.derive.towards_output(trace, written).cpu().float().numpy()
        weights = maps.cpu().float().numpy()
        weights = without(weights, dropped) if drop_sinks else weights
        raised = moved @ named.T - (moved @ usual)[..., None]  # [head, query, key]
        scores[layer, :count] = (weights * raised).sum(axis=-1)[:, real].mean(axis=-1)
    return scores

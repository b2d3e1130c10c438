"""What a key's value really brings: the weight times the size of the vector it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.edited import left
from core.analysis.states import norms
from core.progress import step

if TYPE_CHECKING:
    from core.request import ShouldStop
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contribution:
    """weights[query, key]; values[key]: ‖v‖, of the mean of all heads ‖v‖ averaged;
    norms[query, key]: ‖α·v·W_O‖, the length of what the key adds to the attention's output;
    shares: norms divided by their row's sum (a row of zeros stays so). What the run's edits of the
    context and of the output keep from arriving adds nothing (`edited.left`)."""

    weights: Floats
    values: Floats
    norms: Floats
    shares: Floats

    @property
    def nbytes(self) -> int:
        return 3 * self.weights.nbytes + self.values.nbytes


def key(site: str, layer: int, head: int | None) -> tuple[object, ...]:
    """Under which a trace remembers it."""
    return "contribution", site, layer, head


def contribution(
    trace: Trace, site: str, layer: int, head: int | None, should_stop: ShouldStop | None = None
) -> Contribution:
    """Norm-based analysis (Kobayashi et al. 2020): of one head, or with head None of all heads
    together, whose vectors may cancel: ‖Σ_h α_h·v_h·W_O,h‖. Remembered."""
    return trace.remembered(
        key(site, layer, head), lambda: _contribution(trace, site, layer, head, should_stop)
    )


def _contribution(
    trace: Trace, site: str, layer: int, head: int | None, should_stop: ShouldStop | None
) -> Contribution:
    stack, part = site.split(".")
    spec = trace.spec.stack(stack).attention(part, layer)
    prefix = f"{stack}.{layer}.{part}"
    v = trace[f"{prefix}.v"].numpy()  # [kv_head, key, d_value]
    context, out = left(trace, f"{prefix}.context"), left(trace, f"{prefix}.out")
    edited = context is not None or out is not None
    matrix = trace.derive.output_weight(site, layer)[0].cpu().float().numpy()
    if head is not None:
        weights = trace.pattern(site, layer, head).numpy()
        value = v[head // spec.group]
        sizes = norms(value)
        if edited:
            own = None if context is None else context[head, None]
            lengths = _arriving(
                weights[None], value[None], matrix[head, None], own, out, should_stop
            )
        else:
            # An edit may make a weight negative; a length never is.
            lengths = np.abs(weights) * norms(value @ matrix[head])
    else:
        maps = trace.pattern(site, layer).numpy()  # [head, query, key]
        weights = maps.mean(axis=0)
        shared = np.repeat(v, spec.group, axis=0)
        sizes = norms(shared).mean(axis=0)
        if edited:
            lengths = _arriving(maps, shared, matrix, context, out, should_stop)
        else:
            lengths = _together(maps, shared, matrix)
    sums = lengths.sum(axis=1, keepdims=True)
    shares = np.divide(lengths, sums, out=np.zeros_like(lengths), where=sums > 0)
    return Contribution(weights=weights, values=sizes, norms=lengths, shares=shares)


def _together(maps: Floats, v: Floats, matrix: Floats) -> Floats:
    """[query, key]: ‖Σ_h α_h·v_h·W_O,h‖."""
    outputs = np.einsum("hkv,hvd->khd", v, matrix, optimize=True)
    # ‖Σ_h α_h u_h‖² = Σ_hg α_h α_g (u_h · u_g): no [query, key, d_model] array is made.
    gram = outputs @ outputs.transpose(0, 2, 1)  # [key, head, head]
    mixed = np.einsum("hqk,khg->gqk", maps, gram, optimize=True)
    lengths: Floats = np.sqrt(np.maximum(np.einsum("gqk,gqk->qk", mixed, maps), 0))
    return lengths


def _arriving(
    maps: Floats,
    v: Floats,
    matrix: Floats,
    context: Floats | None,
    out: Floats | None,
    should_stop: ShouldStop | None,
) -> Floats:
    """The same where edits leave parts of the context [head, query, d_value] and of the output
    [query, d_model] alone, which may differ from query to query."""
    if out is None and context is not None and (context == context[..., :1]).all():
        return _together(maps * context[..., :1], v, matrix)  # whole heads, as mostly: much faster
    lengths = np.empty(maps.shape[1:], np.float32)
    for query in range(len(lengths)):
        step(should_stop, query / len(lengths), "measuring what each key brings")
        brought = maps[:, query, :, None] * v  # [head, key, d_value]
        if context is not None:
            brought = brought * context[:, query, None]
        added = (brought @ matrix).sum(axis=0)  # [key, d_model]
        lengths[query] = norms(added if out is None else added * out[query])
    return lengths

"""What a key's value really brings: the weight times the size of the vector it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.states import norms

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contribution:
    """weights[query, key]; values[key]: ‖v‖, of the mean of all heads ‖v‖ averaged;
    norms[query, key]: ‖α·v·W_O‖, the length of what the key adds to the attention's output;
    shares: norms divided by their row's sum (a row of zeros stays so)."""

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


def contribution(trace: Trace, site: str, layer: int, head: int | None) -> Contribution:
    """Norm-based analysis (Kobayashi et al. 2020): of one head, or with head None of all heads
    together, whose vectors may cancel: ‖Σ_h α_h·v_h·W_O,h‖. Remembered."""
    return trace.remembered(key(site, layer, head), lambda: _contribution(trace, site, layer, head))


def _contribution(trace: Trace, site: str, layer: int, head: int | None) -> Contribution:
    stack, part = site.split(".")
    spec = trace.spec.stack(stack).attention(part, layer)
    v = trace[f"{stack}.{layer}.{part}.v"].numpy()  # [kv_head, key, d_value]
    matrix = trace.derive.output_weight(site, layer)[0].cpu().float().numpy()
    if head is not None:
        weights = trace.pattern(site, layer, head).numpy()
        value = v[head // spec.group]
        brought = norms(value @ matrix[head])
        lengths = weights * brought
        sizes = norms(value)
    else:
        maps = trace.pattern(site, layer).numpy()  # [head, query, key]
        weights = maps.mean(axis=0)
        shared = np.repeat(v, spec.group, axis=0)
        sizes = norms(shared).mean(axis=0)
        outputs = np.einsum("hkv,hvd->khd", shared, matrix, optimize=True)
        # ‖Σ_h α_h u_h‖² = Σ_hg α_h α_g (u_h · u_g): no [query, key, d_model] array is made.
        gram = outputs @ outputs.transpose(0, 2, 1)  # [key, head, head]
        mixed = np.einsum("hqk,khg->gqk", maps, gram, optimize=True)
        lengths = np.sqrt(np.maximum(np.einsum("gqk,gqk->qk", mixed, maps), 0))
    sums = lengths.sum(axis=1, keepdims=True)
    shares = np.divide(lengths, sums, out=np.zeros_like(lengths), where=sums > 0)
    return Contribution(weights=weights, values=sizes, norms=lengths, shares=shares)

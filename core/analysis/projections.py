"""x → q, k, v: how one query, and one key with its value, are made from what attention reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.entering import entering, keys_from
from core.layers.attention import Attention
from core.layers.latent import LatentAttention
from core.spec import AttentionSpec, RotaryPositions

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Made:
    """A step on the way to q, k or v. name: "x·W_Q + b", "normalised" or, of the last one, "q".
    formula: how it comes about. values: [d_head] or, of v, [d_value]."""

    name: str
    formula: str
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projections:
    """reads: what the query is made from, in the names of a layer's steps; source: the same for
    the key and its value. d_reads, d_source: how wide these are. products: of q, k and v, what is
    multiplied ("x·W_Q + b"); then: what is done to those of q and k ("normalised", "rotated").
    q, k, v: the steps, of which the last is what attention used in this run."""

    reads: str
    source: str
    d_reads: int
    d_source: int
    products: tuple[str, str, str]
    then: tuple[str, ...]
    q: tuple[Made, ...]
    k: tuple[Made, ...]
    v: tuple[Made, ...]


def project(trace: Trace, site: str, layer: int, head: int, query: int, key: int) -> Projections:
    """Computed again from the recorded inputs; the last step of each is the recorded one."""
    stack, part = site.split(".")
    spec = trace.spec.stack(stack)
    block = trace.derive.network.stack(stack).block(layer)
    module: Attention = block.attention if part == "self" else block.cross
    reads, q_site = entering(spec, layer, part)
    source, k_site = keys_from(trace.spec, spec, layer, part)
    own, shared = spec.attention(part, layer), head // spec.attention(part, layer).group
    weight = next(module.parameters())
    x, y = (
        trace[name][place].to(weight.device, weight.dtype)
        for name, place in ((q_site, query), (k_site, key))
    )
    prefix = f"{stack}.{layer}.{part}"
    with torch.no_grad():
        made_q, made_k = _before_positions(module, x, head, shared, y)
    then: tuple[str, ...] = ("normalised",) if len(made_q) > 1 else ()
    then += ("rotated",) if isinstance(own.positions, RotaryPositions) else ()
    sources = {"q": reads, "k": source, "v": source}
    product = {key: _product(key, sources[key], own, _bias(module, key)) for key in sources}
    return Projections(
        reads=reads,
        source=source,
        d_reads=len(x),
        d_source=len(y),
        products=(product["q"], product["k"], product["v"]),
        then=then,
        q=_steps("q", product["q"], made_q, trace[f"{prefix}.q"][head, query], then),
        k=_steps("k", product["k"], made_k, trace[f"{prefix}.k"][shared, key], then),
        v=_steps("v", product["v"], [], trace[f"{prefix}.v"][shared, key], ()),
    )


def _before_positions(
    module: Attention, x: Tensor, head: int, shared: int, y: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """Of q and of k: the product with the matrix, and the same normalised where it is."""
    if isinstance(module, LatentAttention):
        q = module.queries(x[None, None], None)[0, head, 0]
        k = module.keys_values(y[None, None], None)[0][0, shared, 0]
        return [q], [k]
    q = module.q(x).unflatten(-1, (module.spec.heads, -1))[head]
    k = module.k(y).unflatten(-1, (module.spec.kv_heads, -1))[shared]
    if module.q_norm is None or module.k_norm is None:
        return [q], [k]
    return [q, module.q_norm(q)], [k, module.k_norm(k)]


def _steps(
    letter: str, product: str, made: list[Tensor], last: Tensor, then: tuple[str, ...]
) -> tuple[Made, ...]:
    """One a step; the last one is called by its letter, and holds the recorded vector."""
    names = [product, *then]
    held = [*made[: len(then)], last]
    formulas = [product, *(f"{product}, {word}" for word in then)]
    return tuple(
        Made(
            name=letter if place == len(then) else names[place],
            formula=f"{letter} = {formulas[place]}" if place == len(then) else formulas[place],
            values=_plain(values),
        )
        for place, values in enumerate(held)
    )


def _product(letter: str, source: str, spec: AttentionSpec, bias: bool) -> str:
    """norm(x)·W_Q + b; through a small vector where attention is latent."""
    upper, more = letter.upper(), " + b" if bias else ""
    if spec.latent is None or (letter == "q" and spec.latent.q_rank is None):
        return f"{source}·W_{upper}{more}"
    down = "W_DQ" if letter == "q" else "W_DKV"
    up = f"norm({source}·{down}{more})·W_U{upper}"
    return f"{up} and {source}·W_KR{more}" if letter == "k" else up


def _bias(module: Attention, letter: str) -> bool:
    """Whether the matrix that reads the stream has a bias."""
    if isinstance(module, LatentAttention):
        down = module.kv_down if letter != "q" else module.q_direct or module.q_down
        return down.bias is not None
    return {"q": module.q, "k": module.k, "v": module.v}[letter].bias is not None


def _plain(values: Tensor) -> Floats:
    return values.detach().cpu().float().numpy()

"""Inside a layer: every number between what enters a layer and what leaves it, for one query.

In the model's real order: `stream` follows its residual kind, `attend` its attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.edited import left
from core.spec import (
    AlibiPositions,
    AttentionSpec,
    BlockSpec,
    DisentangledPositions,
    RelativeBuckets,
)

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attending:
    """One head, one query. Sizes: key, d_head (d_value for v), d_model.

    products[key, d_head] = q ⊙ k, its rows sum to dots[key]; scaled = dots · scale;
    capped = c·tanh(scaled / c) where there is a soft cap; bias[key] where positions add one, with
    ALiBi slope · (key - query);
    scores = all of that; weights = softmax of the allowed scores; weighted[key, d_value] =
    weights · v, its columns sum to context[d_value]; head_out[d_model] = context · W_O of this
    head; out[d_model] = the same summed over all heads, plus `out_bias`.

    edited: whether an edit of the run changed the context or the output here. What it scaled is
    scaled in weighted, head_out and out_bias too; where it set a number, these are 0.
    """

    q: Floats
    k: Floats
    v: Floats
    products: Floats
    dots: Floats
    scale: float
    scaled: Floats
    softcap: float | None
    capped: Floats | None
    bias: Floats | None
    slope: float | None
    scores: Floats
    allowed: NDArray[np.bool_]
    weights: Floats
    weighted: Floats
    context: Floats
    head_out: Floats
    out_bias: Floats | None
    out: Floats
    edited: bool


def attend(trace: Trace, site: str, layer: int, head: int, query: int) -> Attending:
    """Everything between q and the attention's output. Values are the recorded ones; what is not
    recorded (products, dots, this head's share of the output) is computed from them."""
    stack, part = site.split(".")
    spec = trace.spec.stack(stack).attention(part, layer)
    prefix = f"{stack}.{layer}.{part}"
    shared = head // spec.group  # grouped heads share keys and values
    q = trace[f"{prefix}.q"][head, query].numpy()
    k = trace[f"{prefix}.k"][shared].numpy()
    v = trace[f"{prefix}.v"][shared].numpy()
    products = q * k
    dots = k @ q
    scaled = dots * np.float32(spec.score_scale)
    capped = None
    if spec.softcap is not None:
        capped = np.tanh(scaled / np.float32(spec.softcap)) * np.float32(spec.softcap)
    scores = trace.scores(site, layer, head, query).numpy()
    before = scaled if capped is None else capped
    # One bias module serves every layer of a stack, as the first layer's positions say.
    positions = trace.spec.stack(stack).blocks[0].attention.positions
    has_bias = part == "self" and isinstance(
        positions, RelativeBuckets | AlibiPositions | DisentangledPositions
    )
    weights = trace.pattern(site, layer, head, query).numpy()
    matrix, out_bias = trace.derive.output_weight(site, layer)
    context = trace[f"{prefix}.context"][head, query].numpy()
    reaching = _left(trace, f"{prefix}.context", head, query)
    leaving = _left(trace, f"{prefix}.out", query)
    return Attending(
        q=q,
        k=k,
        v=v,
        products=products,
        dots=dots,
        scale=spec.score_scale,
        scaled=scaled,
        softcap=spec.softcap,
        capped=capped,
        bias=scores - before if has_bias else None,
        slope=_slope(spec, head) if has_bias and isinstance(positions, AlibiPositions) else None,
        scores=scores,
        allowed=trace.allowed(site, layer)[query].numpy(),
        weights=weights,
        weighted=weights[:, None] * v * reaching,
        context=context,
        head_out=context @ matrix[head].cpu().float().numpy() * leaving,
        out_bias=None if out_bias is None else out_bias.cpu().float().numpy() * leaving,
        out=trace[f"{prefix}.out"][query].numpy(),
        edited=bool((reaching != 1).any() or (leaving != 1).any()),
    )


def _left(trace: Trace, site: str, *place: int) -> Floats:
    """`edited.left` at a place of the value, 1 without edits of it."""
    found = left(trace, site)
    return np.ones(1, np.float32) if found is None else found[place]


def _slope(spec: AttentionSpec, head: int) -> float:
    from core.layers.positions import alibi_slopes  # imports torch

    return alibi_slopes(spec.heads)[head]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """A vector [d_model] on its way: its name ("x + a"), what it is, and whether it is the stream
    itself or something computed from it on the side."""

    name: str
    meaning: str
    values: Floats
    in_stream: bool = False


def stream(trace: Trace, stack: str, layer: int, query: int) -> tuple[Stage, ...]:
    """The stages of one layer at one position, first to last, as this layer's residual kind has
    them."""
    block = trace.spec.stack(stack).blocks[layer]
    before = f"{stack}.embed.out" if layer == 0 else f"{stack}.{layer - 1}.resid.out"
    rows = [("x", "what enters the layer", before, True)]
    rows += [
        (name, meaning, f"{stack}.{layer}.{site}", in_stream)
        for name, meaning, site, in_stream in _order(block)
    ]
    return tuple(
        Stage(name=name, meaning=meaning, values=trace[site][query].numpy(), in_stream=in_stream)
        for name, meaning, site, in_stream in rows
    )


Row = tuple[str, str, str, bool]


def _order(block: BlockSpec) -> list[Row]:
    """(name, meaning, site, in the stream) of every step after x."""
    if block.residual == "parallel":
        second = [("norm′(x)", "normalised for the feed-forward network", "norm.ffn", False)]
        second = [] if block.shared_norm else second
        return [
            ("norm(x)", "normalised for attention", "norm.self", False),
            ("a", "attention(norm(x))", "self.out", False),
            *second,
            ("f", "feed-forward, beside the attention", "ffn.out", False),
            ("x + a + f", "what leaves the layer", "resid.out", True),
        ]
    if block.residual == "joint":
        return [
            ("a", "attention(x)", "self.out", False),
            ("f", "feed-forward(a)", "ffn.out", False),
            ("x + a + f", "the sum", "resid.out_sum", True),
            ("norm(x + a + f)", "what leaves the layer", "resid.out", True),
        ]
    steps = [("self", "a", "attention", "x", "h")]
    if block.cross is not None:
        steps.append(("cross", "c", "cross-attention", "h", "h′"))
    steps.append(("ffn", "f", "feed-forward", steps[-1][4], "out"))
    rows: list[Row] = []
    for part, name, what, source, result in steps:
        place = "out" if part == "ffn" else part
        leaves = " (leaves the layer)" if part == "ffn" else ""
        if block.residual == "post":
            rows += [
                (name, f"{what}({source})", f"{part}.out", False),
                (f"{source} + {name}", "the sum", f"resid.{place}_sum", True),
                (
                    f"{result} = norm({source} + {name})",
                    f"normalised{leaves}",
                    f"resid.{place}",
                    True,
                ),
            ]
            continue
        taken = f"norm({source})"
        if part == "self" and not block.first_norm:
            taken = source
        else:
            rows.append((taken, f"normalised for {what}", f"norm.{part}", False))
        rows.append((name, f"{what}({taken})", f"{part}.out", False))
        if block.residual == "sandwich":
            rows.append((f"norm({name})", "normalised again", f"norm.{part}_post", False))
            name = f"norm({name})"
        rows.append((f"{result} = {source} + {name}", f"the sum{leaves}", f"resid.{place}", True))
    return rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neurons:
    """The most active neurons of a feed-forward network at one position, strongest first.

    index: which. before: x·W_in. gate: x·W_gate where there is one. after: what W_out receives.
    of: how many neurons there are.
    """

    index: NDArray[np.int64]
    before: Floats
    gate: Floats | None
    after: Floats
    of: int


def neurons(trace: Trace, stack: str, layer: int, query: int, count: int) -> Neurons | None:
    """None where the layer's feed-forward network is a mixture of experts (see `experts`)."""
    prefix = f"{stack}.{layer}.ffn"
    if f"{prefix}.act" not in trace:
        return None
    after = trace[f"{prefix}.act"][query].numpy()
    index = np.argsort(-np.abs(after), kind="stable")[:count]
    gate = trace[f"{prefix}.gate"][query].numpy()[index] if f"{prefix}.gate" in trace else None
    return Neurons(
        index=index,
        before=trace[f"{prefix}.inner"][query].numpy()[index],
        gate=gate,
        after=after[index],
        of=len(after),
    )


def experts(trace: Trace, stack: str, layer: int, query: int) -> Floats | None:
    """[expert]: the router's weight of each expert, 0 where it does not run; None without any."""
    site = f"{stack}.{layer}.ffn.router"
    return trace[site][query].numpy() if site in trace else None

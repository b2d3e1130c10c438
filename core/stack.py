"""Residual, Block, Stack: the frame that holds the bricks.

`Residual` is the only place that knows post-, pre-, parallel, joint and sandwich norms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.cache import LayerCache
from core.layers.attention import Attention
from core.layers.disentangled import DisentangledAttention, RelativeTable
from core.layers.embedding import Embedding
from core.layers.experts import Experts
from core.layers.feedforward import FeedForward
from core.layers.latent import LatentAttention
from core.layers.norm import Norm
from core.layers.positions import AlibiBias, Bias, RelativeBias, Rotary, Rotation
from core.layers.twin import twin
from core.masks import OPEN, Mask
from core.recorder import SILENT, Recorder
from core.spec import (
    AlibiPositions,
    AttentionSpec,
    BlockSpec,
    DisentangledPositions,
    FeedForwardSpec,
    RelativeBuckets,
    RotaryPositions,
    StackSpec,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What one block needs besides its input."""

    mask: Mask = OPEN
    rotation: Rotation | None = None
    bias: Bias = None
    memory: Tensor | None = None
    cross_mask: Mask = OPEN
    cache: LayerCache | None = None


class Residual(nn.Module):
    """Adds a sublayer's output to the stream, with the norm where `BlockSpec.residual` puts it."""

    def __init__(self, name: str, spec: BlockSpec, *, dropout: float) -> None:
        super().__init__()
        self.name = name
        self.kind = spec.residual
        d_model = spec.attention.d_model
        first = name != "self" or spec.first_norm
        self.norm = Norm(spec.norm, d_model) if first else None
        self.post = Norm(spec.norm, d_model) if spec.residual == "sandwich" else None
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, h: Tensor, sublayer: Callable[[Tensor], Tensor], norms: Recorder, stream: Recorder
    ) -> Tensor:
        place = "out" if self.name == "ffn" else self.name
        if self.kind == "post":
            x = self.dropout(sublayer(h))
            total = stream.derived(f"{place}_sum", h + x, "position d_model", lambda: h + x)
            return stream(place, self.after(total, norms), "position d_model")
        x = self.dropout(sublayer(self.before(h, norms)))
        if self.post is not None:
            x = norms(f"{self.name}_post", self.post(x), "position d_model")
        return stream(place, h + x, "position d_model")

    def before(self, h: Tensor, norms: Recorder) -> Tensor:
        """The norm in front of this sublayer; the identity where the layer has none."""
        if self.norm is None:
            return h
        norm = self.norm
        return norms.derived(self.name, norm(h), "position d_model", lambda: norm(h))

    def after(self, total: Tensor, norms: Recorder) -> Tensor:
        """The norm behind the sum; it makes the stream, so it is held."""
        return (
            total if self.norm is None else norms(self.name, self.norm(total), "position d_model")
        )


class Block(nn.Module):
    """One layer: self-attention, cross-attention where there is one, feed-forward."""

    def __init__(self, spec: BlockSpec, *, d_memory: int | None, dropout: float = 0.0) -> None:
        super().__init__()
        self.spec = spec
        self.attention = make_attention(spec.attention)
        self.cross = make_attention(spec.cross, d_memory) if spec.cross is not None else None
        self.feedforward = make_feedforward(spec.feedforward)
        self.residual = nn.ModuleDict({"self": Residual("self", spec, dropout=dropout)})
        if spec.cross is not None:
            self.residual["cross"] = Residual("cross", spec, dropout=dropout)
        if not spec.shared_norm and spec.residual != "joint":
            self.residual["ffn"] = Residual("ffn", spec, dropout=dropout)

    def forward(
        self, h: Tensor, around: Surroundings, stack: str, layer: int, rec: Recorder = SILENT
    ) -> Tensor:
        def at(part: str) -> Recorder:
            return rec.at(stack, layer, part)

        def attend(x: Tensor) -> Tensor:
            out: Tensor = self.attention(
                x,
                mask=around.mask,
                rotation=around.rotation,
                bias=around.bias,
                cache=around.cache.self_ if around.cache is not None else None,
                rec=at("self"),
            )
            return out

        def look_across(x: Tensor) -> Tensor:
            assert self.cross is not None
            out: Tensor = self.cross(
                x,
                source=around.memory,
                mask=around.cross_mask,
                cache=around.cache.cross if around.cache is not None else None,
                rec=at("cross"),
            )
            return out

        def feed(x: Tensor) -> Tensor:
            out: Tensor = self.feedforward(x, at("ffn"))
            return out

        norms, stream = at("norm"), at("resid")
        first = self.sublayer("self")
        if self.spec.residual == "parallel":
            x = first.before(h, norms)
            y = self.sublayer("ffn").before(h, norms) if "ffn" in self.residual else x
            total = h + first.dropout(attend(x)) + first.dropout(feed(y))
            return stream("out", total, "position d_model")
        if self.spec.residual == "joint":
            a = attend(h)
            total = h + first.dropout(a) + first.dropout(feed(a))
            total = stream("out_sum", total, "position d_model")
            return stream("out", first.after(total, norms), "position d_model")
        h = first(h, attend, norms, stream)
        if self.cross is not None:
            h = self.residual["cross"](h, look_across, norms, stream)
        result: Tensor = self.residual["ffn"](h, feed, norms, stream)
        return result

    def sublayer(self, name: str) -> Residual:
        """The residual frame of "self", "cross" or "ffn"."""
        found = self.residual[name]
        assert isinstance(found, Residual)
        return found


class Stack(nn.Module):
    """Embedding, blocks, final norm; owns what its layers share: rotations and biases."""

    def __init__(
        self, spec: StackSpec, *, d_memory: int | None = None, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.spec = spec
        self.embedding = Embedding(spec.embedding, dropout=dropout)
        built = spec.blocks[:1] if spec.shared_layers else spec.blocks
        self.blocks = nn.ModuleList(make_blocks(built, d_memory=d_memory, dropout=dropout))
        self.bias = make_bias(spec)
        self.final_norm = (
            Norm(spec.final_norm, spec.d_model) if spec.final_norm is not None else None
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        ids: Tensor,
        *,
        positions: Tensor,
        key_positions: Tensor | None = None,
        segments: Tensor | None = None,
        masks: Sequence[Mask],
        memory: Tensor | None = None,
        cross_masks: Sequence[Mask] | None = None,
        cache: Sequence[LayerCache] | None = None,
        rec: Recorder = SILENT,
    ) -> Tensor:
        """ids, positions, segments [batch, position] -> [batch, position, d_model].

        key_positions: of all keys, cached ones included (None: `positions`). masks: one a layer.
        memory: the encoder's output [batch, key, d_memory].
        """
        h = self.embedding(ids, positions, segments, rec.at(self.spec.name, None, "embed"))
        return self.layers(
            h,
            positions=positions,
            key_positions=key_positions,
            masks=masks,
            memory=memory,
            cross_masks=cross_masks,
            cache=cache,
            rec=rec,
        )

    def layers(
        self,
        h: Tensor,
        *,
        first: int = 0,
        positions: Tensor,
        key_positions: Tensor | None = None,
        masks: Sequence[Mask],
        memory: Tensor | None = None,
        cross_masks: Sequence[Mask] | None = None,
        cache: Sequence[LayerCache] | None = None,
        rec: Recorder = SILENT,
    ) -> Tensor:
        """From the stream h [batch, position, d_model] that enters the layer `first` to the end of
        the stack, its final norm included."""
        name = self.spec.name
        keys = positions if key_positions is None else key_positions
        bias = self.position_bias(positions, keys)
        rotations = self.rotations(positions)
        for layer in range(first, self.spec.layers):
            where = self.spec.blocks[layer].attention.positions
            around = Surroundings(
                mask=masks[layer],
                rotation=rotations[where] if isinstance(where, RotaryPositions) else None,
                bias=bias,
                memory=memory,
                cross_mask=OPEN if cross_masks is None else cross_masks[layer],
                cache=None if cache is None else cache[layer],
            )
            h = self.block(layer)(h, around, name, layer, rec)
        if self.final_norm is not None:
            h = rec.at(name, None, "final")("norm", self.final_norm(h), "position d_model")
        out: Tensor = self.dropout(h)
        return out

    def block(self, layer: int) -> Block:
        """The module of a layer; all layers have the first one's when weights are shared."""
        found = self.blocks[0 if self.spec.shared_layers else layer]
        assert isinstance(found, Block)
        return found

    def position_bias(self, positions: Tensor, keys: Tensor) -> Bias:
        """What positions bring to the scores of every self-attention."""
        if self.bias is None:
            return None
        bias: Bias = self.bias(positions.clamp(min=0), keys.clamp(min=0))
        return bias

    def rotations(self, positions: Tensor) -> dict[RotaryPositions, Rotation]:
        """One pair of tables for each kind of rotation in the stack."""
        kinds = {b.attention.positions for b in self.spec.blocks}
        return {
            kind: Rotary(kind).tables(positions.clamp(min=0))
            for kind in kinds
            if isinstance(kind, RotaryPositions)
        }


def make_blocks(
    specs: Sequence[BlockSpec], *, d_memory: int | None, dropout: float
) -> Iterator[Block]:
    """One block a spec; without memory (on the meta device) equal ones are copies of the first."""
    empty = torch.get_default_device().type == "meta"
    made: dict[BlockSpec, Block] = {}
    for spec in specs:
        if empty and spec in made:
            yield twin(made[spec])
        else:
            made[spec] = Block(spec, d_memory=d_memory, dropout=dropout)
            yield made[spec]


def make_attention(spec: AttentionSpec, d_source: int | None = None) -> Attention:
    if spec.latent is not None:
        return LatentAttention(spec)
    if isinstance(spec.positions, DisentangledPositions):
        return DisentangledAttention(spec)
    return Attention(spec, d_source)


def make_feedforward(spec: FeedForwardSpec) -> nn.Module:
    return FeedForward(spec) if spec.experts is None else Experts(spec)


def make_bias(spec: StackSpec) -> nn.Module | None:
    first = spec.blocks[0].attention
    match first.positions:
        case RelativeBuckets():
            return RelativeBias(first.positions, first.heads)
        case AlibiPositions():
            return AlibiBias(first.heads)
        case DisentangledPositions():
            return RelativeTable(first.positions, first.d_model)
    return None

"""Layers and stacks of layers, with the embedding in front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.spec.norm import NormSpec
from core.spec.positions import EmbeddedPositions
from core.spec.sublayers import AttentionSpec, FeedForwardSpec

ResidualKind = Literal["post", "pre", "parallel", "joint", "sandwich"]
StackName = Literal["encoder", "decoder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSpec:
    """One layer.

    residual says where the norms stand:
      post      h = norm(h + attention(h)); h = norm(h + ffn(h))               (2017, BERT, BART)
      pre       h = h + attention(norm(h)); h = h + ffn(norm(h))               (GPT-2, Llama, T5)
      sandwich  h = h + norm(attention(norm(h))); h = h + norm(ffn(norm(h)))   (Gemma 2 and 3)
      parallel  h = h + attention(norm(h)) + ffn(norm'(h))                     (GPT-NeoX)
      joint     h = norm(h + a + ffn(a)), a = attention(h)                     (a textbook form)
    shared_norm: the parallel form uses one norm for both. first_norm False: the norm before
    attention is absent (ModernBERT's first layer).
    """

    attention: AttentionSpec
    feedforward: FeedForwardSpec
    norm: NormSpec
    residual: ResidualKind
    cross: AttentionSpec | None = None
    shared_norm: bool = False
    first_norm: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpec:
    """Token (+ position) (+ segment), scaled, normalised, projected.

    scale multiplies the token embedding. d_embed: width before projection to d_model (None: the
    same). norm: LayerNorm of the sum (BERT, BART). project_first: the token's vector alone is
    projected, and the rest added to it as wide as d_model (OPT-350m).
    """

    vocab: int
    d_model: int
    d_embed: int | None = None
    positions: EmbeddedPositions | None = None
    segments: int = 0
    scale: float = 1.0
    norm: NormSpec | None = None
    project_bias: bool = True
    project_first: bool = False

    @property
    def width(self) -> int:
        """Of the token table."""
        return self.d_embed if self.d_embed is not None else self.d_model

    @property
    def sum_width(self) -> int:
        """Of what is added up."""
        return self.d_model if self.project_first else self.width


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSpec:
    """An encoder or a decoder: embedding, blocks (which may differ), final norm.

    shared_layers: all blocks use the first block's weights (ALBERT). max_positions: the longest
    sequence it takes, None when nothing bounds it.
    """

    name: StackName
    embedding: EmbeddingSpec
    blocks: tuple[BlockSpec, ...]
    final_norm: NormSpec | None = None
    max_positions: int | None = None
    shared_layers: bool = False

    @property
    def d_model(self) -> int:
        return self.embedding.d_model

    @property
    def layers(self) -> int:
        return len(self.blocks)

    def attention(self, part: str, layer: int) -> AttentionSpec:
        """The attention of one layer; part is "self" or "cross"."""
        block = self.blocks[layer]
        found = block.attention if part == "self" else block.cross
        if found is None:
            raise KeyError(f"{self.name} layer {layer} has no {part}-attention")
        return found

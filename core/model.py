"""The Transformer: an encoder, a decoder or both, and the heads on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from core import masks
from core.cache import KVCache
from core.errors import RequestError
from core.heads import HeadBank
from core.masks import Mask
from core.recorder import SILENT, Recorder
from core.spec import ModelSpec, StackSpec
from core.stack import Stack


class Transformer(nn.Module):
    """Built from a ModelSpec alone. Batched; a padding flag is True where a token is padding.

    Without explicit masks each attention obeys the model's own mask, with padding hidden.
    """

    def __init__(self, spec: ModelSpec, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.spec = spec
        self.sources: Mapping[str, str] = {}
        """Parameter -> the checkpoint's tensor it came from, for messages."""
        self.missing: Mapping[str, str] = {}
        """Head -> one sentence that says why the checkpoint lacks it, for messages."""
        self.encoder = Stack(spec.encoder, dropout=dropout) if spec.encoder is not None else None
        d_memory = spec.encoder.d_model if spec.encoder is not None else None
        self.decoder = (
            Stack(spec.decoder, d_memory=d_memory, dropout=dropout)
            if spec.decoder is not None
            else None
        )
        if spec.shared_embedding and self.encoder is not None and self.decoder is not None:
            self.decoder.embedding.token = self.encoder.embedding.token
        self.heads = HeadBank(spec.heads, spec.main_stack.d_model)

    def stack(self, name: str) -> Stack:
        found = self.encoder if name == "encoder" else self.decoder
        if found is None:
            raise KeyError(f"{self.spec.name} has no {name}")
        return found

    def encode(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        padding: Tensor | None = None,
        self_masks: Sequence[Mask] | None = None,
        rec: Recorder = SILENT,
    ) -> Tensor:
        """ids, segments, padding [batch, position] -> states [batch, position, d_model]."""
        stack = self.stack("encoder")
        padding = torch.zeros_like(ids, dtype=torch.bool) if padding is None else padding
        positions = masks.positions(padding)
        states: Tensor = stack(
            ids,
            positions=positions,
            segments=segments,
            masks=self_masks or own_masks(stack.spec, positions, positions, padding),
            rec=rec,
        )
        return states

    def decode(
        self,
        ids: Tensor,
        *,
        memory: Tensor | None = None,
        memory_padding: Tensor | None = None,
        segments: Tensor | None = None,
        padding: Tensor | None = None,
        self_masks: Sequence[Mask] | None = None,
        cross_masks: Sequence[Mask] | None = None,
        cache: KVCache | None = None,
        rec: Recorder = SILENT,
    ) -> Tensor:
        """ids [batch, position] of the new positions -> states [batch, position, d_model].

        padding [batch, key] covers cached positions too. memory [batch, key, d_model] is the
        encoder's output.
        """
        stack = self.stack("decoder")
        start = 0 if cache is None else cache.length
        if padding is None:
            shape = (ids.shape[0], start + ids.shape[1])
            padding = torch.zeros(shape, dtype=torch.bool, device=ids.device)
        keys = masks.positions(padding)
        queries = keys[:, start:]
        if self_masks is None:
            self_masks = own_masks(stack.spec, queries, keys, padding, start)
        if cross_masks is None and memory_padding is not None:
            cross = masks.from_allowed(~memory_padding[:, None, None, :])
            cross_masks = [cross] * stack.spec.layers
        states: Tensor = stack(
            ids,
            positions=queries,
            key_positions=keys,
            segments=segments,
            masks=self_masks,
            memory=memory,
            cross_masks=cross_masks,
            cache=None if cache is None else cache.layers,
            rec=rec,
        )
        return states

    def vocab_logits(self, states: Tensor, rec: Recorder = SILENT) -> Tensor:
        """states of the main stack [batch, position, d_model] -> [batch, position, vocab].

        Raises RequestError where there is no vocabulary head.
        """
        if self.heads.vocab is None:
            why = self.missing.get("vocab", f"{self.spec.name} has no vocabulary head")
            raise RequestError(f"there are no logits: {why}")
        table = self.stack(self.spec.main_stack.name).embedding.token.weight
        logits: Tensor = self.heads.vocab(states, table, rec)
        return logits

    def new_cache(self) -> KVCache:
        """An empty cache for the decoder."""
        stack = self.stack("decoder")
        return KVCache(stack.spec.layers, cross=self.encoder is not None)


def own_masks(spec: StackSpec, q: Tensor, k: Tensor, padding: Tensor, start: int = 0) -> list[Mask]:
    """The model's own mask of each layer, for a batch: positions [batch, query] and [batch, key].

    Layers alike share one Mask.
    """
    padded = bool(padding.any())
    made: dict[tuple[bool, int | None], Mask] = {}
    for block in spec.blocks:
        attention = block.attention
        key = (attention.causal, attention.window)
        if key in made:
            continue
        if not padded and attention.window is None and (not attention.causal or q.shape[1] == 1):
            made[key] = masks.OPEN
        elif not padded and attention.window is None and start == 0:
            made[key] = masks.CAUSAL
        else:
            seen = masks.own(attention, q[:, :, None], k[:, None, :]) & ~padding[:, None, :]
            made[key] = masks.from_allowed(seen[:, None])
    return [made[b.attention.causal, b.attention.window] for b in spec.blocks]

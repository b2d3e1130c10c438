"""The key/value cache: what decoding keeps so that earlier positions are never recomputed."""

from __future__ import annotations

import torch
from torch import Tensor

_ROOM = 64


class AttentionCache:
    """Keys and values of one attention, [batch, kv_head, position, d].

    The first block is held as it came, without a copy; it belongs to the run that made it, so it is
    never written to. Later ones are written into room kept ahead, so that a step costs no copy of
    what is there. fixed: filled once and then only read (cross-attention).
    """

    def __init__(self, *, fixed: bool = False) -> None:
        self._k: Tensor | None = None
        self._v: Tensor | None = None
        self.length = 0
        self.fixed = fixed
        self._mine = False

    @property
    def closed(self) -> bool:
        return self.fixed and self.length > 0

    def read(self) -> tuple[Tensor, Tensor]:
        assert self._k is not None and self._v is not None
        return self._k[:, :, : self.length], self._v[:, :, : self.length]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add new positions; returns all keys and values so far."""
        end = self.length + k.shape[2]
        if self.length == 0:
            self._k, self._v, self._mine = k, v, False
        else:
            assert self._k is not None and self._v is not None
            room = self._k.shape[2] if self._mine else 0
            if not end <= room <= max(8 * end, _ROOM):  # too little, or kept for a text long gone
                self._k = _with_room(self._k, self.length, end)
                self._v = _with_room(self._v, self.length, end)
                self._mine = True
            self._k[:, :, self.length : end] = k
            self._v[:, :, self.length : end] = v
        self.length = end
        return self.read()

    def crop(self, length: int) -> None:
        """Forget positions from `length` on; a fixed cache keeps everything."""
        if not self.fixed:
            self.length = min(self.length, length)

    def reorder(self, rows: Tensor) -> None:
        """Take batch rows in a new order (beam search)."""
        if self._k is not None and self._v is not None:
            self._k, self._v, self._mine = self._k[rows], self._v[rows], True

    @property
    def bytes(self) -> int:
        """Bytes of what is held, without the room kept ahead."""
        return 0 if self._k is None else sum(t.nbytes for t in self.read())


class LayerCache:
    """The caches of one layer; `cross` only in an encoder-decoder's decoder."""

    def __init__(self, *, cross: bool) -> None:
        self.self_ = AttentionCache()
        self.cross = AttentionCache(fixed=True) if cross else None


class KVCache:
    """One LayerCache a layer."""

    def __init__(self, layers: int, *, cross: bool = False) -> None:
        self.layers = [LayerCache(cross=cross) for _ in range(layers)]
        self.stamp = 0
        """Counts the runs that moved this cache; see `core.reuse`."""

    @property
    def length(self) -> int:
        """Positions held by the self-attention caches."""
        return self.layers[0].self_.length if self.layers else 0

    def crop(self, length: int) -> None:
        """Go back to the first `length` positions."""
        for layer in self.layers:
            layer.self_.crop(length)

    def reorder(self, rows: Tensor) -> None:
        for layer in self.layers:
            layer.self_.reorder(rows)
            if layer.cross is not None:
                layer.cross.reorder(rows)

    @property
    def bytes(self) -> int:
        """Bytes of keys and values held, cross-attention included."""
        return self.self_bytes + self.cross_bytes

    @property
    def self_bytes(self) -> int:
        return sum(layer.self_.bytes for layer in self.layers)

    @property
    def cross_bytes(self) -> int:
        return sum(layer.cross.bytes for layer in self.layers if layer.cross is not None)


def _with_room(held: Tensor, length: int, end: int) -> Tensor:
    """A buffer with room for more than `end` positions that starts with the `length` held ones."""
    size = (*held.shape[:2], max(2 * end, _ROOM), held.shape[3])
    grown = torch.empty(size, dtype=held.dtype, device=held.device)
    grown[:, :, :length] = held[:, :, :length]
    return grown

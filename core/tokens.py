"""A tokenised text: what a stack reads, and what a person sees of it.

torch is imported inside the methods: the window reads the tokenizers while torch is being opened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from core.spelling import Spelling

if TYPE_CHECKING:
    import torch
    from torch import Tensor

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """One sequence of tokens; all tuples have the same length.

    ids: vocabulary ids. pieces: the tokenizer's own spelling ("Ġthe", "##ing", "▁cat").
    spans: characters (start, end) in `text` or, for sequence 1, in `pair`; None for tokens that
    stand for no characters. segments: token-type ids as fed to the model. sequence: 0 in the
    first text, 1 in the pair, None between. special and padding: flags; a special token the person
    typed has a span, one that was added has none. spelling: how the pieces write text, None where
    that is not known.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[tuple[int, int] | None, ...]
    segments: tuple[int, ...]
    sequence: tuple[int | None, ...]
    special: tuple[bool, ...]
    padding: tuple[bool, ...]
    text: str = ""
    pair: str | None = None
    spelling: Spelling | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of_ids(cls, ids: list[int] | tuple[int, ...], pieces: list[str] | None = None) -> Tokens:
        """Explicit ids, for scripts and tests; pieces default to the ids in angle brackets."""
        count = len(ids)
        return cls(
            ids=tuple(ids),
            pieces=tuple(pieces) if pieces is not None else tuple(f"⟨{i}⟩" for i in ids),
            spans=(None,) * count,
            segments=(0,) * count,
            sequence=(0,) * count,
            special=(False,) * count,
            padding=(False,) * count,
        )

    def real(self, end: int | None = None) -> int:
        """How many of the first `end` tokens (None: of all) are no padding."""
        flags = self.padding[:end]
        return len(flags) - sum(flags)

    @property
    def positions(self) -> tuple[int | None, ...]:
        """The position of each token as the model counts it; None for padding."""
        found: list[int | None] = []
        count = 0
        for is_padding in self.padding:
            found.append(None if is_padding else count)
            count += not is_padding
        return tuple(found)

    def padded(self, length: int, *, pad: int, piece: str, side: str = "right") -> Tokens:
        """Padded with the id `pad` to `length` on one side; unchanged when long enough."""
        more = length - len(self)
        if more <= 0:
            return self

        def join(own: tuple[T, ...], filler: T) -> tuple[T, ...]:
            extra = (filler,) * more
            return own + extra if side == "right" else extra + own

        return replace(
            self,
            ids=join(self.ids, pad),
            pieces=join(self.pieces, piece),
            spans=join(self.spans, None),
            segments=join(self.segments, 0),
            sequence=join(self.sequence, None),
            special=join(self.special, True),
            padding=join(self.padding, True),
        )

    def extended(self, token: int, piece: str, *, special: bool = False) -> Tokens:
        """One generated token appended."""
        last = self.segments[-1] if self.segments else 0
        return replace(
            self,
            ids=(*self.ids, token),
            pieces=(*self.pieces, piece),
            spans=(*self.spans, None),
            segments=(*self.segments, last),
            sequence=(*self.sequence, 0),
            special=(*self.special, special),
            padding=(*self.padding, False),
        )

    def started(self, start: int, piece: str, count: int) -> Tokens:
        """What a decoder reads of the same text: the id `start`, then the first `count` tokens."""
        return replace(
            self,
            ids=(start, *self.ids[:count]),
            pieces=(piece, *self.pieces[:count]),
            spans=(None, *self.spans[:count]),
            segments=(self.segments[0], *self.segments[:count]),
            sequence=(None, *self.sequence[:count]),
            special=(True, *self.special[:count]),
            padding=(False, *self.padding[:count]),
        )

    def replaced(self, position: int, token: int, piece: str) -> Tokens:
        """The same sequence with another token at `position`."""

        def put(own: tuple[T, ...], new: T) -> tuple[T, ...]:
            return (*own[:position], new, *own[position + 1 :])

        return replace(
            self,
            ids=put(self.ids, token),
            pieces=put(self.pieces, piece),
            special=put(self.special, False),
        )

    def shares_prefix(self, other: Tokens) -> int:
        """How many leading tokens are the same for a model (id, segment, padding)."""
        size = min(len(self), len(other))
        if all(
            getattr(self, f)[:size] == getattr(other, f)[:size]
            for f in ("ids", "segments", "padding")
        ):
            return size  # the usual case, one token more, without a loop in Python
        count = 0
        for mine, theirs in zip(
            zip(self.ids, self.segments, self.padding, strict=True),
            zip(other.ids, other.segments, other.padding, strict=True),
            strict=False,
        ):
            if mine != theirs:
                break
            count += 1
        return count

    def ids_tensor(self, device: torch.device | str = "cpu") -> Tensor:
        """[position] int64."""
        import torch

        return torch.tensor(self.ids, dtype=torch.long, device=device)

    def padding_tensor(self, device: torch.device | str = "cpu") -> Tensor:
        """[position] bool, True where padding."""
        import torch

        return torch.tensor(self.padding, dtype=torch.bool, device=device)

    def segments_tensor(self, device: torch.device | str = "cpu") -> Tensor:
        """[position] int64."""
        import torch

        return torch.tensor(self.segments, dtype=torch.long, device=device)

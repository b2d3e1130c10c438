"""What a tokenizer does underneath: text to ids and pieces, pieces back to text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.spelling import Spelling
from core.text.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One token of an encoded text.

    span: characters of its text; None when it stands for none. sequence: 0 in the text, 1 in the
    pair, None for a token that was added. segment: token-type id, before the model has its say.
    """

    id: int
    span: tuple[int, int] | None
    sequence: int | None = 0
    segment: int = 0

    @property
    def added(self) -> bool:
        """Put there by the tokenizer, not typed."""
        return self.sequence is None


class Engine(Protocol):
    """Built on `tokenizers` (core.text.library) or on `sentencepiece` (core.text.spm)."""

    @property
    def spelling(self) -> Spelling: ...

    @property
    def size(self) -> int:
        """One more than the highest id."""
        ...

    @property
    def special(self) -> frozenset[int]:
        """Ids that stand for no text; without the one for unknown words."""
        ...

    def encode(self, text: str, pair: str | None, *, add_special: bool) -> list[Part]: ...

    def piece(self, token: int) -> str | None: ...

    def id_of(self, piece: str) -> int | None: ...

    def join(self, pieces: Sequence[str]) -> str:
        """Pieces -> text. A string that is no piece is taken as it stands."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An engine, what is known of its family, and sentences about what had to be assumed.

    target: reads and writes the decoder's texts, where that is another one (Marian)."""

    engine: Engine
    target: Engine | None = None
    settings: Settings
    notes: tuple[str, ...] = ()

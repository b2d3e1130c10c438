"""Things a person typed that this model reads otherwise than meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.engine import Engine, Part

_MASKS = re.compile(r"\[mask\]|<\|?mask(?:_\d+)?\|?>|<extra_id_\d+>", re.IGNORECASE)
_SENTINEL = "<extra_id_0>"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskHint:
    """Another model's mask token in a text. span: where it first stands. insert: what this model
    reads as a mask, None when it has none. message: a sentence for the person."""

    found: str
    span: tuple[int, int]
    insert: str | None
    message: str

    def applied(self, text: str) -> str:
        """The text with this model's mask wherever the other stands; unchanged when it has none."""
        return text if self.insert is None else text.replace(self.found, self.insert)


def foreign_mask(engine: Engine, mask: str | None, text: str) -> MaskHint | None:
    """The first mask token in the text that is none to this model."""
    known = {engine.piece(token) for token in engine.special}
    if mask is None and _SENTINEL in known:
        mask = _SENTINEL
    for found in _MASKS.finditer(text):
        written = found[0]
        if written in known or written == mask:
            continue
        message = (
            f"{written} is ordinary text to this model, which has no mask token."
            if mask is None
            else f"{written} is ordinary text to this model; its mask token is {mask}."
        )
        return MaskHint(found=written, span=found.span(), insert=mask, message=message)
    return None


def doubled(engine: Engine, parts: Sequence[Part]) -> tuple[str, ...]:
    """Sentences about a start or end token that was typed although it is added as well."""
    typed = [i for i, part in enumerate(parts) if not part.added]
    if not typed:
        return ()
    found = []
    for place, at, added in (
        ("start", typed[0], parts[: typed[0]]),
        ("end", typed[-1], parts[typed[-1] + 1 :]),
    ):
        if parts[at].id in {part.id for part in added}:
            piece = engine.piece(parts[at].id)
            found.append(f"{piece} was typed and is added as well: it stands at the {place} twice.")
    return tuple(found)

"""Words that a model does not know and reads as one and the same token; free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.tokens import Tokens

PIECES = ("[UNK]", "<unk>")
_NAMED, _LETTERS = 3, 16


def unknown_words(tokens: Tokens) -> tuple[tuple[str, str], ...]:
    """(what the person wrote, the piece that stands for it) wherever the model does not know it."""
    found = []
    for piece, span, sequence in zip(tokens.pieces, tokens.spans, tokens.sequence, strict=True):
        if piece in PIECES and span is not None:
            text = (tokens.pair or "") if sequence == 1 else tokens.text
            found.append((text[slice(*span)].strip(), piece))
    return tuple((word, piece) for word, piece in found if word not in ("", piece))


def sentence(every: Iterable[Tokens]) -> str:
    """Which words these are; empty where there are none."""
    found = [one for tokens in every for one in unknown_words(tokens)]
    words = tuple(dict.fromkeys(word for word, _ in found))
    if not words:
        return ""
    named = ", ".join(f"“{_short(word)}”" for word in words[:_NAMED])
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    reads = "it" if len(words) == 1 else "each"
    return f"This model does not know {named}{more}; it reads {reads} as {found[0][1]}."


def _short(word: str) -> str:
    from app.labels import visible

    return visible(word if len(word) <= _LETTERS else word[: _LETTERS - 1] + "…")

"""How kept texts are called: by their beginnings, numbered where those are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.views._tokens import labels

if TYPE_CHECKING:
    from core.trace import Trace

MOST_LETTERS = 30


def names(kept: Sequence[Trace], stack: str) -> dict[Trace, str]:
    """Of all texts kept, also one that is not compared: its number is no other's. One text may be
    kept under two masks."""
    return {trace: number + _short(trace, stack) for trace, number in numbers(kept, stack).items()}


def numbers(kept: Sequence[Trace], stack: str) -> dict[Trace, str]:
    """What tells texts that begin alike apart, such as "[2] "; empty where nothing has to. It
    stands first: a name that finds no room is cut at its end."""
    short = [_short(trace, stack) for trace in kept]
    return {
        trace: f"[{short[: place + 1].count(name)}] " if short.count(name) > 1 else ""
        for place, (trace, name) in enumerate(zip(kept, short, strict=True))
    }


def _short(trace: Trace, stack: str) -> str:
    """The text, or its beginning."""
    tokens = trace.tokens[stack]
    text = " ".join((tokens.text or " ".join(labels(tokens, False))).split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + "…"

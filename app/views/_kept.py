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
    return {trace: number + short(trace, stack) for trace, number in numbers(kept, stack).items()}


def numbers(kept: Sequence[Trace], stack: str) -> dict[Trace, str]:
    """What tells texts that begin alike apart, such as "[2] "; empty where nothing has to. It
    stands first: a name that finds no room is cut at its end."""
    called = [short(trace, stack) for trace in kept]
    return {
        trace: f"[{called[: place + 1].count(name)}] " if called.count(name) > 1 else ""
        for place, (trace, name) in enumerate(zip(kept, called, strict=True))
    }


def short(trace: Trace, stack: str) -> str:
    """The text, or its beginning."""
    tokens = trace.tokens[stack]
    return beginning(tokens.text or " ".join(labels(tokens, False)))


def beginning(text: str) -> str:
    """A text in one line, or its beginning."""
    text = " ".join(text.split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + "…"

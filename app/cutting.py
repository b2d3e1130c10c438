"""What ended by itself, and what only because no more tokens were asked for; free of Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.decoding import BeamSearch, Hypothesis


def was_cut(search: BeamSearch, node: Hypothesis) -> bool:
    """Whether it counts as ended only because no more tokens were asked for."""
    return node.fate == "ended" and node.token not in search.model.spec.special.end


def in_tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"

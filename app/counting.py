"""How many of something, in words; free of Qt."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """1 layer, 2 layers; "query" with its own plural: 1 query, 2 queries."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"

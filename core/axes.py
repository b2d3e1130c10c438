"""The glossary: one word for each kind of dimension. `Captured.axes` uses these words only."""

from __future__ import annotations

GLOSSARY: dict[str, str] = {
    "position": "a token's place in its sequence, first to last, padding included",
    "query": "a position that attends (rows of an attention map, top to bottom)",
    "key": "a position that is attended to (columns of an attention map, left to right)",
    "head": "an attention head",
    "kv_head": "a key/value head; several heads share one in grouped-query attention",
    "layer": "a block of a stack, counted from 0",
    "d_model": "a coordinate of the residual stream",
    "d_head": "a coordinate inside one head",
    "d_ff": "a neuron inside the feed-forward network",
    "d_embed": "a coordinate of the embeddings as they are added up",
    "vocab": "an entry of the vocabulary",
    "label": "a class of a classification head",
    "expert": "a feed-forward expert",
}

GROWING = frozenset({"position", "query", "key"})
"""The axes that grow by one when a token is appended."""


def parse(axes: str) -> tuple[str, ...]:
    """Split "head query d_head" into words; raises ValueError on a word outside the glossary."""
    words = tuple(axes.split())
    for word in words:
        if word not in GLOSSARY:
            raise ValueError(f"unknown axis {word!r}; the glossary has {', '.join(GLOSSARY)}")
    return words

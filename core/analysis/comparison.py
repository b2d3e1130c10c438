"""Two texts side by side: the same words in different company, and the texts as a whole."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from core.tokens import Tokens

Floats = NDArray[np.float32]


def shared_tokens(one: Tokens, other: Tokens) -> list[tuple[int, int]]:
    """(position in one, position in the other) of tokens that both texts have: the first occurrence
    with the first, the second with the second; special tokens and padding left out."""
    places: dict[int, list[int]] = defaultdict(list)
    for position in words(other):
        places[other.ids[position]].append(position)
    found = []
    for position in words(one):
        waiting = places[one.ids[position]]
        if waiting:
            found.append((position, waiting.pop(0)))
    return found


def words(tokens: Tokens) -> list[int]:
    """Positions that are neither special nor padding."""
    return [
        i
        for i, (special, padding) in enumerate(zip(tokens.special, tokens.padding, strict=True))
        if not special and not padding
    ]


def sentence_vector(hidden: Floats, tokens: Tokens) -> Floats:
    """[layer + 1, d_model]: the mean of the words' states (of all real tokens where there is no
    word). hidden: [layer + 1, position, d_model]."""
    chosen = words(tokens) or [i for i, padding in enumerate(tokens.padding) if not padding]
    mean: Floats = hidden[:, chosen].mean(axis=1)
    return mean

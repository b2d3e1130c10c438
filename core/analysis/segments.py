"""Which cells of a map go from one sentence of a pair to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # it imports torch, which the list of views must not
    from core.tokens import Tokens

Bools = NDArray[np.bool_]


def between(tokens: Tokens, query_sentence: int, key_sentence: int) -> Bools:
    """[query, key]: True where the query belongs to one sentence and the key to the other (0 is A,
    1 is B). Special tokens between belong to neither, as the encoding says."""
    sequence = np.array([-1 if s is None else s for s in tokens.sequence])
    found: Bools = (sequence == query_sentence)[:, None] & (sequence == key_sentence)[None, :]
    return found


def has_pair(tokens: Tokens) -> bool:
    return 1 in tokens.sequence

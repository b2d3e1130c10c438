"""Which vocabulary entries lie nearest to a token's embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbours:
    """tokens: ids, nearest first, the token itself left out. cosine: of the angle to each."""

    tokens: NDArray[np.int64]
    cosine: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        return self.tokens.nbytes + self.cosine.nbytes


def key(stack: str, token: int, count: int, output: bool) -> tuple[object, ...]:
    """Under which a trace remembers them."""
    return "neighbours", stack, token, count, output


def neighbours(
    trace: Trace, stack: str, token: int, count: int, *, output: bool = False
) -> Neighbours:
    """The `count` nearest entries of the stack's token table; output: of the vocabulary head's own
    matrix instead. Reads the whole table, so it is remembered."""
    return trace.remembered(
        key(stack, token, count, output), lambda: _neighbours(trace, stack, token, count, output)
    )


def _neighbours(trace: Trace, stack: str, token: int, count: int, output: bool) -> Neighbours:
    table = trace.derive.token_table(stack, output=output)
    row = table[token]
    lengths = table.norm(dim=-1) * row.norm()
    # A row of zeros (an unused entry) has no direction.
    cosine = (table @ row / lengths.clamp(min=1e-30)).float()
    cosine[token] = -2.0
    best = cosine.topk(min(count, len(cosine) - 1))
    return Neighbours(tokens=best.indices.cpu().numpy(), cosine=best.values.cpu().numpy())

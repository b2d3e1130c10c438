"""Whether a model writes with the vectors it reads: token embedding against output matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.states import cosine

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


def output_shape(trace: Trace) -> tuple[int, int] | None:
    """(vocabulary, width) of the output matrix; None where the model has no vocabulary head. Of a
    tied model it is the token embedding of the main stack."""
    head = trace.spec.heads.vocab
    if head is None:
        return None
    table = trace.derive.token_table(trace.spec.main_stack.name, output=not head.tied)
    return int(table.shape[0]), int(table.shape[1])


def input_output_cosine(trace: Trace) -> Floats | None:
    """[position] of the main stack: the cosine of each token's embedding with its row of the output
    matrix, 0 where one has no such row. None where there are no two matrices to compare: without a
    vocabulary head, where both are one, or where they differ in width."""
    head, stack = trace.spec.heads.vocab, trace.spec.main_stack.name
    if head is None or head.tied:
        return None
    read = trace.derive.token_table(stack)
    write = trace.derive.token_table(stack, output=True)
    if read.shape[1] != write.shape[1]:
        return None
    ids = np.array(trace.tokens[stack].ids)
    known = ids < min(len(read), len(write))
    rows = ids[known].tolist()
    found = np.zeros(len(ids), np.float32)
    found[known] = cosine(
        read[rows].cpu().float().numpy(),
        write[rows].cpu().float().numpy(),
    )
    return found

from __future__ import annotations

from dataclasses import replace

import pytest

from core.analysis.segments import between, has_pair
from core.tokens import Tokens


@pytest.mark.parametrize(
    ("direction", "rows", "columns"),
    [((0, 0), "01", "01"), ((0, 1), "01", "4"), ((1, 0), "4", "01"), ((1, 1), "4", "4")],
)
def test_blocks_of_a_pair_leave_separators_out(
    direction: tuple[int, int], rows: str, columns: str
) -> None:
    """a b </s></s> c: what lies between the sentences belongs to neither."""
    tokens = replace(Tokens.of_ids(range(5)), sequence=(0, 0, None, None, 1))
    found = between(tokens, *direction)
    cells = {(i, j) for i in map(int, rows) for j in map(int, columns)}
    assert {(int(i), int(j)) for i, j in zip(*found.nonzero(), strict=True)} == cells
    assert has_pair(tokens)
    assert not has_pair(Tokens.of_ids([1, 2]))

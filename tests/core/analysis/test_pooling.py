from __future__ import annotations

import numpy as np
import pytest

from core.analysis.pooling import pool_all, pool_max, shrink_factor


def test_a_lone_peak_keeps_its_height_and_its_place() -> None:
    maps = np.zeros((2, 10, 13), dtype=np.float32)
    maps[1, 9, 12] = 0.7
    pooled = pool_max(maps, 4, 4)
    assert pooled.shape == (2, 3, 4)
    assert pooled[1, 2, 3] == np.float32(0.7)
    assert np.count_nonzero(pooled) == 1


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (5, 4), (20, 20)])
def test_each_cell_is_the_maximum_of_its_rectangle(rows: int, columns: int) -> None:
    maps = np.random.default_rng(0).normal(size=(3, 11, 9)).astype(np.float32)
    pooled = pool_max(maps, rows, columns)
    for i in range(pooled.shape[1]):
        for j in range(pooled.shape[2]):
            block = maps[:, i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
            assert (pooled[:, i, j] == block.max(axis=(1, 2))).all()
    assert pooled.shape[1:] == (-(-11 // rows), -(-9 // columns))


def test_a_cell_is_hidden_only_when_all_it_stands_for_is() -> None:
    hidden = ~np.tri(6, dtype=bool)
    pooled = pool_all(hidden, 2, 2)
    assert (pooled == np.triu(np.ones((3, 3), dtype=bool), 1)).all()


@pytest.mark.parametrize(
    ("length", "most", "factor"), [(5, 100, 1), (100, 100, 1), (101, 100, 2), (512, 133, 4)]
)
def test_the_factor_makes_it_fit(length: int, most: int, factor: int) -> None:
    assert shrink_factor(length, most) == factor
    assert -(-length // factor) <= most

"""Numbers to pixels: exact levels, shrinking by maximum, enlarging without blur."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.render import pixels


def test_levels_run_from_limit_to_limit() -> None:
    values = np.array([-1, 0, 0.5, 1, 2, np.nan], dtype=np.float32)
    assert pixels.quantise(values, (0, 1)).tolist() == [0, 0, 126, 251, 251, 0]
    assert pixels.quantise(values, (-1, 1)).tolist()[:4] == [0, 126, 188, 251]


def test_equal_limits_are_no_division_by_zero() -> None:
    assert pixels.quantise(np.zeros(3, np.float32), (0, 0)).tolist() == [0, 0, 0]


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_shrinking_keeps_the_maximum_of_each_pixels_cells(
    length: int, size: int, seed: int
) -> None:
    index = np.random.default_rng(seed).integers(0, 252, (3, length), dtype=np.uint8)
    shrunk = pixels.shrink(index, 1, size)
    if length <= size:
        assert (shrunk == index).all()
        return
    starts = np.arange(size) * length // size
    assert (shrunk == np.maximum.reduceat(index, starts, axis=1)).all()
    assert shrunk.max() == index.max()


@given(st.integers(2, 200), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_a_pixel_is_masked_only_where_all_its_cells_are(length: int, size: int, seed: int) -> None:
    mask = np.random.default_rng(seed).random((length, 2)) < 0.8
    shrunk = pixels.shrink_all(mask, 0, size)
    if length > size:
        starts = np.arange(size) * length // size
        assert (shrunk == np.logical_and.reduceat(mask, starts, axis=0)).all()


def test_on_a_diverging_scale_the_farthest_from_the_middle_wins() -> None:
    index = np.array([[120, 10, 130, 125]], dtype=np.uint8)
    assert pixels.shrink(index, 1, 1, diverging=True).tolist() == [[10]]
    index = np.array([[120, 100, 240, 125]], dtype=np.uint8)
    assert pixels.shrink(index, 1, 1, diverging=True).tolist() == [[240]]


@given(st.integers(1, 60), st.integers(1, 400))
def test_every_cell_gets_its_pixels_in_order(count: int, size: int) -> None:
    cells = pixels.spread(count, size)
    assert (np.diff(cells) >= 0).all()
    if size >= count:
        assert set(cells.tolist()) == set(range(count))
        per_cell = np.bincount(cells)
        assert per_cell.max() - per_cell.min() <= 1


@pytest.mark.parametrize("size", [600, 601, 2000, 4096])
@pytest.mark.parametrize("masked", [False, True])
def test_a_lone_peak_survives_any_shrinking(size: int, masked: bool) -> None:
    for row, column in ((0, 0), (size - 1, size - 1), (size // 3, size // 7)):
        index = np.zeros((size, size), dtype=np.uint8)
        index[row, column] = 251
        hidden = np.triu(np.ones((size, size), bool), 1) if masked else None
        image = pixels.image(index, hidden, 500, 400)
        assert (image == 251).any(), (row, column)


def test_stripes_show_both_entries_and_only_on_masked_cells() -> None:
    hidden = np.array([[False, True]])
    image = pixels.image(np.zeros((1, 2), np.uint8), hidden, 40, 20)
    assert (image[:, :20] == 0).all()
    assert set(np.unique(image[:, 20:])) == {pixels.HATCH, pixels.HATCH_LINE}


def test_blank_cells_show_the_surface_unless_they_are_hatched() -> None:
    index = np.full((2, 3), 200, dtype=np.uint8)
    hatched = np.array([[True, False, False], [True, False, False]])
    blank = np.array([[True, True, False], [False, True, False]])
    image = pixels.image(index, hatched, 30, 20, blank=blank)
    assert set(np.unique(image[:, :10])) == {pixels.HATCH, pixels.HATCH_LINE}
    assert (image[:, 10:20] == pixels.GAP).all()
    assert (image[:, 20:] == 200).all()


def test_a_pixel_is_blank_only_where_no_cell_of_it_is_shown() -> None:
    """Hatched and blank cells in one pixel: blank, for not all are masked; a shown one wins."""
    index = np.array([[0, 0, 0, 9]], dtype=np.uint8)
    hatched = np.array([[True, False, False, False]])
    blank = np.array([[False, True, True, False]])
    assert pixels.image(index, hatched, 2, 1, blank=blank).tolist() == [[pixels.GAP, 9]]
    assert pixels.image(index, None, 2, 1, blank=blank).tolist() == [[0, 9]]

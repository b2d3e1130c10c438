"""Masks are written as one line of text; what cannot be read of it is left out."""

from __future__ import annotations

import pytest

from app.mask_memory import MOST_CELLS, read_masks, write_masks
from core.masks import MaskChoice
from tests.app.test_remembering import WINDOW


def test_many_painted_cells_are_not_remembered() -> None:
    def cells(count: int) -> tuple[tuple[int, int], ...]:
        return tuple((i, 0) for i in range(count))

    for count, kept in ((MOST_CELLS, MOST_CELLS), (MOST_CELLS + 1, 0)):
        text = write_masks({"encoder.self": MaskChoice(key="causal", blocked=cells(count))})
        found = read_masks(text, ("encoder.self",))
        assert found == {"encoder.self": MaskChoice(key="causal", blocked=cells(kept))}


def test_a_mask_of_a_site_that_is_not_there_is_left_out() -> None:
    text = write_masks({"decoder.self": WINDOW, "decoder.cross": MaskChoice(hide_padding=False)})
    assert read_masks(text, ("decoder.self",)) == {"decoder.self": WINDOW}
    assert read_masks(text, ("encoder.self",)) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"sliding_window"', '"keyhole"'),
        ('"sliding_window"', "[]"),
        ('"window": 2', '"window": 0'),
        ('"window": 2', '"window": 1e9'),
        ('"window": 2', '"window": 99999999999999999999999'),
        ('"window": 2', '"pane": 2'),
        ('"prefix": 3', '"prefix": -3'),
        ('"or"', '"nor"'),
        ("[5, 4]", "[5]"),
        ("[5, 4]", "[5, -4]"),
        ("[5, 4]", '[5, "4"]'),
        ("false", "0"),
        ('"how"', '"who"'),
    ],
)
def test_a_broken_mask_is_left_out_and_the_others_stay(old: str, new: str) -> None:
    sites = ("decoder.self", "decoder.cross")
    other = MaskChoice(key="bidirectional")
    text = write_masks({"decoder.self": WINDOW, "decoder.cross": other})
    rest, broken = text.split('"decoder.self"')
    assert broken.count(old) == 1
    found = read_masks(f'{rest}"decoder.self"{broken.replace(old, new)}', sites)
    assert found == {"decoder.cross": other}


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '{"encoder.self": 7}', "[" * 100_000])
def test_what_is_no_mask_at_all_gives_none(text: str) -> None:
    assert read_masks(text, ("encoder.self",)) == {}


def test_a_causal_mask_is_none_of_cross_attention() -> None:
    text = write_masks({"decoder.cross": MaskChoice(key="causal")})
    assert read_masks(text, ("decoder.cross",)) == {}

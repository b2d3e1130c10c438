"""The colours: what must be told apart can be, in both themes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from app.render import pixels
from app.theme import DARK, LIGHT, Theme

THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]


def rgb(colour: str) -> np.ndarray:
    return np.array(list(bytes.fromhex(colour[1:])), dtype=float)


def luminance(colour: np.ndarray) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.1)."""
    part = np.asarray(colour, dtype=float) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(rgb(one)), luminance(rgb(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_reads_on_every_ground(theme: Theme) -> None:
    for ground in (theme.background, theme.surface, theme.raised):
        assert contrast(theme.text, ground) >= 7
        assert contrast(theme.muted, ground) >= 4.5
        assert contrast(theme.accent, ground) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_the_sequential_table_only_gets_stronger(theme: Theme) -> None:
    brightness = np.array([luminance(colour) for colour in theme.table("sequential")])
    steps = np.diff(brightness[::4])  # neighbours may be equal once rounded to 8 bits
    assert (steps < 0).all() if theme is LIGHT else (steps > 0).all()


@pytest.mark.parametrize("theme", THEMES)
def test_the_diverging_table_has_its_turn_in_the_middle(theme: Theme) -> None:
    brightness = np.array([luminance(colour) for colour in theme.table("diverging")])
    turn = brightness.argmax() if theme is LIGHT else brightness.argmin()
    assert abs(turn - 127.5) < 8
    ends = theme.table("diverging")[[0, 255]].astype(float)
    assert np.linalg.norm(ends[0] - ends[1]) > 100


@pytest.mark.parametrize("theme", THEMES)
def test_zero_masked_no_keys_and_nothing_are_four_colours(theme: Theme) -> None:
    table = pixels.colours(theme, "sequential").astype(float)
    places = {
        "zero": table[0],
        "masked": table[pixels.HATCH],
        "no keys": table[pixels.DEAD],
        "nothing": table[pixels.GAP],
    }
    for (one, first), (other, second) in combinations(places.items(), 2):
        assert np.linalg.norm(first - second) > 15, (one, other)
    assert np.linalg.norm(table[pixels.HATCH_LINE] - table[pixels.HATCH]) > 25


@pytest.mark.parametrize("theme", THEMES)
def test_the_table_is_shared_and_cannot_be_changed(theme: Theme) -> None:
    table = theme.table("sequential")
    assert table.shape == (256, 3)
    assert table.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_an_unknown_scale_is_named() -> None:
    with pytest.raises(ValueError, match=r"'rainbow'.*sequential and diverging"):
        LIGHT.table("rainbow")

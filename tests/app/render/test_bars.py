"""What a list of bars gives room to where there is little."""

from __future__ import annotations

import pytest

from app.figure import Bar, Bars, Figure
from tests.app.render.recording import record

pytestmark = pytest.mark.usefixtures("qapp")


def words(note: str) -> list[str]:
    bars = tuple(
        Bar(label=label, value=0.1, note=note if place == 0 else "")
        for place, label in enumerate(("·a word that is long, by far too long", "·b"))
    )
    return record(Figure(title="", panels=(Bars(title="t", bars=bars),)), 300, 200).words


def test_a_short_remark_is_kept_beside_a_long_label() -> None:
    found = words("chosen")
    assert "chosen" in found
    assert "·b" in found
    assert any(word.startswith("·a word") and "…" in word for word in found)


def test_a_long_remark_gives_way_to_the_label() -> None:
    assert "step 3, chosen by the person" not in words("step 3, chosen by the person")

"""Lines of text: broken where they may be, never wider than their room."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.render import text

LONG = "bert.encoder.layer.0.attention.self.query.weight"


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("room", [60.0, 120.0, 240.0])
@pytest.mark.parametrize(
    "said",
    [
        "It does not hold the weights",
        f"does not hold {LONG}, nor {LONG}",
        LONG,
        "没有词表头的模型不能说出下一个词。",
        "x" * 80,
    ],
)
def test_no_line_is_wider_than_the_room_and_nothing_is_lost(said: str, room: float) -> None:
    lines = text.wrap(said, room)
    assert all(text.width(line) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == said.replace(" ", "")


def test_a_long_name_is_broken_behind_its_dots(qapp: QApplication) -> None:
    room = text.width("bert.encoder.layer.0.att")
    assert text.wrap(f"no {LONG}", room)[:2] == ["no", "bert.encoder.layer.0."]
    assert text.wrap("a b c", text.width("a b")) == ["a b", "c"]
    assert text.wrap("one\n\ntwo", 500) == ["one", "", "two"]


def test_the_end_of_a_line_begins_with_a_whole_word(qapp: QApplication) -> None:
    whole = "…went to buy apples today."
    room = text.width(whole, 10)
    assert text.ending(whole, room, 10) == whole
    cut = text.ending(whole, 0.7 * room, 10)
    assert cut == "… apples today." or cut == "… buy apples today."
    assert text.width(cut, 10) <= 0.7 * room
    long = "x" * 40
    assert text.ending(long, 60, 10).startswith("… x")
    assert text.width(text.ending(long, 60, 10), 10) <= 60

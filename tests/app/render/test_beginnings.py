"""Long labels that begin alike stay distinguishable in little room."""

from __future__ import annotations

import pytest

from app.render import text
from app.render.beginnings import told_apart

pytestmark = pytest.mark.usefixtures("qapp")

SIZE = 13.0
START = "little girl named Sara. Sara lived with her grandmother in a "
LABELS = (
    f"{START}little town by the sea. Sara had",
    f"{START}little town by the sea. Sara and",
    f"{START}cottage by the river. Her",
)


@pytest.mark.parametrize("room", [150.0, 300.0, 450.0])
def test_what_differs_is_in_sight(room: float) -> None:
    shown = told_apart(LABELS, room, SIZE)
    assert len(set(shown)) == len(LABELS)
    assert all(text.width(label, SIZE) <= room for label in shown)
    assert [label.rpartition(" ")[2] for label in shown[:2]] == ["had", "and"]
    assert all(label.startswith("… ") for label in shown)
    for label, whole in zip(shown, LABELS, strict=True):
        assert f" {label[2:].rstrip('…')}" in whole, "cut between words"


def test_as_much_of_the_beginning_as_finds_room() -> None:
    whole = max(text.width(label, SIZE) for label in LABELS)
    assert told_apart(LABELS, whole, SIZE) == list(LABELS)
    shorter = told_apart(LABELS, whole - 20, SIZE)
    assert shorter[0].startswith("… ")
    assert len(shorter[0]) > len(LABELS[0]) - 20


def test_other_labels_are_cut_at_their_end() -> None:
    labels = ("first of all a long label", "the second is long, too", "same", "same")
    shown = told_apart(labels, 80.0, SIZE)
    assert shown[0].startswith("first")
    assert shown[0].endswith("…")
    assert shown[2:] == ["same", "same"]

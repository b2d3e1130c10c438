"""Notes and titles have room in the windows they are read in; three lines of a note are shown."""

from __future__ import annotations

import pytest

from app.render import text
from app.render.page import NOTE, TITLES, Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view, views
from core import load_model
from tests.app.views.test_sentences import PAIR
from tests.traces import sentence, trace_of

pytestmark = pytest.mark.usefixtures("qapp")  # letters are measured

ROOM, NARROW = 686.0, 417.0
"""Of the picture in a window of 1366 × 768, and of 1024 × 700."""
CHOSEN = [
    ("encoder", Selection(stack="encoder", layer=2, head=None)),
    ("decoder", Selection(stack="decoder", layer=2, head=1)),
    ("translator", Selection(stack="decoder", part="cross", layer=2, head=1)),
    ("translator", Selection(stack="decoder", layer=2, head=None)),
]
SHORT = ("evolution", "paths", "cache", "contribution", "architecture")
"""Views whose notes have room in the small window too."""


def lines(words: str, room: float) -> int:
    return len(text.wrap(words, room, NOTE))


@pytest.mark.parametrize(("kind", "selection"), CHOSEN)
@pytest.mark.parametrize("key", [one.key for one in views()])
def test_no_note_is_cut(key: str, kind: str, selection: Selection) -> None:
    trace = trace_of(kind, source=sentence(24), target=24)
    figure = view(key).draw(trace, selection, ViewOptions())
    assert lines(f"{figure.note} {figure.hint}", ROOM) <= 3
    if key in SHORT:
        assert lines(figure.note, NARROW) <= 3
        assert text.shrunk(figure.title, NARROW, TITLES, bold=True)[1] == figure.title


def test_all_six_steps_of_a_head_are_on_one_page() -> None:
    """In a window of 1366 × 768, though keys have names of several letters."""
    model = load_model("builtin:encoder")
    trace = model.trace("She went to the [MASK] by the river.", "It was late.")
    figure = view("inside_head").draw(trace, Selection(layer=0, head=0), ViewOptions())
    assert len(figure.panels) == 6
    assert Page(figure, ROOM + 24, 457, LIGHT, hints=True).layout.whole
    assert not Page(figure, NARROW + 24, 389, LIGHT, hints=True).layout.whole


@pytest.mark.parametrize(
    "key", [one.key for one in views() if one.group in ("attention", "matters")]
)
def test_what_is_left_out_is_not_cut_from_the_note(key: str) -> None:
    options = ViewOptions(drop_sinks=True, sentences=(0, 1))
    figure = view(key).draw(trace_of("encoder", source=PAIR), Selection(layer=1), options)
    assert lines(figure.note, ROOM) <= 3

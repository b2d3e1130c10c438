"""Both maps, their difference and the predictions share one page in the windows of a class."""

from __future__ import annotations

import pytest

from app.render.page import Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view
from core import load_model
from core.masks import choose
from tests.app.render.recording import record
from tests.app.views.test_notes import NARROW, ROOM
from tests.traces import trace_of

pytestmark = pytest.mark.usefixtures("qapp")  # letters are measured

CASES = [
    ("encoder", "The [MASK] fell from the tree.", "", "encoder.self", "causal"),
    ("decoder", "Once upon a time there was a little girl. Lily lived in a small", "", "", ""),
    (
        "translator",
        "我今天去买了苹果。",
        "I went to buy apples today.",
        "decoder.cross",
        "local:window=1",
    ),
]


@pytest.mark.parametrize(("name", "text", "target", "site", "mask"), CASES)
def test_all_four_parts_are_in_sight(
    name: str, text: str, target: str, site: str, mask: str
) -> None:
    model = load_model(f"builtin:{name}")
    site, mask = site or "decoder.self", mask or "sliding_window:window=4"
    kept = model.trace(text, target=target or None)
    own = model.trace(text, target=target or None, masks={site: mask})
    stack, part = site.split(".")
    selection = Selection(stack=stack, part=part, layer=1, head=None)
    options = ViewOptions(kept=(kept,), pieces=str)
    figure = view("two_runs").draw(own, selection, options)
    assert len(figure.panels) == 4
    # Above the picture is an example's note, below it the row of the kept texts.
    layout = Page(figure, ROOM + 24, 391, LIGHT, hints=True).layout
    assert layout.whole
    assert len({box.y for box in layout.boxes[:3]}) == 1, "the maps stand side by side"
    assert layout.boxes[3].width == pytest.approx(ROOM, abs=1), "the table has the whole row"
    assert Page(figure, NARROW + 24, 389, LIGHT, hints=True).layout.shows(0)


def test_hatched_cells_are_called_masked_below_the_maps() -> None:
    masks = (("decoder.self", choose("sliding_window:window=3")),)
    kept, own = trace_of("decoder"), trace_of("decoder", masks=masks)
    figure = view("two_runs").draw(own, Selection(stack="decoder"), ViewOptions(kept=(kept,)))
    words = record(figure, 1240, 760).words
    assert words.count("masked") == 3
    assert "none" not in words

"""Diagrams: stretched to the room there is, letters of one size, lines that say their number."""

from __future__ import annotations

import pytest

from app.figure import Arrow, Box, Diagram, Figure
from app.render.diagram import DiagramDrawing
from app.render.geometry import Rect
from app.render.shortening import shorter
from app.theme import LIGHT
from tests.app.render.recording import RecordingCanvas, record

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = Rect(0, 0, 1000, 300)


def box(key: str, text: str, x: float, y: float = 0, width: float = 20, height: float = 10) -> Box:
    return Box(key=key, text=text, x=x, y=y, width=width, height=height)


def drawn(panel: Diagram, room: Rect = ROOM) -> RecordingCanvas:
    canvas = RecordingCanvas()
    DiagramDrawing(panel, room, LIGHT).paint(canvas)
    return canvas


def test_a_stretched_diagram_reaches_from_side_to_side_and_stands_on_top() -> None:
    boxes = (box("a", "a", 0), box("b", "b", 80, 90))
    frames = [how[0] for how in drawn(Diagram(title="", boxes=boxes, stretch=True)).rects]
    assert min(frame.x for frame in frames) == 0
    assert max(frame.right for frame in frames) == 1000
    assert min(frame.y for frame in frames) == 0
    assert max(frame.bottom for frame in frames) == 300
    frames = [how[0] for how in drawn(Diagram(title="", boxes=boxes)).rects]
    assert max(frame.right for frame in frames) - min(frame.x for frame in frames) == 300


def test_a_low_stretched_diagram_is_not_blown_up() -> None:
    panel = Diagram(title="", boxes=(box("a", "a", 0),), width=100, height=10, stretch=True)
    (frame, _), *_ = drawn(panel, Rect(0, 0, 200, 900)).rects
    assert frame.height == 20  # twice as large in both directions


def test_boxes_of_one_size_have_letters_of_one_size() -> None:
    boxes = (
        box("a", "a", 0, height=7),
        box("b", "some words that are far longer than the box", 30, height=7),
        box("c", "wide", 60, width=40),
    )
    panel = Diagram(title="", boxes=boxes, width=100, height=10, even=True)
    heights = {words.words: words.box.height for words in drawn(panel, Rect(0, 0, 300, 200)).texts}
    short, long_, wide = heights.values()
    assert short == long_ < wide
    assert list(heights)[1].endswith("…")
    apart = drawn(Diagram(title="", boxes=boxes, width=100, height=10), Rect(0, 0, 300, 200))
    assert apart.texts[0].box.height > short


def test_a_link_has_no_head(monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[object] = []
    monkeypatch.setattr(RecordingCanvas, "polygon", lambda *a, **k: heads.append(a))
    ends = ((0.0, 0.0), (90.0, 0.0))
    for kind, count in (("link", 0), ("plain", 1)):
        heads.clear()
        arrows = (Arrow(points=ends, kind=kind),)
        record(Figure(title="t", panels=(Diagram(title="", boxes=(), arrows=arrows),)))
        assert len(heads) == count


def test_the_pointer_reads_the_nearest_line_but_a_box_first() -> None:
    lines = (
        Arrow(points=((0, 50), (100, 50)), kind="attention", note="level"),
        Arrow(points=((0, 0), (100, 100)), kind="attention", note="falling"),
        Arrow(points=((0, 50), (100, 50)), kind="attention", note="level, in front"),
        Arrow(points=((0, 80), (100, 80)), kind="attention"),
    )
    speaking = Box(key="a", text="a", x=0, y=40, width=10, height=20, note="the box")
    room = Rect(0, 0, 100, 100)
    drawing = DiagramDrawing(Diagram(title="", boxes=(speaking,), arrows=lines), room, LIGHT)
    found = {
        place: None if (hit := drawing.at(*place)) is None else hit.text
        for place in ((5, 50), (30, 52), (30, 31), (30, 80), (95, 10))
    }
    assert list(found.values()) == ["the box", "level, in front", "falling", None, None]
    hit = drawing.at(30, 31)
    assert hit is not None
    canvas = RecordingCanvas()
    drawing.paint_hover(canvas, hit)
    assert canvas.lines[-1][0] == [(0, 0), (100, 100)]
    # From a line the keyboard goes on at the first box.
    following = drawing.beside(hit, 0, 1)
    assert following is not None
    assert following.text == "the box"


def test_a_line_alone_is_no_larger_than_where_there_are_two() -> None:
    """“LayerNorm” beside “Self-attention / 8 heads × 32”: no part looks more important."""
    boxes = (
        Box(key="a", text="Self-attention\n8 heads × 32 · 263 k", x=0, y=0, width=168, height=40),
        Box(key="n", text="LayerNorm", x=0, y=60, width=168, height=24),
    )
    panel = Diagram(title="", boxes=boxes, width=700, height=100)
    canvas = RecordingCanvas()
    DiagramDrawing(panel, Rect(0, 0, 480, 300), LIGHT).paint(canvas)
    sizes = {text.words: text.box.height for text in canvas.texts}
    assert sizes["LayerNorm"] <= sizes["8 heads × 32 · 263 k"]


def test_parts_of_several_lines_have_letters_of_one_size() -> None:
    """A list that is shortened loses words, not size; one with more words makes all smaller."""
    texts = (
        "Tokenizer\n12 tokens: once upon a time there was",
        "Token embedding\n4,096 × 256 · 1.05 M",
        "Self-attention\n8 heads × 32 · 164 k",
        "Gated feed-forward\n256 → 704 · 541 k",
    )
    boxes = tuple(box(str(i), words, 0, 60 * i, 168, 40) for i, words in enumerate(texts))
    canvas = drawn(Diagram(title="", boxes=boxes, width=652, height=240), Rect(0, 0, 686, 387))
    assert len({text.box.height for text in canvas.texts}) == 1
    assert any(words.startswith("12 tokens: once") for words in canvas.words)


def test_the_name_of_a_frame_gets_smaller_before_it_is_cut() -> None:
    frame = Box(key="g", text="Encoder layer 2 of 3", x=0, y=0, width=212, height=300, kind="group")
    panel = Diagram(title="", boxes=(frame,), width=930, height=480)
    for width in (620, 710, 1264):
        canvas = RecordingCanvas()
        DiagramDrawing(panel, Rect(0, 0, width, 400), LIGHT).paint(canvas)
        (name,) = canvas.texts
        assert name.words == frame.text
        assert name.box.width <= 212 * min(width / 930, 400 / 480)


@pytest.mark.parametrize("height", [200.0, 300.0, 900.0])
def test_a_diagram_in_a_narrow_page_is_taller_for_its_letters(height: float) -> None:
    boxes = tuple(box(str(i), "Tokens\n6,000 × 256", 150 * i, 60 * i, 120, 40) for i in range(5))
    panel = Diagram(title="", boxes=boxes, arrows=(), width=720, height=280)
    canvas = drawn(panel, Rect(0, 0, 400, height))
    high = {round(box.height) for box, _ in canvas.rects}
    assert len(high) == 1
    assert 22 < min(high) <= 34, "taller than its width allows, but not out of proportion"
    assert "6,000 × 256" in canvas.words
    assert all(text.box.y >= 0 and text.box.bottom <= height for text in canvas.texts)


def test_a_part_without_room_keeps_its_name_and_loses_its_shapes() -> None:
    texts = (
        "Self-attention\n8 heads × 32 · 263 k",
        "Token embedding\n6,000 × 256 · 1.54 M",
        "LayerNorm 256 · 512 weights",
        "Tokenizer\n6 tokens: once upon a time there was",
    )
    boxes = tuple(box(str(i), words, 0, 60 * i, 168, 40) for i, words in enumerate(texts))
    name = "Encoder layer 1 of 3"
    frame = Box(key="f", text=name, x=0, y=240, width=212, height=100, kind="group")
    panel = Diagram(title="", boxes=(*boxes, frame), width=700, height=400)
    said = drawn(panel, Rect(0, 0, 1000, 600)).words
    assert "8 heads × 32 · 263 k" in said
    assert "LayerNorm 256 · 512 weights" in said
    said = drawn(panel, Rect(0, 0, 360, 400)).words
    assert [words for words in said if words.endswith("…")] in ([], ["6 tokens: once …"])
    for name in ("Self-attention", "Encoder layer 1"):
        assert name in said
    assert any(words.startswith("LayerNorm") for words in said)


def test_a_list_loses_the_words_at_its_open_end_before_all_of_them() -> None:
    found = list(shorter("ids [9]\n…, 165, 7, 12"))
    assert found[:3] == ["ids [9]\n…, 165, 7, 12", "ids [9]\n…, 7, 12", "ids [9]\n…, 12"]
    assert found[-1] == "ids"
    found = list(shorter("Tokenizer\n8 tokens: … ·apples ·today ."))
    assert found[1:3] == ["Tokenizer\n8 tokens: … ·today .", "Tokenizer\n8 tokens: … ."]
    found = list(shorter("ids [6]\n4, 1090, 165, 7, …"))
    assert found[:2] == ["ids [6]\n4, 1090, 165, 7, …", "ids [6]\n4, 1090, 165, …"]
    assert found[-1] == "ids"


def test_a_narrow_box_says_its_number_or_nothing() -> None:
    boxes = tuple(box(f"q{i}", f"Q{i + 1}", 10 * i, 0, 8, 6) for i in range(8))
    panel = Diagram(title="", boxes=boxes, width=80, height=20)
    assert drawn(panel, Rect(0, 0, 150, 100)).words == list("12345678")
    assert not any(drawn(panel, Rect(0, 0, 60, 100)).words)


def test_a_word_comes_before_its_value_where_there_is_no_room_for_both() -> None:
    texts = ("grandmother", "is", "there")
    boxes = tuple(
        Box(key=t, text=t, x=100 * i, y=0, width=84, height=18, value="−0.45")
        for i, t in enumerate(texts)
    )
    panel = Diagram(title="", boxes=boxes, width=284, height=20, stretch=True, even=True)
    assert "is −0.45" in drawn(panel, Rect(0, 0, 400, 100)).words
    narrow = drawn(panel, Rect(0, 0, 170, 100)).words
    assert narrow[1:] == ["is", "there"]
    assert narrow[0].startswith("grand")


@pytest.mark.parametrize("height", [58, 120, 200])
def test_a_long_text_stays_within_its_box_and_keeps_its_last_line(height: float) -> None:
    words = " ".join(f"word{number}" for number in range(90)) + "\nlog P −3.2"
    boxes = (box("long", words, 0, 0, 200, height),)
    panel = Diagram(title="", boxes=boxes, width=400, height=height, stretch=True, even=True)
    canvas = drawn(panel, Rect(0, 0, 300, 300))
    (frame,) = {how[0] for how in canvas.rects}
    assert canvas.words[-1] == "log P −3.2"
    assert canvas.words[-2].endswith("…")
    middles = [text.box.middle[1] for text in canvas.texts]
    assert min(middles) >= frame.y + 4
    assert max(middles) <= frame.bottom - 4

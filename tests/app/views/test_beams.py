"""The tree of a beam search holds every hypothesis with its own numbers."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from app.figure import Bars, Diagram, Words
from app.render.diagram import DiagramDrawing
from app.render.page import Page
from app.searching import ending_of
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view
from core.decoding import BeamSearch
from core.request import DecodeRequest, RunRequest
from tests.core.tiny import Bare
from tests.traces import network, sentence, trace_of


def searched(count: int = 5, beams: int = 3) -> BeamSearch:
    run = RunRequest(source=sentence(6))
    request = DecodeRequest(run=run, strategy="beam", max_new_tokens=count, beams=beams)
    search = BeamSearch(Bare(network("decoder")), request)  # type: ignore[arg-type]
    search.run()
    return search


def test_every_hypothesis_has_a_box_with_its_fate() -> None:
    search = searched()
    best = search.best[0]
    steps = search.steps(best.id)
    options = ViewOptions(search=search, steps=steps, step=steps[-1])
    figure = view("beams").draw(trace_of("decoder"), Selection(stack="decoder", step=4), options)
    tree, ended = figure.panels
    assert isinstance(tree, Diagram)
    assert isinstance(ended, Bars)
    assert len(tree.boxes) == len(search.nodes)
    path = {node.id for node in search.path(best.id)}
    for box, node in zip(tree.boxes, sorted(search.nodes, key=lambda n: n.index), strict=True):
        assert box.picks == (("hypothesis", node.id),)
        assert node.why.replace("-", "−") in box.note
        assert f"{abs(node.score):.3f}" in box.note
        assert (box.kind == "selected") == (node.id in path)
    assert len(tree.arrows) == sum(node.parent is not None for node in search.nodes)
    assert sum(arrow.kind == "selected" for arrow in tree.arrows) == len(path) - 1
    values = [bar.value for bar in ended.bars]
    assert values == sorted(values, reverse=True)
    states = [bar.state for bar in ended.bars]
    assert states == [""] + ["not followed"] * (len(search.best) - 1)
    mean = sum(math.log(step.probability) for step in steps) / len(steps)
    assert values[0] == pytest.approx(math.exp(mean), rel=1e-4)


def test_what_is_in_sight_is_explained_and_what_was_cut_has_not_ended() -> None:
    search = searched()
    end = search.model.spec.special.end
    assert not end
    assert {node.fate for node in search.best} == {"ended"}  # as the core calls it
    steps = search.steps(search.best[0].id)
    trace = trace_of("decoder")
    options = ViewOptions(search=search, steps=steps, step=steps[-1])
    figure = view("beams").draw(trace, Selection(stack="decoder", step=4), options)
    tree, bars = figure.panels
    assert isinstance(tree, Diagram)
    assert isinstance(bars, Bars)
    said = "Orange is followed, boxed went on, purple was cut, the rest was dropped."
    assert figure.note.startswith(said)
    assert bars.title.startswith("Cut at 5 tokens · ")
    assert all(bar.note.endswith("5 tokens, cut") for bar in bars.bars)
    assert not any("; ended" in box.note for box in tree.boxes)
    assert ending_of(search, search.best[0].id).startswith(
        "The best of 3, all cut at 5 tokens: score "
    )
    assert ending_of(search, search.best[1].id).startswith(
        "Another hypothesis, cut at 5 tokens: score "
    )
    long = searched(count=9)
    figure = view("beams").draw(trace, Selection(step=0), ViewOptions(search=long))
    assert figure.note.startswith("Boxed went on, the rest was dropped. The search ended: ")


def test_what_ended_by_itself_is_told_from_what_was_cut() -> None:
    """One token ends a text, and the shorter one is the likelier: others are cut."""
    first = searched(count=1).best[0].token
    own = network("decoder").spec
    bare = Bare(network("decoder"))
    bare.spec = replace(own, special=replace(own.special, end=(first,)))
    request = DecodeRequest(
        run=RunRequest(source=sentence(6)),
        strategy="beam",
        max_new_tokens=2,
        beams=3,
        length_penalty=0,
    )
    search = BeamSearch(bare, request)  # type: ignore[arg-type]
    search.run()
    assert search.best[0].token == first
    cut = len(search.best) - 1
    figure = view("beams").draw(trace_of("decoder"), Selection(), ViewOptions(search=search))
    bars = figure.panels[1]
    assert isinstance(bars, Bars)
    assert "purple ended or was cut" in figure.note
    assert bars.title.startswith("Ended, or cut at 2 tokens · ")
    assert [", cut" in bar.note for bar in bars.bars].count(True) == cut
    told = ending_of(search, search.best[0].id)
    assert told.startswith(f"The best of {cut + 1}, {cut} of them cut at 2 tokens: ")
    other = ending_of(search, search.best[1].id)
    assert other.startswith("Another hypothesis, cut at 2 tokens: ")


def test_only_steps_near_the_one_looked_at_are_drawn() -> None:
    search = searched(count=12, beams=2)
    for step, title in ((0, "steps 1 to 7 of 12"), (6, "steps 4 to 10"), (11, "steps 6 to 12")):
        selection = Selection(stack="decoder", step=step)
        tree = view("beams").draw(trace_of("decoder"), selection, ViewOptions(search=search))
        assert title in tree.panels[0].title


def test_of_many_candidates_those_that_went_on_and_the_likeliest_are_drawn() -> None:
    search = searched(count=4, beams=7)
    best = search.best[-1]
    steps = search.steps(best.id)
    options = ViewOptions(search=search, steps=steps, step=steps[-1])
    figure = view("beams").draw(trace_of("decoder"), Selection(stack="decoder", step=3), options)
    tree = figure.panels[0]
    assert isinstance(tree, Diagram)
    drawn = {dict(box.picks)["hypothesis"] for box in tree.boxes}
    assert {node.id for node in search.path(best.id)} <= drawn
    for index in range(search.index):
        nodes = [node for node in search.nodes if node.index == index]
        shown = [node for node in nodes if node.id in drawn]
        assert len(nodes) == 14
        assert len(shown) == 12
        assert all(node.id in drawn for node in nodes if node.fate != "dropped")
        cut = [node for node in nodes if node.id not in drawn]
        assert max(node.score for node in cut) <= min(node.score for node in shown)
        places = [box.y for node in shown for box in tree.boxes if box.key == f"h{node.id}"]
        assert places == sorted(places)
    assert "Of up to 14 candidates a step the 12 first are shown." in figure.note


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("beams", "most"), [(2, 190), (4, 80), (8, 80)])
def test_few_beams_do_not_leave_the_page_empty(beams: int, most: float) -> None:
    """On a large screen, where what the bars do not need is the tree's."""
    search = searched(count=9, beams=beams)
    options = ViewOptions(search=search)
    figure = view("beams").draw(trace_of("decoder"), Selection(stack="decoder"), options)
    tree, bars = Page(figure, 1264, 768, LIGHT).placed
    assert isinstance(tree.drawing, DiagramDrawing)
    lowest = max(tree.drawing._rect(box).bottom for box in tree.drawing.panel.boxes)
    assert 0 <= bars.box.y - lowest <= most
    tops = sorted({box.y for box in tree.drawing.panel.boxes})
    high = tree.drawing.panel.boxes[0].height
    assert all(low - top > high for top, low in pairwise(tops)), "boxes do not touch"


def test_numbers_have_one_kind_of_minus() -> None:
    search = searched()
    steps = search.steps(search.best[0].id)
    options = ViewOptions(search=search, steps=steps, step=steps[-1])
    figure = view("beams").draw(trace_of("decoder"), Selection(stack="decoder"), options)
    tree, ended = figure.panels
    assert isinstance(tree, Diagram)
    assert isinstance(ended, Bars)
    said = [figure.note, *(b.note for b in tree.boxes), *(b.value for b in tree.boxes)]
    assert any("−" in words for words in said)
    assert not re.search(r"-\d", " ".join([*said, *(bar.note for bar in ended.bars)]))


@pytest.mark.parametrize(("kind", "words"), [("decoder", "Choose"), ("encoder", "encoder-only")])
def test_without_a_search_it_says_why(kind: str, words: str) -> None:
    (panel,) = view("beams").draw(trace_of(kind), Selection(), ViewOptions()).panels
    assert isinstance(panel, Words)
    assert words in panel.text

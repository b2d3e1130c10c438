"""The tree of a beam search holds every hypothesis with its own numbers."""

from __future__ import annotations

import math
import re

import pytest

from app.figure import Bars, Diagram, Words
from app.selection import Selection
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
    mean = sum(math.log(step.probability) for step in steps) / len(steps)
    assert values[0] == pytest.approx(math.exp(mean), rel=1e-4)


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

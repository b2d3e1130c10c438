"""The tree of a beam search holds every hypothesis with its own numbers."""

from __future__ import annotations

import math

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
        assert node.why in box.note
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
    for step, title in ((0, "steps 1 to 8 of 12"), (6, "steps 3 to 10"), (11, "steps 5 to 12")):
        selection = Selection(stack="decoder", step=step)
        tree = view("beams").draw(trace_of("decoder"), selection, ViewOptions(search=search))
        assert title in tree.panels[0].title


@pytest.mark.parametrize(("kind", "words"), [("decoder", "Choose"), ("encoder", "encoder-only")])
def test_without_a_search_it_says_why(kind: str, words: str) -> None:
    (panel,) = view("beams").draw(trace_of(kind), Selection(), ViewOptions()).panels
    assert isinstance(panel, Words)
    assert words in panel.text

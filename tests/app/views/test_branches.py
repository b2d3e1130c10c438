"""The tree of continuations: what follows what, where it stands, how likely it is."""

from __future__ import annotations

import math

import pytest

from app.branches import Branch, Tree
from app.figure import Box, Diagram
from app.selection import Selection
from app.views import ViewOptions, view
from app.views.branches import stretches
from core.decoding import decode
from core.request import DecodeRequest, RunRequest, Step
from tests.core.tiny import Bare
from tests.traces import network, sentence


def written(forced: tuple[tuple[int, int], ...] = ()) -> tuple[Step, ...]:
    request = DecodeRequest(run=RunRequest(source=sentence(6)), max_new_tokens=5, forced=forced)
    return tuple(decode(Bare(network("decoder")), request))  # type: ignore[arg-type]


def other(steps: tuple[Step, ...], at: int, rank: int = 1) -> tuple[Step, ...]:
    """The same text up to step `at`, and another token there."""
    kept = [(i, steps[i].token) for i in range(at)]
    return steps[:at] + written((*kept, (at, steps[at].candidates[rank].token)))[at:]


def tree(*forks: int) -> Tree:
    """A first continuation, and one more that leaves it before each of these steps."""
    steps = written()
    more = [Branch(steps=other(steps, at), parent=0, fork=at) for at in forks]
    return Tree(branches=(Branch(steps=steps), *more), current=len(forks))


def test_a_branch_from_the_very_first_step_follows_the_text() -> None:
    found = stretches(tree(0, 2))
    assert [(s.branch, s.start, s.end, s.parent, s.column) for s in found] == [
        (0, 0, 2, None, 0),
        (0, 2, 5, 0, 1),
        (1, 0, 5, None, 0),
        (2, 2, 5, 0, 1),
    ]


def test_a_branch_of_a_branch_hangs_where_it_left() -> None:
    made = tree(2)
    steps = made.branches[1].steps
    made = Tree(branches=(*made.branches, Branch(steps=other(steps, 4), parent=1, fork=4)))
    found = stretches(made)
    assert [(s.branch, s.start, s.end, s.parent) for s in found] == [
        (0, 0, 2, None),
        (0, 2, 5, 0),
        (1, 2, 4, 0),
        (1, 4, 5, 2),
        (2, 4, 5, 2),
    ]


def test_boxes_say_what_was_written_and_how_likely_it_was() -> None:
    made = tree(0, 2)
    steps = made.branches[2].steps
    trace = steps[-1].trace
    options = ViewOptions(tree=made, steps=steps, step=steps[-1])
    (panel,) = view("branches").draw(trace, Selection(stack="decoder", step=4), options).panels
    assert isinstance(panel, Diagram)
    boxes: dict[object, Box] = {box.picks: box for box in panel.boxes}
    for branch, first, last in ((0, 0, 2), (0, 2, 5), (1, 0, 5), (2, 2, 5)):
        box = boxes[("branch", branch), ("step", last - 1)]
        part = made.branches[branch].steps[first:last]
        sure = sum(math.log(step.probability) for step in part)
        number = float(box.text.rpartition("log P ")[2].split(" · ")[0].replace("−", "-"))
        assert number == pytest.approx(sure, abs=6e-4)
        assert f"branch {branch + 1}, steps {first + 1}–{last}: " in box.note
        assert (box.kind == "selected") == ((branch, first) in ((0, 0), (2, 2)))
    start = next(box for box in panel.boxes if box.key == "prompt")
    assert start.text == "".join(sentence(6).pieces)
    assert start.text in start.note


def test_few_branches_have_room_for_long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    long = " ".join(f"word{number}" for number in range(40))
    monkeypatch.setattr("app.views.branches._written", lambda *a: long)
    texts = {}
    for made in (tree(), tree(0, 1, 2, 3)):
        steps = made.branches[0].steps
        options = ViewOptions(tree=made, steps=steps, step=steps[-1])
        trace, selection = steps[-1].trace, Selection(stack="decoder")
        (panel,) = view("branches").draw(trace, selection, options).panels
        assert isinstance(panel, Diagram)
        assert panel.height < 450
        texts[len(made.branches)] = next(b.text for b in panel.boxes if b.key == "stretch0")
    assert texts[1].startswith(long)
    assert "…" in texts[5]

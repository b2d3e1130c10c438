"""The list of next tokens is what decoding chooses from, without what the checkpoint rules out."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import pytest

from app.figure import Bar, Bars, Figure, WordGrid
from app.panels.token_chips import step_chip
from app.selection import Selection
from app.views import ViewOptions, view
from core.decoding import Decoding
from core.request import DecodeRequest, RunRequest, Sampling, Step
from core.spec import SpecialIds
from tests.core.tiny import Bare
from tests.traces import VOCAB, network, sentence

OWN, SET = Sampling(), Sampling(temperature=0.7, top_k=5)
LAST = 3


def decoded(length: int = 6, sampling: Sampling = OWN, **special: Any) -> Decoding:
    made = copy(network("decoder"))
    made.spec = replace(made.spec, special=SpecialIds(pad=0, decoder_start=1, **special))
    bare = Bare(made)
    run = RunRequest(source=sentence(length))
    decoding = Decoding(bare, DecodeRequest(run=run, max_new_tokens=LAST + 1, sampling=sampling))  # type: ignore[arg-type]
    while decoding.finished is None:
        decoding.step()
    return decoding


def drawn(step: Step, options: ViewOptions) -> tuple[Figure, Bars, dict[int | None, Bar]]:
    figure = view("predictions").draw(step.trace, Selection(stack="decoder"), options)
    bars = figure.panels[0]
    assert isinstance(bars, Bars)
    return figure, bars, {bar.token: bar for bar in bars.bars}


def likeliest() -> int:
    return decoded().steps[0].token


@pytest.mark.parametrize("sampling", [OWN, SET])
@pytest.mark.parametrize("last", [None, 9])
def test_the_list_agrees_with_what_the_step_chose_from(
    sampling: Sampling, last: int | None
) -> None:
    special = {"suppressed": (likeliest(), 7, 9), "forced_last": last}
    steps = decoded(sampling=sampling, **special).steps
    for step in steps:
        options = ViewOptions(step=step, sampling=sampling, top=VOCAB)
        _, bars, listed = drawn(step, options)
        expected = {c.token: c for c in step.candidates}
        assert {t: bar.value for t, bar in listed.items()} == pytest.approx(
            {t: c.kept for t, c in expected.items()}, abs=1e-7
        )
        for token, bar in listed.items():
            assert ("ruled out" in bar.note) == expected[token or 0].ruled_out
            assert bar.dimmed == (bar.value == 0)
        assert [b.token for b in bars.bars if "chosen" in b.note] == [step.token]
        assert ("all but one token ruled out" in bars.note) == (step.fixed is not None)
    assert [step.fixed for step in steps] == [None] * LAST + [last]


def test_what_is_ruled_out_keeps_the_models_own_number() -> None:
    token = likeliest()
    step = decoded(suppressed=(token,)).steps[0]
    own = float(step.logits.softmax(-1)[token])
    figure, bars, listed = drawn(step, ViewOptions(step=step, asked=(token,)))
    assert figure.panels[1].title == "Layer by layer, nothing ruled out"
    bar = listed[token]
    assert (bar.value, bar.dimmed) == (0, True)
    assert bar.note == f"rank 1, model {own:.4f}, ruled out by the checkpoint's settings"
    assert bars.value_name == "probability among allowed tokens"
    assert (
        "without the tokens that the checkpoint's settings rule out. So are the bars" in bars.note
    )


def test_nothing_is_said_where_nothing_is_lost() -> None:
    """Of a token as unlikely as the one that translators rule out, padding."""
    steps = decoded().steps
    unlikely = int(steps[0].logits.argmin())
    assert float(steps[0].logits.softmax(-1)[unlikely]) < 5e-5
    step = decoded(suppressed=(unlikely,)).steps[0]
    _, bars, _ = drawn(step, ViewOptions(step=step))
    assert bars.value_name == "probability"
    assert "rule" not in bars.note


def test_the_first_token_that_is_set_is_listed_alone_before_the_first_step() -> None:
    decoding = decoded(length=1, forced_first=9)
    first = decoding.steps[0]
    for step in (None, first):
        _, _, listed = drawn(first, ViewOptions(step=step))
        assert {t for t, bar in listed.items() if bar.value} == {9}
    second = decoding.steps[1]
    _, _, listed = drawn(second, ViewOptions())
    assert sum(bar.value > 0 for bar in listed.values()) > 1
    assert decoded(length=2, forced_first=9).steps[0].fixed is None


def test_over_time_marks_what_is_ruled_out() -> None:
    token = likeliest()
    steps = decoded(suppressed=(token,), forced_last=9).steps
    options = ViewOptions(step=steps[0], steps=tuple(steps))
    grid = view("over_time").draw(steps[0].trace, Selection(stack="decoder"), options).panels[0]
    assert isinstance(grid, WordGrid)
    for rank, row in enumerate(grid.cells[1:]):
        for cell, step in zip(row, steps, strict=True):
            candidate = step.candidates[rank]
            assert ("ruled out by" in cell.note) == candidate.ruled_out
            assert cell.strength == (0 if candidate.ruled_out else candidate.probability)
    assert "ruled out by" in grid.cells[1][0].note
    assert all("ruled out by" in row[-1].note for row in grid.cells[2:])


def test_a_chip_says_what_was_set_and_what_was_taken_though_ruled_out() -> None:
    token = likeliest()
    decoding = decoded(suppressed=(token,), forced_last=9)
    assert (
        "(id 9) set by the checkpoint, the model's own"
        in step_chip(decoding.steps[-1], "x").tooltip
    )
    assert "sampling" not in step_chip(decoding.steps[-1], "x").tooltip
    decoding.back(len(decoding.steps))
    taken = step_chip(decoding.force(token), "x").tooltip
    assert "taken by hand" in taken
    assert taken.endswith("; ruled out by the checkpoint's settings")

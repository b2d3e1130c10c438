"""On a hypothesis of a beam search the next token's list holds the search's own numbers."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import pytest

from app.figure import Bars, Figure
from app.selection import Selection
from app.views import ViewOptions, view
from core.decoding import BeamSearch, Decoding
from core.request import DecodeRequest, RunRequest, Sampling, Step
from core.spec import SpecialIds
from tests.core.tiny import Bare
from tests.traces import VOCAB, network, sentence

PENALTY = Sampling(repetition_penalty=1.5)
RUN = RunRequest(source=sentence(6))


def searched(sampling: Sampling, suppressed: tuple[int, ...] = ()) -> BeamSearch:
    made = copy(network("decoder"))
    special = SpecialIds(pad=0, decoder_start=1, suppressed=suppressed)
    made.spec = replace(made.spec, special=special)
    bare = Bare(made)
    request = DecodeRequest(run=RUN, strategy="beam", max_new_tokens=4, beams=3, sampling=sampling)
    search = BeamSearch(bare, request)  # type: ignore[arg-type]
    search.run()
    return search


def drawn(
    step: Step, search: BeamSearch, sampling: Sampling, *, compact: bool = True
) -> tuple[Figure, Bars]:
    options = ViewOptions(step=step, search=search, sampling=sampling, top=VOCAB, compact=compact)
    figure = view("predictions").draw(step.trace, Selection(stack="decoder"), options)
    bars = figure.panels[0]
    assert isinstance(bars, Bars)
    return figure, bars


@pytest.mark.parametrize(
    "sampling", [PENALTY, Sampling(repetition_penalty=1.5, temperature=0.3, top_k=4, top_p=0.5)]
)
@pytest.mark.parametrize("suppressed", [(), (7, 9)])
def test_the_list_agrees_with_the_candidates(
    sampling: Sampling, suppressed: tuple[int, ...]
) -> None:
    search = searched(sampling, suppressed)
    for step in search.steps(search.best[0].id):
        expected = {c.token: c.kept for c in step.candidates}
        figure, bars = drawn(step, search, sampling)
        assert {b.token: b.value for b in bars.bars} == pytest.approx(expected, abs=1e-7)
        assert [b.token for b in bars.bars if "chosen" in b.note] == [step.token]
        assert "after repetition penalty 1.5. " in bars.note
        assert "only the penalty acts" in figure.note


def test_the_search_s_own_penalty_counts_not_the_one_set_since() -> None:
    search = searched(Sampling())
    step = search.steps(search.best[0].id)[2]
    figure, bars = drawn(step, search, PENALTY)
    assert {b.token: b.value for b in bars.bars} == pytest.approx(
        {c.token: c.probability for c in step.candidates}, abs=1e-7
    )
    assert bars.value_name == "probability"
    assert "Weighed as in the search" in figure.note
    assert "Weighed" not in drawn(step, search, Sampling())[0].note


def test_the_strips_beside_are_of_no_other_scale() -> None:
    search = searched(Sampling())
    step = search.steps(search.best[0].id)[2]
    figure, _ = drawn(step, search, Sampling(top_k=4), compact=False)
    assert [panel.title for panel in figure.panels[1:]] == ["Layer by layer"]


def test_a_token_taken_by_hand_is_weighed_as_ever() -> None:
    """Also one that the search considered, and dropped."""
    search = searched(PENALTY)
    steps = search.steps(search.best[0].id)
    known = next(n for n in search.nodes if n.parent == search.path(search.best[0].id)[0].id)
    decoding = Decoding(search.model, DecodeRequest(run=RUN, max_new_tokens=4, sampling=PENALTY))
    decoding.steps = list(steps[:1])
    step = decoding.force(known.token)
    figure, bars = drawn(step, search, PENALTY)
    assert {b.token: b.value for b in bars.bars} == pytest.approx(
        {c.token: c.kept for c in step.candidates}, abs=1e-7
    )
    assert "Weighed" not in figure.note
    own = search.steps(known.id)[1]
    assert drawn(own, search, PENALTY)[1].bars[0].value != bars.bars[0].value

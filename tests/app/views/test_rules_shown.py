"""Lists of next tokens obey the rules that look at the text so far, as the steps did."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import pytest

from app.figure import Bars
from app.selection import Selection
from app.views import ViewOptions, view
from core.decoding import Decoding
from core.request import DecodeRequest, RunRequest, Step
from core.spec import Rules, SpecialIds
from tests.core.tiny import Bare
from tests.traces import VOCAB, network, sentence

LENGTH, NEW = 6, 5
RULES = {
    "runs": Rules(no_repeat=1),
    "runs of the source": Rules(no_repeat_source=1),
    "least new": Rules(min_new=3),
    "least length": Rules(min_length=LENGTH + 2),
    "first": Rules(begin_suppressed=tuple(range(0, VOCAB, 2))),
}


def decoded(rules: Rules) -> list[Step]:
    made = copy(network("decoder"))
    special = SpecialIds(pad=0, end=tuple(range(1, VOCAB, 3)))
    made.spec = replace(made.spec, special=special, rules=rules)
    run = RunRequest(source=sentence(LENGTH))
    decoding = Decoding(Bare(made), DecodeRequest(run=run, max_new_tokens=NEW))  # type: ignore[arg-type]
    for index in range(NEW):  # tokens that end nothing, so that all rules are met
        decoding.force(3 * index)
    return decoding.steps


def ruled_out(step: Step, options: ViewOptions, query: int | None = None) -> set[int | None]:
    options = replace(options, top=VOCAB)
    figure = view("predictions").draw(step.trace, Selection(stack="decoder", query=query), options)
    bars = figure.panels[0]
    assert isinstance(bars, Bars)
    found = {bar.token for bar in bars.bars if "ruled out by" in bar.note}
    assert found == {bar.token for bar in bars.bars if bar.value == 0}
    return found


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_each_list_is_what_its_step_chose_from(rules: Rules) -> None:
    steps = decoded(rules)
    expected = [{c.token for c in step.candidates if c.ruled_out} for step in steps]
    assert len({frozenset(out) for out in expected}) > 1 or rules.no_repeat_source
    for step, out in zip(steps, expected, strict=True):
        assert ruled_out(step, ViewOptions(step=step)) == out
        # Pinned in a longer text, an earlier place shows what was ruled out there.
        assert ruled_out(steps[-1], ViewOptions(step=steps[-1]), LENGTH - 1 + step.index) == out
    assert ruled_out(steps[0], ViewOptions()) == expected[0] != set()

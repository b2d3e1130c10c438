"""What a trace hands out is the caller's: changing it changes no later answer and no later run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from core.request import RunRequest
from core.run import run
from core.trace import Trace
from tests.traces import network, sentence, trace_of

ASKED: dict[str, Callable[[Trace], Tensor]] = {
    "site": lambda trace: trace["decoder.1.self.k"],
    "states": lambda trace: trace["decoder.2.resid.out"],
    "hidden": lambda trace: trace.hidden("decoder"),
    "pattern": lambda trace: trace.pattern("decoder.self", 1),
    "head": lambda trace: trace.pattern("decoder.self", 1, head=2),
    "query": lambda trace: trace.pattern("decoder.self", 1, head=2, query=3),
    "scores": lambda trace: trace.scores("decoder.cross", 1),
    "allowed": lambda trace: trace.allowed("decoder.self", 1),
    "logits": lambda trace: trace.logits,
    "last": lambda trace: trace.logits_at(-1),
    "two": lambda trace: trace.logits_at(1, 3),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("first", [(), tuple(ASKED)])
def test_it_may_be_changed(name: str, first: tuple[str, ...]) -> None:
    trace, fresh, ask = trace_of("translator"), trace_of("translator"), ASKED[name]
    for other in first:  # so that parts of what is remembered are handed out too
        ASKED[other](trace)
    for _ in range(2):
        ask(trace).zero_()
    for other, again in ASKED.items():
        assert torch.equal(again(trace), again(fresh)), other


def test_the_heads_of_a_text_may_be_changed() -> None:
    trace = trace_of("encoder")
    expected = {name: value.clone() for name, value in trace.heads.items()}
    for value in trace.heads.values():
        value.zero_()
    assert all(torch.equal(trace.heads[name], value) for name, value in expected.items())
    assert len(expected) == 4


def test_changed_keys_are_not_those_of_the_cache() -> None:
    made, text = network("decoder"), sentence(8)
    before = trace_of("decoder", source=sentence(7))
    for site in before.sites():
        before[site].zero_()
    request = RunRequest(source=text)
    assert text.shares_prefix(before.tokens["decoder"]) == 7
    found, fresh = run(made, request, previous=before), run(made, request)
    assert torch.allclose(found.logits, fresh.logits, atol=1e-4)

"""Every view draws every model family, and the inside of its layers adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from app.selection import Selection
from app.views import ViewOptions, views
from core.analysis.ablation import ablation
from core.analysis.inside import attend, stream
from core.checkpoints.config import Config
from core.edits import Edit
from core.families import families
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace

TINY = {f"{family.name} {i}": tiny for family in families() for i, tiny in enumerate(family.tiny)}
CLOSE = {"abs": 1e-5, "rel": 1e-5}


@cache
def trace_of(name: str) -> Trace:
    """Ten tokens through a tiny model whose weights are drawn anew."""
    values: Mapping[str, Any] = TINY[name]
    config = Config(values)
    (family,) = (f for f in families() if values["model_type"] in f.model_types)
    torch.manual_seed(3)
    made = Transformer(family.spec(config)).eval().requires_grad_(False)
    for parameter in made.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.1)
    ids = [3 + 5 * i % 40 for i in range(10)]
    both = made.spec.architecture == "encoder-decoder"
    target = Tokens.of_ids(ids[:6]) if both else None
    return run(made, RunRequest(source=Tokens.of_ids(ids), target=target))


@pytest.mark.parametrize("name", TINY)
def test_every_view_draws_it(name: str) -> None:
    trace = trace_of(name)
    for chosen in views():
        for site in trace.spec.sites:
            stack, part = site.split(".")
            selection = Selection(stack=stack, part=part, layer=1, head=1, query=3)
            figure = chosen.draw(trace, selection, ViewOptions())
            assert figure.title
            assert figure.panels


@pytest.mark.parametrize("name", TINY)
def test_the_inside_of_every_layer_adds_up(name: str) -> None:
    trace = trace_of(name)
    for site in trace.spec.sites:
        stack, part = site.split(".")
        spec = trace.spec.stack(stack)
        for layer in range(spec.layers):
            total = np.zeros(spec.d_model, np.float32)
            for head in range(spec.attention(part, layer).heads):
                found = attend(trace, site, layer, head, 4)
                assert found.products.sum(axis=1) == pytest.approx(found.dots, **CLOSE)
                last = found.scaled if found.capped is None else found.capped
                last = last if found.bias is None else last + found.bias
                assert found.scores == pytest.approx(last, **CLOSE)
                powers = np.exp(found.scores - found.scores.max()) * found.allowed
                assert found.weights == pytest.approx(powers / powers.sum(), **CLOSE)
                assert found.weighted.sum(axis=0) == pytest.approx(found.context, **CLOSE)
                total += found.head_out
            total = total if found.out_bias is None else total + found.out_bias
            assert found.out == pytest.approx(total, **CLOSE)
            steps = {s.name: s.values for s in stream(trace, stack, layer, 4)}
            for name_, values in steps.items():
                left = name_.split(" = ")[-1]
                if " + " in left and not left.startswith("norm("):
                    parts = [steps[_row(p, steps)] for p in left.split(" + ")]
                    assert values == pytest.approx(np.sum(parts, axis=0), **CLOSE)


@pytest.mark.parametrize("name", TINY)
def test_a_head_switched_off_is_a_run_with_that_edit(name: str) -> None:
    trace = trace_of(name)
    if trace.spec.heads.vocab is None:
        return
    for site in trace.spec.sites:
        stack, part = site.split(".")
        found = ablation(trace, site, 4)
        for at, without in (((("head", 1),), found.without[1, 1]), ((), found.without_all[1])):
            off = Edit(site=f"{stack}.1.{part}.context", at=at)
            edited = run(trace.derive.network, replace(trace.request, edits=(off,)))
            p = edited.logits_at(4)[0].double().softmax(-1)[found.answer]
            assert without == pytest.approx(float(p), abs=1e-5)


def _row(short: str, steps: Mapping[str, Any]) -> str:
    """The row of "x", or of "h" in "h = x + a"."""
    if short in steps:
        return short
    return next(name for name in steps if name.startswith(f"{short} = "))

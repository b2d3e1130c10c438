"""Every family equals the reference: logits, hidden states, attention maps, heads."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core.trace import Trace
from tests.core.families import reference
from tests.core.families.conftest import Case, trace
from tests.core.families.reference import Answer

TOLERANCE = 1e-4


def near(ours: Tensor, theirs: Tensor, what: str) -> None:
    assert ours.shape == theirs.shape, f"{what}: {tuple(ours.shape)} != {tuple(theirs.shape)}"
    assert torch.isfinite(ours).all(), f"{what} is not finite"
    difference = (ours - theirs).abs().max().item()
    assert difference <= TOLERANCE, f"{what} differs by {difference:.2g}"


def compare(ours: Trace, theirs: Answer, rows: dict[str, slice]) -> None:
    """Everything both have, at the rows (positions) of each stack that are real tokens."""
    for stack, states in theirs.hidden.items():
        near(ours.hidden(stack)[:, rows[stack]], states[:, rows[stack]], f"hidden of {stack}")
    for site, maps in theirs.patterns.items():
        queries = rows[site.split(".")[0]]
        for layer, pattern in enumerate(maps):
            found = ours.pattern(site, layer)
            near(found[:, queries], pattern[:, queries], f"{site} of layer {layer}")
    assert theirs.heads.keys() <= ours.heads.keys()
    main = rows[ours.spec.main_stack.name]
    for head, logits in theirs.heads.items():
        found = ours.heads[head]
        if head in ("vocab", "replaced"):
            found, logits = found[main], logits[main]
        near(found, logits, head)


def everything(case: Case) -> dict[str, slice]:
    return {stack.name: slice(None) for stack in case.spec.stacks}


def test_at_once(case: Case) -> None:
    ids, target = case.texts()
    ours, theirs = trace(case.network, ids, target), reference.ask(case.model, ids, target)
    assert len(theirs.hidden[case.spec.main_stack.name]) == case.spec.main_stack.layers + 1
    compare(ours, theirs, everything(case))


def test_attention_is_a_distribution_over_what_is_allowed(case: Case) -> None:
    ids, target = case.texts()
    ours = trace(case.network, ids, target)
    for site in case.spec.sites:
        for layer in range(case.spec.stack(site.split(".")[0]).layers):
            pattern, allowed = ours.pattern(site, layer), ours.allowed(site, layer)
            assert (pattern.sum(-1) - 1).abs().max() <= 1e-5
            assert (pattern[:, ~allowed] == 0).all()


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing_for_real_tokens(case: Case, side: str) -> None:
    ids, target = case.texts()
    theirs = reference.ask(case.model, ids, target)
    ours = trace(case.network, ids, target, padded=5, side=side)
    real = slice(5, None) if side == "left" else slice(0, len(ids))
    first = case.spec.stacks[0].name
    near(ours.hidden(first)[:, real], theirs.hidden[first], "hidden")
    for site, maps in theirs.patterns.items():
        queries = slice(None) if site.startswith("decoder") and first == "encoder" else real
        keys = slice(None) if site == "decoder.self" and first == "encoder" else real
        for layer, pattern in enumerate(maps):
            found = ours.pattern(site, layer)[:, queries]
            near(found[..., keys], pattern, f"{site} of layer {layer}")
            if keys == real:
                pads = slice(0, 5) if side == "left" else slice(len(ids), None)
                assert (found[..., pads] == 0).all()
    if "vocab" in theirs.heads:
        rows = real if case.spec.main_stack.name == first else slice(None)
        near(ours.logits[rows], theirs.heads["vocab"], "vocab")


@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_reference(case: Case, side: str) -> None:
    """The reference with the same padding, where it can be told positions or needs none."""
    if side == "left" and not reference.takes_positions(case.model):
        pytest.skip("the reference counts left padding as positions")
    ids, target = case.texts()
    pads = [1] * 5
    padding = [True] * 5 + [False] * len(ids)
    if side == "right":
        theirs = reference.ask(case.model, ids + pads, target, padding=padding[::-1])
    else:
        theirs = reference.ask(case.model, pads + ids, target, padding=padding)
    ours = trace(case.network, ids, target, padded=5, side=side)
    rows = everything(case)
    rows[case.spec.stacks[0].name] = slice(5, None) if side == "left" else slice(0, len(ids))
    if side == "left":
        theirs = Answer(
            hidden=theirs.hidden,
            patterns=theirs.patterns,
            heads={h: t for h, t in theirs.heads.items() if h in ("vocab", "replaced")},
        )
    compare(ours, theirs, rows)


def test_step_by_step(case: Case) -> None:
    """One token at a time on the cache: each step is the reference's last row for that prefix."""
    if case.spec.decoder is None:
        pytest.skip("an encoder reads a text at once")
    ids, target = case.texts()
    long = ids if target is None else target
    ours = None
    for length in [8, *range(19, 25)]:
        prefix = long[:length]
        if target is None:
            theirs = reference.ask(case.model, prefix)
            ours = trace(case.network, prefix, previous=ours)
        else:
            theirs = reference.ask(case.model, ids, prefix)
            ours = trace(case.network, ids, prefix, previous=ours)
        near(ours.hidden("decoder"), theirs.hidden["decoder"], f"hidden of step {length}")
        if "vocab" in theirs.heads:
            near(ours.logits, theirs.heads["vocab"], f"logits of step {length}")
        for site in case.spec.sites:
            for layer in range(case.spec.stack(site.split(".")[0]).layers):
                near(ours.pattern(site, layer), theirs.patterns[site][layer], f"{site} {layer}")

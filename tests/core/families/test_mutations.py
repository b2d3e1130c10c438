"""The fixtures are strong enough to see faults: each deliberate one moves the result visibly."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import torch

from core.masks import MaskChoice
from core.model import Transformer
from core.spec import (
    AlibiPositions,
    BlockSpec,
    DisentangledPositions,
    LearnedPositions,
    RelativeBuckets,
    RotaryPositions,
    StackSpec,
)
from tests.core.families.conftest import Case, trace

VISIBLE = 1e-2
Fault = Callable[[Transformer], Transformer | None]


def rebuilt(network: Transformer, change: Callable[[BlockSpec], BlockSpec]) -> Transformer:
    """The same weights under a spec whose blocks are changed."""
    stack = network.spec.main_stack
    changed: StackSpec = replace(stack, blocks=tuple(change(b) for b in stack.blocks))
    made = Transformer(replace(network.spec, **{stack.name: changed})).eval()
    made.load_state_dict(network.state_dict())
    return made


def norm_weight_ignored(network: Transformer) -> Transformer | None:
    changed = deepcopy(network)
    block = changed.stack(network.spec.main_stack.name).block(0)
    norm = block.residual["ffn"].norm if "ffn" in block.residual else block.residual["self"].norm
    if norm.weight is None:
        return None
    norm.weight.data.fill_(0.0 if norm.spec.unit_offset else 1.0)
    return changed


def bias_dropped(network: Transformer) -> Transformer | None:
    changed = deepcopy(network)
    attention = changed.stack(network.spec.main_stack.name).block(0).attention
    bias = getattr(getattr(attention, "v", attention.out), "bias", None)
    if bias is None:
        return None
    bias.data.zero_()
    return changed


def query_norm_ignored(network: Transformer) -> Transformer | None:
    changed = deepcopy(network)
    norm = changed.stack(network.spec.main_stack.name).block(0).attention.q_norm
    if norm is None or norm.weight is None:
        return None
    norm.weight.data.fill_(0.0 if norm.spec.unit_offset else 1.0)
    return changed


def positions_wrong(network: Transformer) -> Transformer | None:
    """Another rotary base, a table or buckets off by one row, no slopes."""
    stack = network.spec.main_stack
    changed, where = deepcopy(network), stack.blocks[0].attention.positions
    if isinstance(stack.embedding.positions, LearnedPositions):
        table = changed.stack(stack.name).embedding.position.weight
    elif isinstance(where, RelativeBuckets | DisentangledPositions):
        table = changed.stack(stack.name).bias.weight
    else:
        table = None
    if table is not None:
        table.data = table.data.roll(1, 0)
        return changed

    def change(block: BlockSpec) -> BlockSpec:
        where = block.attention.positions
        if isinstance(where, RotaryPositions):
            where = replace(where, theta=where.theta / 50)
        elif isinstance(where, AlibiPositions):
            where = None
        return replace(block, attention=replace(block.attention, positions=where))

    if stack.blocks[0].attention.positions is None:
        return None
    return rebuilt(network, change)


def activation_wrong(network: Transformer) -> Transformer:
    def change(block: BlockSpec) -> BlockSpec:
        now = block.feedforward.activation
        other = "relu" if now != "relu" else "gelu"
        return replace(block, feedforward=replace(block.feedforward, activation=other))

    return rebuilt(network, change)


def scores_scaled_wrongly(network: Transformer) -> Transformer:
    def change(block: BlockSpec) -> BlockSpec:
        attention = block.attention
        return replace(block, attention=replace(attention, scale=attention.score_scale * 1.2))

    return rebuilt(network, change)


FAULTS: tuple[Fault, ...] = (
    norm_weight_ignored,
    bias_dropped,
    query_norm_ignored,
    positions_wrong,
    activation_wrong,
    scores_scaled_wrongly,
)


def result(network: Transformer, case: Case, **more: object) -> torch.Tensor:
    """Logits where the model has them, the last hidden state where it has not."""
    found = trace(network, *case.texts(), **more)
    if case.spec.heads.vocab is not None:
        return found.logits
    return found.hidden(case.spec.main_stack.name)[-1]


def test_faults_show(case: Case) -> None:
    right = result(case.network, case)
    moved: dict[str, float] = {}
    for fault in FAULTS:
        wrong = fault(case.network)
        if wrong is not None:
            moved[fault.__name__] = (result(wrong, case) - right).abs().max().item()
    assert len(moved) >= 3
    assert min(moved.values()) > VISIBLE, moved


def test_a_visible_pad_shows(case: Case) -> None:
    site = case.spec.sites[-1]
    seen = ((site, MaskChoice(hide_padding=False)),)
    first = case.spec.stacks[0].name
    padded = trace(case.network, *case.texts(), padded=5, side="left")
    wrong = trace(case.network, *case.texts(), padded=5, side="left", masks=seen)
    last = case.spec.main_stack.name
    rows = slice(5, None) if last == first else slice(None)
    difference = (wrong.hidden(last)[-1, rows] - padded.hidden(last)[-1, rows]).abs().max()
    assert difference > VISIBLE

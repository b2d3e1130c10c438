from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.entering import entering
from core.analysis.inside import stream
from core.analysis.projections import project
from core.layers.positions import Rotary, rotate
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import RotaryPositions
from tests.core.analysis.by_hand import linear, norm
from tests.traces import KINDS, attention, network, one_block, sentence, spec, trace_of, variants

CLOSE = {"abs": 1e-5, "rel": 1e-5}


@pytest.mark.parametrize("kind", KINDS)
def test_q_k_and_v_are_made_from_the_steps_of_the_layer(kind: str) -> None:
    """Every step by hand from the vector whose name the formula gives."""
    trace, made = trace_of(kind, length=7, target=6), network(kind)
    for site in trace.spec.sites:
        stack, part = site.split(".")
        for layer in (0, 2):
            block = made.stack(stack).block(layer)
            module = block.attention if part == "self" else block.cross
            found = project(trace, site, layer, 3, 4, 2)
            x = _named(trace, stack, layer, 4, found.reads)
            if part == "cross":
                y = trace.hidden("encoder")[-1][2].numpy()
            else:
                y = _named(trace, stack, layer, 2, found.source)
            assert (found.d_reads, found.d_source) == (len(x), len(y)) == (16, 16)
            shared = 3 // module.spec.group
            _chain(module, module.q, module.q_norm, found.q, x, 3, 4)
            _chain(module, module.k, module.k_norm, found.k, y, shared, 2)
            v = linear(module.v, y.astype(float)).reshape(module.spec.kv_heads, -1)[shared]
            assert found.v[-1].values == pytest.approx(v, **CLOSE)
            assert [found.q[-1].name, found.k[-1].name, found.v[-1].name] == ["q", "k", "v"]


def _named(trace, stack, layer, place, name):  # type: ignore[no-untyped-def]
    """The vector of a step of a layer by its name, also by "h" of "h = norm(x + a)"."""
    rows = {s.name.split(" = ")[0]: s.values for s in stream(trace, stack, layer, place)}
    return rows[name]


def _chain(module, matrix, head_norm, steps, x, head, place) -> None:  # type: ignore[no-untyped-def]
    heads = matrix.weight.shape[0] // module.spec.d_head
    expected = [linear(matrix, x.astype(float)).reshape(heads, -1)[head]]
    if head_norm is not None:
        expected.append(norm(head_norm, expected[-1]))
    where = module.spec.positions
    if isinstance(where, RotaryPositions):
        turn = Rotary(where).tables(torch.tensor([[place]]))
        last = torch.tensor(expected[-1], dtype=torch.float32)
        expected.append(rotate(last[None, None, None], turn, where)[0, 0, 0].numpy())
    assert len(steps) == len(expected)
    for step, values in zip(steps, expected, strict=True):
        assert step.values == pytest.approx(values, **CLOSE)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        (
            "latent",
            "norm(norm(x)·W_DQ + b)·W_UQ",
        ),
        (
            "latent, direct",
            "norm(x)·W_Q",
        ),
    ],
)
def test_latent_attention_goes_through_small_vectors(name: str, query: str) -> None:
    made = Transformer(variants()[name]).eval().requires_grad_(False)
    trace = run(made, RunRequest(source=sentence(6)))
    found = project(trace, "decoder.self", 1, 2, 3, 1)
    key = "norm(norm(x)·W_DKV + b)·W_UK and norm(x)·W_KR + b"
    assert found.products == (query, key, "norm(norm(x)·W_DKV + b)·W_UV")
    assert found.then == ("rotated",)
    module = made.stack("decoder").block(1).attention
    x = trace["decoder.1.norm.self"][3].double().numpy()
    q = (
        linear(module.q_direct, x)
        if name.endswith("direct")
        else linear(module.q_up, norm(module.q_latent_norm, linear(module.q_down, x)))
    )
    assert found.q[0].values == pytest.approx(q.reshape(4, -1)[2], **CLOSE)
    # The first coordinates are not rotated, the last two are.
    assert found.q[1].values[:3] == pytest.approx(found.q[0].values[:3], **CLOSE)
    assert np.abs(found.q[1].values[3:] - found.q[0].values[3:]).max() > 1e-4
    assert found.k[1].values[:3] == pytest.approx(found.k[0].values[:3], **CLOSE)
    assert (len(found.k[1].values), len(found.v[0].values)) == (5, 7)


def test_a_matrix_without_bias_has_none_in_its_formula() -> None:
    own = attention(causal=True, qkv_bias=True, k_bias=False)
    made = Transformer(one_block(spec("decoder"), attention=own, first_norm=False)).eval()
    trace = run(made, RunRequest(source=sentence(4)))
    found = project(trace, "decoder.self", 1, 0, 3, 1)
    assert found.products == ("x·W_Q + b", "x·W_K", "x·W_V + b")
    assert found.then == ()
    assert found.q[0].formula == "q = x·W_Q + b"


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_reads_a_step_of_its_layer(kind: str) -> None:
    trace = trace_of(kind, length=7, target=6)
    for stack in trace.spec.stacks:
        for part in ("self", "cross", "ffn"):
            if part == "cross" and stack.blocks[0].cross is None:
                continue
            name, site = entering(stack, 1, part)
            values = trace[site][3].numpy()
            assert (values == _named(trace, stack.name, 1, 3, name)).all()


def test_one_norm_serves_both_halves_of_a_parallel_layer() -> None:
    made = variants()["one norm"].decoder
    assert made is not None
    assert entering(made, 1, "ffn") == entering(made, 1, "self")
    own = replace(made, blocks=tuple(replace(b, shared_norm=False) for b in made.blocks))
    assert entering(own, 1, "ffn") == ("norm′(x)", "decoder.1.norm.ffn")

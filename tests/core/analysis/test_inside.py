from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.inside import attend, experts, neurons, stream
from core.edits import Edit
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import ExpertsSpec
from tests.core.analysis.by_hand import array, gelu, linear, norm, softmax
from tests.traces import KINDS, network, sentence, spec, trace_of, variants

CLOSE = {"abs": 1e-5, "rel": 1e-5}


@pytest.mark.parametrize("kind", KINDS)
def test_an_attention_chains_from_q_to_its_output(kind: str) -> None:
    trace, made = trace_of(kind, length=7, target=6), network(kind)
    for site in trace.spec.sites:
        stack, part = site.split(".")
        for layer in range(3):
            total = np.zeros(16)
            for head in range(4):
                found = attend(trace, site, layer, head, 4)
                assert found.products.sum(axis=1) == pytest.approx(found.dots, **CLOSE)
                scores = found.dots.astype(float) * found.scale
                if found.softcap is not None:
                    scores = np.tanh(scores / found.softcap) * found.softcap
                if found.bias is not None:
                    scores = scores + found.bias
                assert found.scores == pytest.approx(scores, **CLOSE)
                weights = np.zeros(len(scores))
                weights[found.allowed] = softmax(scores[found.allowed])
                assert found.weights == pytest.approx(weights, **CLOSE)
                assert found.weighted.sum(axis=0) == pytest.approx(found.context, **CLOSE)
                total = total + found.head_out
            if found.out_bias is not None:
                total = total + found.out_bias
            assert found.out == pytest.approx(total, **CLOSE)
            block = made.stack(stack).block(layer)
            module = block.attention if part == "self" else block.cross
            contexts = array(trace[f"{stack}.{layer}.{part}.context"])[:, 4].reshape(-1)
            assert found.out == pytest.approx(linear(module.out, contexts), **CLOSE)


@pytest.mark.parametrize("name", ["latent", "latent, direct", "one norm", "shared layers"])
def test_rarer_models_chain_too(name: str) -> None:
    made = Transformer(variants()[name]).eval().requires_grad_(False)
    trace = run(made, RunRequest(source=sentence(6)))
    stack = made.spec.main_stack.name
    total = np.zeros(16)
    for head in range(4):
        found = attend(trace, f"{stack}.self", 1, head, 3)
        assert found.products.sum(axis=1) * found.scale == pytest.approx(found.scores, **CLOSE)
        weights = np.zeros(6)
        weights[found.allowed] = softmax(found.scores[found.allowed].astype(float))
        assert found.weights == pytest.approx(weights, **CLOSE)
        assert found.weighted.sum(axis=0) == pytest.approx(found.context, **CLOSE)
        total = total + found.head_out
    total = total if found.out_bias is None else total + found.out_bias
    assert found.out == pytest.approx(total, **CLOSE)
    steps = stream(trace, stack, 1, 3)
    assert (steps[-1].values == trace[f"{stack}.1.resid.out"][3].numpy()).all()


def test_the_position_bias_is_the_models_own() -> None:
    trace, made = trace_of("relative translator", length=7), network("relative translator")
    found = attend(trace, "encoder.self", 1, 2, 4)
    assert found.bias is not None
    positions = torch.arange(7)[None]
    expected = made.stack("encoder").position_bias(positions, positions)[0, 2, 4]
    assert found.bias == pytest.approx(array(expected), **CLOSE)
    assert attend(trace, "decoder.cross", 1, 2, 4).bias is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_stream_chains_to_what_the_layer_hands_on(kind: str) -> None:
    """Every step recomputed by hand from the step before it."""
    trace, made = trace_of(kind, length=7, target=6), network(kind)
    for stack in made.spec.stacks:
        for layer in range(3):
            block = made.stack(stack.name).block(layer)
            rows = {s.name: s.values for s in stream(trace, stack.name, layer, 3)}
            names = list(rows)
            assert names[0] == "x"
            after = trace.hidden(stack.name)[layer][3].numpy()
            assert rows["x"] == pytest.approx(after, **CLOSE)
            _check_chain(block, rows)
            last = trace[f"{stack.name}.{layer}.resid.out"][3].numpy()
            assert rows[names[-1]] == pytest.approx(last, **CLOSE)


def _check_chain(block, rows) -> None:  # type: ignore[no-untyped-def]
    residual = block.residual
    kind = block.spec.residual
    x, a = rows["x"], rows["a"]
    if kind == "parallel":
        assert rows["norm(x)"] == pytest.approx(norm(residual["self"].norm, x), **CLOSE)
        assert rows["norm′(x)"] == pytest.approx(norm(residual["ffn"].norm, x), **CLOSE)
        assert rows["f"] == pytest.approx(feed(block, rows["norm′(x)"]), **CLOSE)
        assert rows["x + a + f"] == pytest.approx(x + a + rows["f"], **CLOSE)
        return
    if kind == "joint":
        assert rows["f"] == pytest.approx(feed(block, a), **CLOSE)
        assert rows["x + a + f"] == pytest.approx(x + a + rows["f"], **CLOSE)
        last = norm(residual["self"].norm, rows["x + a + f"])
        assert rows["norm(x + a + f)"] == pytest.approx(last, **CLOSE)
        return
    h = x
    parts = [("self", "a", "x", "h"), ("ffn", "f", "h", "out")]
    if block.cross is not None:
        parts = [parts[0], ("cross", "c", "h", "h′"), ("ffn", "f", "h′", "out")]
    for part, name, source, result in parts:
        frame = residual[part]
        taken = h
        if kind != "post":
            taken = norm(frame.norm, h)
            assert rows[f"norm({source})"] == pytest.approx(taken, **CLOSE)
        if part == "ffn":
            assert rows["f"] == pytest.approx(feed(block, taken), **CLOSE)
        added, shown = rows[name], name
        if kind == "sandwich":
            added, shown = norm(frame.post, added), f"norm({name})"
            assert rows[shown] == pytest.approx(added, **CLOSE)
        total = h + added
        if kind == "post":
            assert rows[f"{source} + {name}"] == pytest.approx(total, **CLOSE)
            h = norm(frame.norm, total)
            assert rows[f"{result} = norm({source} + {name})"] == pytest.approx(h, **CLOSE)
        else:
            h = total
            assert rows[f"{result} = {source} + {shown}"] == pytest.approx(h, **CLOSE)


def feed(block, x):  # type: ignore[no-untyped-def]
    module = block.feedforward
    inner = linear(module.inner, x)
    act = gelu(inner) if module.gate is None else gelu(linear(module.gate, x)) * inner
    return linear(module.out, act)


@pytest.mark.parametrize("kind", ["decoder", "rotary decoder"])
def test_neurons_come_strongest_first_with_what_made_them(kind: str) -> None:
    trace = trace_of(kind, length=5)
    found = neurons(trace, "decoder", 1, 2, 6)
    assert found is not None
    everything = trace["decoder.1.ffn.act"][2].numpy()
    assert found.of == len(everything) == 24
    assert np.abs(found.after).tolist() == sorted(np.abs(everything), reverse=True)[:6]
    assert (found.after == everything[found.index]).all()
    after = gelu(found.before.astype(float))
    if found.gate is not None:
        after = gelu(found.gate.astype(float)) * found.before
    assert found.after == pytest.approx(after, **CLOSE)
    assert (found.gate is None) == (kind == "decoder")
    assert experts(trace, "decoder", 1, 2) is None


def test_experts_have_a_router_instead_of_neurons() -> None:
    made = spec("rotary decoder")
    assert made.decoder is not None
    block = made.decoder.blocks[0]
    mixed = replace(block.feedforward, experts=ExpertsSpec(count=4, top=2, d_ff=8))
    blocks = (replace(block, feedforward=mixed),) * 3
    made = replace(made, decoder=replace(made.decoder, blocks=blocks))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4)))
    assert neurons(trace, "decoder", 0, 1, 5) is None
    weights = experts(trace, "decoder", 0, 1)
    assert weights is not None
    assert np.count_nonzero(weights) == 2
    assert weights.sum() == pytest.approx(1, abs=1e-5)


def test_the_first_norm_may_be_absent() -> None:
    made = spec("decoder")
    assert made.decoder is not None
    bare = replace(made.decoder.blocks[0], first_norm=False)
    blocks = (bare, *made.decoder.blocks[1:])
    made = replace(made, decoder=replace(made.decoder, blocks=blocks))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4)))
    first, second = (stream(trace, "decoder", layer, 1) for layer in (0, 1))
    assert [s.name for s in first] == ["x", "a", "h = x + a", "norm(h)", "f", "out = h + f"]
    assert [s.name for s in second][1:3] == ["norm(x)", "a"]
    assert first[1].meaning == "attention(x)"


def test_edited_contexts_and_outputs_chain_too() -> None:
    edits = (
        Edit(site="encoder.1.self.context", at=(("head", 0),)),
        Edit(site="encoder.1.self.context", at=(("head", 1),), value=-2.0, mode="scale"),
        Edit(site="encoder.1.self.out", at=(("position", 4),), value=0.5, mode="scale"),
    )
    trace = trace_of("encoder", length=6, edits=edits)
    for query, heads in ((3, {0, 1}), (4, {0, 1, 2, 3})):
        total = np.zeros(16)
        for head in range(4):
            found = attend(trace, "encoder.self", 1, head, query)
            assert found.edited == (head in heads)
            assert found.weighted.sum(axis=0) == pytest.approx(found.context, **CLOSE)
            assert found.context.any() == (head != 0)
            total = total + found.head_out
        assert found.out_bias is not None
        assert found.out == pytest.approx(total + found.out_bias, **CLOSE)
    assert not attend(trace, "encoder.self", 0, 0, 4).edited

from __future__ import annotations

from dataclasses import replace
from math import erf

import numpy as np
import pytest

from core.analysis.copying import can_copy, copying
from core.edits import Edit
from core.errors import Cancelled
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace
from tests.traces import network, sentence, spec, trace_of

SMALL = 1e-4


def layer_norm(x: np.ndarray, module: object) -> np.ndarray:
    weight, bias = (p.double().numpy() for p in (module.weight, module.bias))  # type: ignore[attr-defined]
    centred = x - x.mean()
    return centred / np.sqrt((centred**2).mean() + module.spec.eps) * weight + bias  # type: ignore[attr-defined]


def logits(made: Transformer, state: np.ndarray) -> np.ndarray:
    """The output head by hand, in float64: [d_model] -> [vocab]."""
    stack = made.stack(made.spec.main_stack.name)
    head = made.heads.vocab
    assert head is not None
    x = state if stack.final_norm is None else layer_norm(state, stack.final_norm)
    if head.dense is not None:
        assert head.norm is not None
        x = head.dense.weight.double().numpy() @ x + head.dense.bias.double().numpy()
        x = np.array([0.5 * value * (1 + erf(value / 2**0.5)) for value in x])
        x = layer_norm(x, head.norm)
    return stack.embedding.token.weight.double().numpy() @ x


def score(trace: Trace, made: Transformer, site: str, layer: int, head: int) -> float:
    """By loops and differences."""
    stack, part = site.split(".")
    queries = trace.tokens[stack]
    keys = trace.tokens["encoder"] if part == "cross" else queries
    block = made.stack(stack).block(layer)
    out = (block.attention if part == "self" else block.cross).out.weight.double().numpy()
    maps = trace.pattern(site, layer, head).double().numpy()
    v = trace[f"{stack}.{layer}.{part}.v"].double().numpy()[head]
    width = v.shape[1]
    written = maps @ v @ out[:, head * width : (head + 1) * width].T
    last = trace[f"{stack}.2.resid.out"].double().numpy()
    found = []
    for i in range(len(queries)):
        if queries.padding[i]:
            continue
        change = (
            logits(made, last[i] + SMALL * written[i]) - logits(made, last[i] - SMALL * written[i])
        ) / (2 * SMALL)
        raised = [maps[i, j] * (change[t] - change.mean()) for j, t in enumerate(keys.ids)]
        found.append(sum(raised))
    return float(np.mean(found))


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_it_is_how_far_a_head_raises_what_it_attends_to(kind: str) -> None:
    source = Tokens.of_ids([7, 8, 7, 9, 11, 8]).padded(8, pad=0, piece="[PAD]", side="left")
    trace = trace_of(kind, source=source)
    found = copying(trace, f"{kind}.self")
    assert found.shape == (3, 4)
    for layer, head in ((0, 0), (1, 3), (2, 1)):
        expected = score(trace, network(kind), f"{kind}.self", layer, head)
        assert found[layer, head] == pytest.approx(expected, rel=1e-3, abs=1e-5)


def test_cross_attention_copies_only_within_one_vocabulary() -> None:
    made = Transformer(replace(spec("translator"), shared_embedding=True)).eval()
    made.requires_grad_(False)
    trace = run(made, RunRequest(source=sentence(6), target=sentence(4, offset=3)))
    expected = score(trace, made, "decoder.cross", 1, 2)
    found = copying(trace, "decoder.cross")
    assert found[1, 2] == pytest.approx(expected, rel=1e-3, abs=1e-5)
    assert np.isnan(copying(trace, "encoder.self")).all()
    apart = trace_of("translator")
    assert not can_copy(apart.spec, "decoder.cross")
    assert np.isnan(copying(apart, "decoder.cross")).all()
    assert can_copy(apart.spec, "decoder.self")


def test_a_head_that_looks_at_sinks_alone_is_judged_by_the_rest() -> None:
    tokens = Tokens.of_ids([5, 6, 7, 8], ["[CLS]", "cat", "sat", "[SEP]"])
    trace = trace_of("encoder", source=replace(tokens, special=(True, False, False, True)))
    made = network("encoder")
    found = copying(trace, "encoder.self", drop_sinks=True)[0, 1]
    maps = trace.pattern("encoder.self", 0, 1).double().numpy()
    v = trace["encoder.0.self.v"].double().numpy()[1]
    out = made.stack("encoder").block(0).attention.out.weight.double().numpy()
    written = maps @ v @ out[:, 4:8].T
    last = trace["encoder.2.resid.out"].double().numpy()
    total = 0.0
    for i in range(4):
        step = SMALL * written[i]
        change = (logits(made, last[i] + step) - logits(made, last[i] - step)) / (2 * SMALL)
        kept = maps[i, 1:3] / maps[i, 1:3].sum()
        total += float(kept @ (change[[6, 7]] - change.mean()))
    assert found == pytest.approx(total / 4, rel=1e-3, abs=1e-5)


def test_it_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        copying(trace_of("encoder"), "encoder.self", lambda: True)


def test_a_head_that_is_switched_off_copies_nothing() -> None:
    off = Edit(site="encoder.1.self.context", at=(("head", 2),))
    found = copying(trace_of("encoder", length=6, edits=(off,)), "encoder.self")
    assert found[1, 2] == 0
    assert np.count_nonzero(found) == found.size - 1


def test_of_an_output_that_is_edited_what_is_left_counts() -> None:
    half = Edit(site="encoder.1.self.out", value=0.5, mode="scale")
    trace = trace_of("encoder", length=6, edits=(half,))
    found = copying(trace, "encoder.self")
    for layer, share in ((0, 1.0), (1, 0.5)):
        expected = share * score(trace, network("encoder"), "encoder.self", layer, 1)
        assert found[layer, 1] == pytest.approx(expected, rel=1e-3, abs=1e-5)
    none = Edit(site="encoder.1.self.out")
    found = copying(trace_of("encoder", length=6, edits=(none,)), "encoder.self")
    assert not found[1].any()
    assert found[[0, 2]].all()

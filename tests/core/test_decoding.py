"""Decoding on the cache equals the full forward, goes back exactly, and forgets nothing valid."""

from __future__ import annotations

import math

import pytest
import torch

from core.decoding import decode
from core.decoding.verify import verify
from core.masks import choose
from core.request import DecodeRequest, RunRequest
from core.spec import RotaryPositions, RotaryScaling
from core.tokens import Tokens
from tests.core import tiny
from tests.core.decoding_steps import finish, start


@pytest.mark.parametrize("make", [tiny.decoder, tiny.encoder_decoder])
@pytest.mark.parametrize("mask", [None, "sliding_window"])
def test_each_step_equals_the_full_forward(make, mask: str | None) -> None:
    network = make()
    masks = () if mask is None else (("decoder.self", choose(mask, window=3)),)
    done = finish(start(network, masks=masks))
    run = done.request.run
    tokens = done.steps[-1].trace.tokens["decoder"]
    whole = (
        RunRequest(source=tokens, masks=masks)
        if run.target is None
        else RunRequest(source=run.source, target=tokens, masks=masks)
    )
    full = tiny.Bare(network).run(whole)
    assert len(done.steps) > 3
    for step in done.steps:
        last = len(step.trace.tokens["decoder"]) - 1
        assert (full.logits[last] - step.logits).abs().max() <= 1e-4
        assert step.token == int(step.logits.argmax())
        assert math.isclose(step.probability, float(step.logits.softmax(-1)[step.token]))
        for layer in range(network.stack("decoder").spec.layers):
            row = step.trace.pattern("decoder.self", layer, query=last)
            assert row.shape == (tiny.HEADS, last + 1)
            expected = full.pattern("decoder.self", layer)[:, last, : last + 1]
            assert (row - expected).abs().max() <= 1e-5


def test_only_new_rows_are_computed_and_the_cache_says_what_it_holds() -> None:
    done = finish(start(tiny.decoder()))
    for step in done.steps:
        length = 8 + step.index
        assert step.cache_positions == length
        # 3 layers x (keys, values) x 2 kv heads x 8 wide x 4 bytes
        assert step.cache_bytes == 3 * 2 * 2 * 8 * 4 * length
        rows = step.trace.captured["decoder.1.ffn.out"].own.shape[0]
        assert rows == (8 if step.index == 0 else 1)


def test_cross_attention_keys_are_computed_once() -> None:
    done = finish(start(tiny.encoder_decoder()))
    first, last = done.steps[0].trace, done.steps[-1].trace
    for name in ("decoder.0.cross.k", "decoder.1.cross.v", "encoder.2.resid.out"):
        assert last.captured[name].own is first.captured[name].own
    assert last.pattern("decoder.cross", 1).shape == (tiny.HEADS, len(done.steps), 8)
    assert (last.pattern("decoder.cross", 1).sum(-1) - 1).abs().max() <= 1e-5


def test_back_and_forward_is_bit_identical() -> None:
    done = finish(start(tiny.decoder()))
    before = [(s.token, s.logits.clone(), s.trace.pattern("decoder.self", 2)) for s in done.steps]
    done.back(5)
    assert len(done.steps) == 7
    finish(done)
    for step, (token, logits, pattern) in zip(done.steps, before, strict=True):
        assert step.token == token
        assert torch.equal(step.logits, logits)
        assert torch.equal(step.trace.pattern("decoder.self", 2), pattern)


def test_a_forced_token_opens_a_branch_that_equals_a_fresh_run() -> None:
    network = tiny.decoder()
    done = finish(start(network))
    old = done.steps[3:]
    done.back(9)
    forced = done.force(7)
    assert forced.forced
    assert forced.token == 7
    finish(done)
    full = tiny.trace(network, list(done.steps[-1].trace.tokens["decoder"].ids))
    for step in done.steps:
        last = len(step.trace.tokens["decoder"]) - 1
        assert (full.logits[last] - step.logits).abs().max() <= 1e-4
    kept = tiny.trace(network, list(old[-1].trace.tokens["decoder"].ids))
    assert (kept.logits[-1] - old[-1].logits).abs().max() <= 1e-4
    assert (
        kept.pattern("decoder.self", 1) - old[-1].trace.pattern("decoder.self", 1)
    ).abs().max() <= 1e-5


def test_an_open_mask_recomputes_instead_of_lying() -> None:
    network = tiny.decoder()
    masks = (("decoder.self", choose("bidirectional")),)
    done = finish(start(network, masks=masks, max_new_tokens=3))
    last = done.steps[-1]
    full = tiny.trace(network, list(last.trace.tokens["decoder"].ids), masks=masks)
    assert (full.logits[-1] - last.logits).abs().max() <= 1e-5


@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_rotations_that_depend_on_the_length_are_turned_anew(kind: str) -> None:
    """Every step equals the full forward of its own text, and the check knows which text."""
    scaling = RotaryScaling(
        kind=kind, factor=2.0, original_size=10, short_factor=(1.0,) * 4, long_factor=(3.0,) * 4
    )
    where = RotaryPositions(theta=10000.0, d_rotary=8, scaling=scaling)
    network = tiny.decoder(*[tiny.block(tiny.attention(causal=True, positions=where))] * 2)
    done = finish(start(network))
    for step in done.steps:
        full = tiny.trace(network, list(step.trace.tokens["decoder"].ids))
        assert (full.logits[-1] - step.logits).abs().max() <= 1e-5
    found = verify(done.model, done.steps)
    assert found.logits <= 1e-5
    assert found.pattern <= 1e-5


def test_padding_of_the_prompt_changes_nothing() -> None:
    network = tiny.decoder()
    plain = finish(start(network))
    for side in ("left", "right"):
        tokens = Tokens.of_ids(tiny.ids(8)).padded(11, pad=0, piece="p", side=side)
        request = DecodeRequest(run=RunRequest(source=tokens), max_new_tokens=12)
        padded = list(decode(tiny.Bare(network), request))  # type: ignore[arg-type]
        assert [s.token for s in padded] == [s.token for s in plain.steps]
        for mine, other in zip(padded, plain.steps, strict=True):
            assert (mine.logits - other.logits).abs().max() <= 1e-4


@pytest.mark.parametrize("make", [tiny.decoder, tiny.encoder_decoder])
def test_what_a_trace_forgets_is_computed_again(make) -> None:
    done = finish(start(make()))
    trace = done.steps[-1].trace
    before = [trace.pattern("decoder.self", 1), trace["decoder.1.self.k"], trace.hidden("decoder")]
    for step in done.steps:
        step.trace.forget()
    assert not trace.remembers(("pattern", "decoder.self", 1, None, None))
    after = [trace.pattern("decoder.self", 1), trace["decoder.1.self.k"], trace.hidden("decoder")]
    for old, new in zip(before, after, strict=True):
        assert old is not new
        assert torch.equal(old, new)


@pytest.mark.parametrize("make", [tiny.decoder, tiny.encoder_decoder])
def test_a_step_keeps_no_more_than_its_own_row(make) -> None:
    """Beside what is asked for later: nothing as long as the text."""
    steps = finish(start(make())).steps
    for step in steps[1:]:
        for site, captured in step.trace.captured.items():
            if captured.parent is not None:
                assert captured._joined is None, site
                assert captured.own.shape[captured.growing] == 1, site
    last = steps[-1].trace
    assert torch.equal(last.logits_at(-1), last.logits_at(len(last.tokens["decoder"]) - 1))
    assert torch.allclose(last.logits_at(0, 3), last.logits[[0, 3]], atol=1e-6)


def test_one_run_is_told_apart_where_the_mask_looks_ahead() -> None:
    network = tiny.decoder()
    done = finish(start(network, masks=(("decoder.self", choose("bidirectional")),)))
    assert {(s.cache_positions, s.cache_bytes) for s in done.steps} == {(0, 0)}
    found = verify(done.model, done.steps)
    assert found.logits <= 1e-5, "each step is its own text's run"
    assert found.parting is not None
    assert found.parting.why == "mask"
    assert len(found.full.tokens["decoder"]) == len(done.steps[-1].trace.tokens["decoder"])
    first = len(done.steps[0].trace.tokens["decoder"]) - 1
    rows = [found.full.logits_at(first + step.index)[0] for step in done.steps]
    apart = [
        abs(float(row.softmax(-1)[s.token]) - s.probability)
        for row, s in zip(rows, done.steps, strict=True)
    ]
    assert max(apart) > 1e-4
    assert abs(found.parting.together - found.parting.stepped) == pytest.approx(max(apart))
    logits = max(float((r - s.logits).abs().max()) for r, s in zip(rows, done.steps, strict=True))
    assert found.parting.logits == pytest.approx(logits)
    assert verify(done.model, done.steps[:1]).parting.logits <= 1e-5  # type: ignore[union-attr]
    plain = finish(start(network))
    assert verify(plain.model, plain.steps).parting is None

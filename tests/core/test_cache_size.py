"""Bytes of the cache: what is measured equals what is computed, and what sharing would save."""

from __future__ import annotations

import pytest
import torch

from core.analysis.cache_size import needs
from core.decoding.record import as_dict, csv_text, json_line
from core.decoding.verify import verify
from core.errors import RequestError
from core.surgery import pool_key_value_heads
from tests.core import tiny
from tests.core.decoding_steps import finish, start


def test_the_model_own_need_is_what_its_cache_holds() -> None:
    network = tiny.decoder()
    step = finish(start(network)).steps[-1]
    assert network.spec.decoder is not None
    found = {n.label: n for n in needs(network.spec.decoder)}
    assert found["GQA"].is_own
    assert found["GQA"].total(step.cache_positions) == step.cache_bytes
    assert found["MHA"].bytes_per_token == 3 * 4 * 16 * 4
    assert found["MQA"].bytes_per_token == 3 * 1 * 16 * 4


def test_pooled_heads_are_the_mean_and_the_original_stays() -> None:
    own = tiny.attention(causal=True, positions=tiny.POSITIONS["rotary"])
    network = tiny.decoder(*[tiny.block(own)] * 2)
    before = tiny.trace(network, tiny.ids(9))
    pooled = pool_key_value_heads(network, 2)
    found = tiny.trace(pooled, tiny.ids(9))
    x = found["decoder.0.norm.self"]
    values = before["decoder.0.self.v"]  # the first layer reads the same input in both
    assert torch.equal(x, before["decoder.0.norm.self"])
    assert torch.allclose(found["decoder.0.self.v"][0], values[:2].mean(0), atol=1e-5)
    assert torch.allclose(found["decoder.0.self.v"][1], values[2:].mean(0), atol=1e-5)
    assert (found.logits - before.logits).abs().max() > 1e-2
    assert torch.equal(tiny.trace(network, tiny.ids(9)).logits, before.logits)
    same = tiny.trace(pool_key_value_heads(network, 4), tiny.ids(9))
    assert (same.logits - before.logits).abs().max() <= 1e-5
    shared = pooled.stack("decoder").embedding.token.weight
    assert shared is network.stack("decoder").embedding.token.weight
    with pytest.raises(RequestError, match="cannot be pooled into 3; possible are 1, 2, 4"):
        pool_key_value_heads(network, 3)
    with pytest.raises(RequestError, match="has no decoder"):
        pool_key_value_heads(tiny.encoder(), 1)


@pytest.mark.parametrize("make", [tiny.decoder, tiny.encoder_decoder])
def test_verify_measures_the_difference(make) -> None:
    decoding = finish(start(make()))
    found = verify(decoding.model, decoding.steps)
    assert found.steps == len(decoding.steps)
    assert found.logits <= 1e-4
    assert found.pattern <= 1e-5
    spoiled = decoding.steps[2].logits
    spoiled += 0.5
    assert verify(decoding.model, decoding.steps).logits == pytest.approx(0.5, abs=1e-3)


def test_steps_as_plain_data() -> None:
    steps = finish(start(tiny.decoder(), max_new_tokens=3)).steps
    found = as_dict(steps[1], candidates=2)
    probabilities = steps[1].logits.double().softmax(-1)
    assert found["step"] == 2
    assert found["entropy_bits"] == pytest.approx(
        float(-(probabilities * probabilities.log2()).sum()), abs=1e-4
    )
    assert found["surprise_bits"] == pytest.approx(
        -float(probabilities[steps[1].token].log2()), abs=1e-4
    )
    assert len(found["candidates"]) == 2
    assert json_line(steps[0]).count("\n") == 0
    assert csv_text(steps).splitlines()[0].startswith("step,token,piece,text")
    assert len(csv_text(steps).splitlines()) == 4

"""Pooled heads against plain numpy: KL in bits, the bytes of the cache."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.sharing import share
from core.errors import RequestError
from core.run import run
from core.surgery import pool_key_value_heads
from tests.traces import HEADS, LAYERS, network, trace_of


def divergence(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    def log_softmax(z: np.ndarray) -> np.ndarray:
        z = z.astype(np.float64)
        z = z - z.max(-1, keepdims=True)
        return z - np.log(np.exp(z).sum(-1, keepdims=True))

    p, q = log_softmax(before), log_softmax(after)
    return (np.exp(p) * (p - q)).sum(-1) / np.log(2)


@pytest.mark.parametrize("kind", ["decoder", "translator"])
@pytest.mark.parametrize("kv_heads", [2, 1])
def test_numbers(kind: str, kv_heads: int) -> None:
    trace = trace_of(kind)
    net = network(kind)
    found = share(net, trace, kv_heads)
    other = run(pool_key_value_heads(net, kv_heads), trace.request)
    expected = divergence(trace.logits.numpy(), other.logits.numpy())
    assert found.mean_kl == pytest.approx(expected.mean(), rel=1e-4)
    assert found.last_kl == pytest.approx(expected[-1], rel=1e-4)
    assert found.mean_kl > 0
    same = trace.logits.argmax(-1) == other.logits.argmax(-1)
    assert found.kept == pytest.approx(float(same.float().mean()))
    assert found.bytes_before == trace.cache.bytes
    own = sum(trace[f"decoder.{i}.self.{n}"].nbytes for i in range(LAYERS) for n in "kv")
    cross = found.bytes_before - own
    assert found.bytes_after - cross == own * kv_heads // HEADS


def test_as_many_heads_as_before_change_nothing() -> None:
    found = share(network("decoder"), trace_of("decoder"), HEADS)
    assert found.mean_kl == pytest.approx(0, abs=1e-9)
    assert found.kept == 1
    assert found.bytes_after == found.bytes_before


def test_it_says_what_is_possible() -> None:
    with pytest.raises(RequestError, match="possible are 1, 2, 4"):
        share(network("decoder"), trace_of("decoder"), 3)

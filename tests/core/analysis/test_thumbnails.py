from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.analysis import thumbnails as module
from core.analysis.thumbnails import thumbnails
from core.errors import Cancelled
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from tests.traces import KINDS, attention, sentence, spec, trace_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at_once", [True, False])
def test_they_are_the_maxima_of_the_maps(
    kind: str, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not at_once:
        monkeypatch.setattr(module, "_AT_ONCE_BYTES", 0)
    trace = trace_of(kind, length=9, target=6)
    for site in trace.spec.sites:
        found = thumbnails(trace, site, 5)
        assert found.factor == 2
        for layer in range(3):
            pattern = trace.pattern(site, layer).numpy()
            allowed = trace.allowed(site, layer).numpy()
            for i, j in np.ndindex(*found.values.shape[2:]):
                rows, columns = slice(2 * i, 2 * i + 2), slice(2 * j, 2 * j + 2)
                expected = pattern[:, rows, columns].max(axis=(1, 2))
                assert found.values[layer, :, i, j] == pytest.approx(expected, abs=1e-6)
                assert (found.hidden[layer, :, i, j] == ~allowed[rows, columns].any()).all()


def test_cross_attention_is_target_by_source() -> None:
    trace = trace_of("translator", length=9, target=4)
    assert thumbnails(trace, "decoder.cross", 99).values.shape == (3, 4, 4, 9)


def test_they_are_remembered_and_the_maps_are_not() -> None:
    trace = trace_of("encoder", length=9)
    first = thumbnails(trace, "encoder.self", 5)
    assert thumbnails(trace, "encoder.self", 5) is first
    assert trace._memory.get(("pattern", "encoder.self", 0, None, None)) is None


def test_it_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        thumbnails(trace_of("encoder", length=6), "encoder.self", 5, lambda: True)


def test_a_layer_with_fewer_heads_leaves_hidden_tiles() -> None:
    made = spec("encoder")
    assert made.encoder is not None
    few = replace(made.encoder.blocks[0], attention=replace(attention(), heads=2, kv_heads=2))
    blocks = (made.encoder.blocks[0], few, made.encoder.blocks[2])
    made = replace(made, encoder=replace(made.encoder, blocks=blocks))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(5)))
    found = thumbnails(trace, "encoder.self", 99)
    assert found.values.shape == (3, 4, 5, 5)
    assert found.hidden[1, 2:].all()
    assert not found.values[1, 2:].any()
    assert not found.hidden[[0, 2]].any()

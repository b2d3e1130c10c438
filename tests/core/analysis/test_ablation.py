from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from torch import Tensor

from core.analysis import ablation as module
from core.analysis.ablation import ablation
from core.errors import Cancelled, RequestError
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from tests.core.analysis.by_hand import array, softmax
from tests.traces import KINDS, network, sentence, spec, trace_of


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_off_is_a_head_whose_output_weights_are_zero(kind: str) -> None:
    """An independent way to switch a head off: its columns of W_O set to 0."""
    trace = trace_of(kind, length=6, target=5)
    position = 3
    whole = softmax(array(trace.logits)[position])
    for site in trace.spec.sites:
        stack, part = site.split(".")
        found = ablation(trace, site, position)
        assert found.answer == whole.argmax()
        assert found.probability == pytest.approx(whole.max(), abs=1e-6)
        for layer, head in ((0, 1), (2, 3)):
            made = copy.deepcopy(network(kind))
            block = made.stack(stack).block(layer)
            attention = block.attention if part == "self" else block.cross
            assert attention is not None
            attention.out.weight[:, 4 * head : 4 * head + 4] = 0
            left = softmax(array(run(made, trace.request).logits)[position])
            assert found.without[layer, head] == pytest.approx(left[found.answer], abs=1e-5)
            bits = (whole * np.log2(whole / left)).sum()
            assert found.divergence[layer, head] == pytest.approx(bits, abs=1e-4)
            attention.out.weight[:] = 0
            left = softmax(array(run(made, trace.request).logits)[position])
            assert found.without_all[layer] == pytest.approx(left[found.answer], abs=1e-5)
            bits = (whole * np.log2(whole / left)).sum()
            assert found.divergence_all[layer] == pytest.approx(bits, abs=1e-4)


def test_all_heads_of_a_layer_are_one_run_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the batch of the layer's heads, and in a batch of its own where not all find room."""
    trace = trace_of("translator", length=6, target=5)
    whole = ablation(trace, "decoder.cross", 3)
    batches: list[int] = []
    real = module._without

    def counted(*given: Any) -> Tensor:
        batches.append(len(given[3]))
        return real(*given)

    monkeypatch.setattr(module, "_without", counted)
    for room, sizes in ((4096, [5]), (4 * 5, [4, 1])):
        monkeypatch.setattr(module, "_AT_ONCE", room)
        batches.clear()
        found = ablation(trace_of("translator", length=6, target=5), "decoder.cross", 3)
        assert batches == 3 * sizes
        assert found.without == pytest.approx(whole.without, abs=1e-6)
        assert found.without_all == pytest.approx(whole.without_all, abs=1e-6)
        assert found.divergence_all == pytest.approx(whole.divergence_all, abs=1e-5)


def test_it_stops_when_asked_and_needs_a_prediction() -> None:
    with pytest.raises(Cancelled):
        ablation(trace_of("encoder"), "encoder.self", 1, lambda: True)
    bare = Transformer(replace(spec("encoder"), heads=Heads())).eval()
    with pytest.raises(KeyError, match="no vocabulary head"):
        ablation(run(bare, RunRequest(source=sentence(3))), "encoder.self", 1)


def test_a_position_counted_from_the_end() -> None:
    trace = trace_of("decoder", length=6)
    last = ablation(trace, "decoder.self", -1)
    assert last is ablation(trace, "decoder.self", 5)
    assert last.answer == int(trace.logits[5].argmax())
    with pytest.raises(RequestError, match="the decoder has positions 0 to 5, not 6"):
        ablation(trace, "decoder.self", 6)

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.gradients import influence
from core.edits import Edit
from core.errors import RequestError
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from core.trace import Trace
from tests.traces import KINDS, network, sentence, spec, trace_of


def log_p(trace: Trace, position: int, token: int) -> float:
    return float(trace.logits[position].double().log_softmax(-1)[token])


@pytest.mark.parametrize("kind", KINDS)
def test_against_weights_really_made_smaller_and_larger(kind: str) -> None:
    """A central difference: single weights scaled in runs of their own."""
    trace, made = trace_of(kind, length=6, target=5), network(kind)
    position, step = 3, 0.02
    for site in trace.spec.sites:
        stack, part = site.split(".")
        for layer in (0, 2):
            found = influence(trace, site, layer, position)
            assert found.answer == int(trace.logits[position].argmax())
            expected_p = np.exp(log_p(trace, position, found.answer))
            assert found.probability == pytest.approx(expected_p, abs=1e-6)
            largest = np.argwhere(np.abs(found.values) == np.abs(found.values).max())[0]
            for head, query, key in (tuple(largest.tolist()), (1, 3, 2)):
                ends = []
                for factor in (1 + step, 1 - step):
                    edit = Edit(
                        site=f"{stack}.{layer}.{part}.pattern",
                        at=(("head", head), ("query", query), ("key", key)),
                        value=factor,
                        mode="scale",
                    )
                    changed = run(made, replace(trace.request, edits=(edit,)))
                    ends.append(log_p(changed, position, found.answer))
                slope = (ends[0] - ends[1]) / (2 * step)
                assert found.values[head, query, key] == pytest.approx(slope, abs=2e-4, rel=2e-2)


def test_later_positions_cannot_move_an_earlier_prediction() -> None:
    found = influence(trace_of("decoder", length=6), "decoder.self", 1, 2)
    assert not found.values[:, 3:].any()
    assert found.values[:, :3].any()
    assert not found.values[:, 0, 1:].any()


def test_padding_leaves_no_nan() -> None:
    source = sentence(4).padded(6, pad=0, piece="[PAD]", side="left")
    found = influence(trace_of("decoder", source=source), "decoder.self", 0, 5)
    assert np.isfinite(found.values).all()
    assert not found.values[:, :2].any()
    plain = influence(trace_of("decoder", source=sentence(4)), "decoder.self", 0, 3)
    assert found.values[:, 2:, 2:] == pytest.approx(plain.values, abs=1e-5)


def test_gradients_stay_off_afterwards() -> None:
    trace = trace_of("encoder", length=4)
    influence(trace, "encoder.self", 1, 2)
    assert not any(p.requires_grad or p.grad is not None for p in network("encoder").parameters())
    assert not trace["encoder.1.self.q"].requires_grad
    assert torch.is_grad_enabled()


def test_without_a_vocabulary_head_there_is_no_prediction_to_move() -> None:
    bare = Transformer(replace(spec("encoder"), heads=Heads())).eval()
    with pytest.raises(KeyError, match="no vocabulary head"):
        influence(run(bare, RunRequest(source=sentence(3))), "encoder.self", 0, 1)


def test_a_position_counted_from_the_end() -> None:
    trace = trace_of("decoder", length=6)
    last = influence(trace, "decoder.self", 1, -1)
    assert last is influence(trace, "decoder.self", 1, 5)
    assert last.answer == int(trace.logits[5].argmax())
    with pytest.raises(RequestError, match="the decoder has positions 0 to 5, not -7"):
        influence(trace, "decoder.self", 1, -7)

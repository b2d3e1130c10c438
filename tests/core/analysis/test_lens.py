from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.analysis import lens as module
from core.analysis.lens import lens
from core.errors import Cancelled
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from tests.core.analysis.by_hand import array, norm, softmax, vocabulary
from tests.traces import KINDS, network, sentence, spec, trace_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at_once", [10**6, 1])
def test_each_layer_through_norm_and_head_by_hand(
    kind: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    trace, made = trace_of(kind, length=6, target=6), network(kind)
    places = [4, 0, 2]
    found = lens(trace, places)
    stack = made.stack(made.spec.main_stack.name)
    name = stack.spec.name
    sites = [f"{name}.embed.out", *(f"{name}.{i}.resid.out" for i in range(3))]
    chances = []
    for site in sites:
        states = array(trace[site])[places]
        if stack.final_norm is not None:
            states = norm(stack.final_norm, states)
        chances.append(softmax(vocabulary(made, states)))
    answer = chances[-1].argmax(axis=-1)
    for layer, p in enumerate(chances):
        assert found.top[layer].tolist() == p.argmax(axis=-1).tolist()
        assert found.probability[layer] == pytest.approx(p.max(axis=-1), abs=1e-5)
        of_answer = p[np.arange(3), answer]
        assert found.final[layer] == pytest.approx(of_answer, abs=1e-5)
        assert found.rank[layer].tolist() == (1 + (p > of_answer[:, None]).sum(axis=-1)).tolist()
        bits = (chances[-1] * np.log2(chances[-1] / p)).sum(axis=-1)
        assert found.divergence[layer] == pytest.approx(bits, abs=1e-4)


def test_the_last_row_is_the_model_itself() -> None:
    trace = trace_of("decoder", length=6)
    found = lens(trace, range(6))
    assert found.top[-1].tolist() == trace.logits.argmax(dim=-1).tolist()
    assert (found.rank[-1] == 1).all()
    assert not found.divergence[-1].any()
    assert (found.final[-1] == found.probability[-1]).all()


def test_no_head_no_lens_and_stopping() -> None:
    bare = Transformer(replace(spec("encoder"), heads=Heads())).eval()
    with pytest.raises(KeyError, match="no vocabulary head"):
        lens(run(bare, RunRequest(source=sentence(3))), [0])
    with pytest.raises(Cancelled):
        lens(trace_of("decoder", length=4), [0], lambda: True)

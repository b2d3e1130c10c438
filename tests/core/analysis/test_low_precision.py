"""Weights of 16 bits: a trace hands states out in 32, and heads still read them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core import load_model
from core.analysis.lens import growth, lens

TEXTS = {
    "builtin:encoder": "The cat [MASK] on the mat.",
    "builtin:decoder": "Once upon a time there was a cat",
    "builtin:translator": "他喜欢猫。",
}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("source", TEXTS)
def test_states_are_read_by_weights_of_sixteen_bits(source: str, dtype: str) -> None:
    trace = load_model(source, dtype=dtype).trace(TEXTS[source])
    stack = trace.spec.main_stack.name
    hidden = trace.hidden(stack)

    read = trace.derive.project(hidden[-1], normalise=False)
    assert read.dtype == getattr(torch, dtype)
    assert torch.allclose(read.float(), trace.logits, rtol=0.02, atol=0.05)

    found = lens(trace, range(hidden.shape[1]))
    assert np.isfinite(found.divergence).all()
    grown = growth(trace, 0, [int(found.top[0, 0])])
    assert grown[0, 0] == pytest.approx(float(found.probability[0, 0]), abs=0.02)

    for name, values in trace.derive.project_text(hidden, normalise=False).items():
        assert torch.allclose(values[-1].float(), trace.sentence_heads[name], rtol=0.02, atol=0.05)

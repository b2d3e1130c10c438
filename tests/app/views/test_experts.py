from __future__ import annotations

from dataclasses import replace

import pytest

from app.figure import Bars
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import ExpertsSpec
from tests.traces import sentence, spec


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_weights_of_experts_beyond_one_are_told_apart_by_their_bars(scale: float) -> None:
    made = spec("rotary decoder")
    assert made.decoder is not None
    block = made.decoder.blocks[0]
    experts = ExpertsSpec(count=4, top=2, d_ff=8, scale=scale)
    mixed = replace(block, feedforward=replace(block.feedforward, experts=experts))
    made = replace(made, decoder=replace(made.decoder, blocks=(mixed,) * 3))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4)))
    bars = view("inside_layer").draw(trace, Selection(stack="decoder"), ViewOptions()).panels[2]
    assert isinstance(bars, Bars)
    weights = trace["decoder.0.ffn.router"][3]
    assert [bar.value for bar in bars.bars][:2] == pytest.approx(weights.topk(2).values.tolist())
    assert bars.limit == pytest.approx(max(1.0, float(weights.max())))
    assert (bars.limit > 1) is (scale > 1)

"""Candidates, entropy and surprise of each step, against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Curves, WordGrid, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.decoding import Decoding
from core.request import DecodeRequest, RunRequest
from tests.core.tiny import Bare
from tests.traces import network, sentence, trace_of


def decoded(count: int = 5) -> Decoding:
    run = RunRequest(source=sentence(6))
    request = DecodeRequest(run=run, max_new_tokens=count)
    decoding = Decoding(Bare(network("decoder")), request)  # type: ignore[arg-type]
    while decoding.finished is None:
        decoding.step()
    return decoding


def test_numbers_of_each_step() -> None:
    steps = tuple(decoded().steps)
    options = ViewOptions(steps=steps, step=steps[2])
    figure = view("over_time").draw(steps[2].trace, Selection(stack="decoder", step=2), options)
    grid, curves = figure.panels
    assert isinstance(grid, WordGrid)
    assert isinstance(curves, Curves)
    total = 0.0
    for index, step in enumerate(steps):
        z = step.logits.double().numpy()
        p = np.exp(z - z.max())
        p /= p.sum()
        assert curves.curves[0].y[index] == pytest.approx(-np.log2(p[step.token]), abs=1e-4)
        assert curves.curves[1].y[index] == pytest.approx(-(p * np.log2(p)).sum(), abs=1e-4)
        assert grid.cells[0][index].strength == pytest.approx(p[step.token], abs=1e-5)
        assert grid.cells[1][index].strength == pytest.approx(p.max(), abs=1e-5)
        assert grid.cells[1][index].text == f"▸ ⟨{step.token}⟩"
        total += np.log(p[step.token])
    assert grid.column == 2
    assert curves.y_limits is not None
    low, high = curves.y_limits
    assert low == 0  # bits count from nothing
    assert high > max(float(curve.y.max()) for curve in curves.curves)
    assert f"log-probability −{abs(total):.3f}" in figure.note


@pytest.mark.parametrize(
    ("kind", "words"), [("decoder", "Decode a few tokens"), ("encoder", "encoder-only")]
)
def test_without_steps_it_says_why(kind: str, words: str) -> None:
    (panel,) = view("over_time").draw(trace_of(kind), Selection(), ViewOptions()).panels
    assert isinstance(panel, Words)
    assert words in panel.text

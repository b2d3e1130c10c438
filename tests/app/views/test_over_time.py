"""Candidates, entropy and surprise of each step, against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from app.figure import Curves, WordGrid, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.decoding import Decoding, Filling
from core.request import DecodeRequest, RunRequest
from tests.core.tiny import Bare
from tests.traces import MASK, VOCAB, network, sentence, trace_of


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


def test_the_mask_is_listed_as_what_fills_no_mask() -> None:
    model = Bare(network("encoder"))
    filling = Filling(model, RunRequest(source=sentence(8, masked=(2, 5))))  # type: ignore[arg-type]
    step = filling.step()
    options = ViewOptions(steps=tuple(filling.steps), pieces=str)
    grid, _ = view("over_time").draw(step.trace, Selection(), options).panels
    assert isinstance(grid, WordGrid)
    listed = {row[0].text: row[0] for row in grid.cells[1:]}
    assert listed[str(MASK)].note.endswith(", fills no mask")
    assert (listed[str(MASK)].token, listed[str(MASK)].strength) == (None, 0.0)
    other = next(cell for text, cell in listed.items() if text.isdigit() and text != str(MASK))
    assert "fills no mask" not in other.note
    assert other.token is not None

    bars = view("predictions").draw(step.trace, Selection(), ViewOptions(top=VOCAB)).panels
    for panel in bars[:2]:
        assert [b.token for b in panel.bars if "fills no mask" in b.note] == [MASK]  # type: ignore[union-attr]

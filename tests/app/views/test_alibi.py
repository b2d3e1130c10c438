"""ALiBi as the views tell of it: each key's bias inside a head, its name in the architecture."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.figure import Diagram, WordGrid
from app.selection import Selection
from app.views import ViewOptions, view
from core.checkpoints.config import Config
from core.families import bloom
from core.layers.positions import alibi_slopes
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Eight tokens behind two pads through six heads."""
    torch.manual_seed(3)
    made = Transformer(bloom.spec(Config(bloom.FAMILY.tiny[1]))).eval().requires_grad_(False)
    tokens = Tokens.of_ids([3 + 5 * i for i in range(8)])
    padded = tokens.padded(10, pad=1, piece="[PAD]", side="left")
    return run(made, RunRequest(source=padded))


@pytest.mark.parametrize("head", range(6))
def test_the_bias_inside_a_head_is_its_slope_times_the_distance(trace: Trace, head: int) -> None:
    selection = Selection(stack="decoder", layer=1, head=head, query=7)
    figure = view("inside_head").draw(trace, selection, ViewOptions())
    scores = figure.panels[2]
    assert isinstance(scores, WordGrid)
    assert scores.title == "3  score = q·k / √6 + bias, masked [10]"
    assert scores.columns.labels == ("q·k", "q·k / √6", "bias", "score", "mask")
    keys = np.array(scores.rows.numbers)
    bias = np.array([row[2].value for row in scores.cells])
    slope = alibi_slopes(6)[head]
    real = keys >= 2
    assert real.sum() > 5
    assert bias[real] == pytest.approx(slope * (keys[real] - 7), abs=1e-5)
    assert f"bias = ALiBi's slope {slope:.4g} · (key − query)." in figure.note


def test_the_architecture_names_it(trace: Trace) -> None:
    selection = Selection(stack="decoder", layer=1)
    (panel,) = view("architecture").draw(trace, selection, ViewOptions()).panels
    assert isinstance(panel, Diagram)
    (box,) = (box for box in panel.boxes if box.text.startswith("Self-attention"))
    assert "ALiBi positions" in box.note
    assert not any("+ position" in box.text for box in panel.boxes)
    norms = [box for box in panel.boxes if box.text.startswith("LayerNorm 36")]
    assert len(norms) == 3  # behind the embedding, and two in the layer
    assert norms[0].note == "LayerNorm of the token's vector: 72 weights"


def test_embeddings_say_that_attention_knows_the_positions(trace: Trace) -> None:
    figure = view("embeddings").draw(trace, Selection(stack="decoder"), ViewOptions())
    assert figure.note.startswith(
        "No position is added here; attention itself knows the positions. "
        "The token's vector is then normalised. "
    )

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Bars, Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.neighbours import neighbours
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads, VocabHead
from tests.traces import VOCAB, sentence, spec, trace_of


def test_neighbours_of_the_pinned_token_and_alike_positions() -> None:
    trace = trace_of("encoder", length=6)
    figure = view("neighbours").draw(trace, Selection(query=2), ViewOptions(top=4))
    bars, positions = figure.panels
    assert isinstance(bars, Bars)
    expected = neighbours(trace, "encoder", sentence(6).ids[2], 4)
    assert [b.token for b in bars.bars] == expected.tokens.tolist()
    assert not bars.takes  # a click must not decode one of them
    assert [b.value for b in bars.bars] == expected.cosine.tolist()
    assert bars.bars[0].label == f"⟨{expected.tokens[0]}⟩"
    assert isinstance(positions, Heatmap)
    vectors = trace["encoder.embed.position"].double().numpy()
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert positions.values == pytest.approx(units @ units.T, abs=1e-5)
    assert positions.row == 2
    assert "(position 2)" in figure.title


def test_an_encoder_and_a_decoder_may_number_words_differently() -> None:
    trace = trace_of("translator", length=6)
    options = ViewOptions(pieces=lambda i: f"T{i}", source_pieces=lambda i: f"S{i}")
    for stack, letter in (("encoder", "S"), ("decoder", "T")):
        bars = view("neighbours").draw(trace, Selection(stack=stack), options).panels[0]
        assert isinstance(bars, Bars)
        assert [bar.label for bar in bars.bars] == [f"{letter}{bar.token}" for bar in bars.bars]


def test_an_untied_model_has_two_lists_and_rotary_no_positions() -> None:
    heads = Heads(vocab=VocabHead(vocab=VOCAB, tied=False))
    made = Transformer(replace(spec("rotary decoder"), heads=heads)).eval()
    trace = run(made, RunRequest(source=sentence(5)))
    figure = view("neighbours").draw(trace, Selection(stack="decoder"), ViewOptions())
    titles = [panel.title for panel in figure.panels]
    assert titles == ["Nearest in the token embedding", "Nearest in the output matrix"]
    assert figure.hint.endswith("Pin a token to see its neighbours.")
    assert figure.note.startswith("Cosine of the angle between two vectors")

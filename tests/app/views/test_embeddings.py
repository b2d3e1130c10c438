from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figure import Figure, Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from tests.traces import network, sentence, spec, trace_of, widened_first


def draw(kind: str, **selection: object) -> tuple[Figure, tuple[Heatmap, ...]]:
    stack = "encoder" if "decoder" not in kind else "decoder"
    chosen = Selection(stack=stack, **selection)  # type: ignore[arg-type]
    figure = view("embeddings").draw(trace_of(kind, length=6), chosen, ViewOptions())
    assert all(isinstance(p, Heatmap) for p in figure.panels)
    return figure, figure.panels  # type: ignore[return-value]


def test_parts_are_the_tables_rows_and_add_up() -> None:
    figure, panels = draw("encoder", query=2)
    assert [p.title for p in panels] == ["Token", "+ position", "+ segment", "= sum"]
    token, position, segment, total = (p.values for p in panels)
    made = network("encoder").encoder
    assert made is not None
    ids = list(sentence(6).ids)
    assert (token == made.embedding.token.weight[ids].numpy()).all()
    assert (position == made.embedding.position.weight[:6].numpy()).all()
    assert (segment == made.embedding.segment.weight[[0] * 6].numpy()).all()
    assert total == pytest.approx(token + position + segment, abs=1e-6)
    assert len({p.limits for p in panels}) == 1
    assert panels[0].row == 2
    lengths = [np.linalg.norm(p.values[2]) for p in panels]
    for title, length in zip(("Token", "+ position"), lengths, strict=False):
        assert f"{title} {length:.3g}" in figure.note
    assert figure.note.endswith("The sum is then normalised.")


def test_sines_and_cosines() -> None:
    position = draw("joint encoder")[1][1]
    angle = 3 / 10000 ** (4 / 16)
    assert position.values[3, 4:6] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-6)


def test_without_added_positions_there_is_one_part_and_a_reason() -> None:
    figure, panels = draw("rotary decoder")
    assert [p.title for p in panels] == ["Token"]
    assert figure.note == "No position is added here; attention itself knows the positions."


def test_scale_and_projection_are_told() -> None:
    made = spec("encoder")
    assert made.encoder is not None
    embedding = replace(made.encoder.embedding, d_embed=10, scale=3.0)
    made = replace(made, encoder=replace(made.encoder, embedding=embedding))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4)))
    figure = view("embeddings").draw(trace, Selection(), ViewOptions())
    assert figure.title == "Encoder embeddings · 10 coordinates"
    assert figure.note == (
        "The token's vector is multiplied by 3. "
        "The sum is then normalised and projected to 16 coordinates."
    )


def test_one_scale_burns_no_part_out() -> None:
    """The parts may differ much in size: the scale is that of the largest part."""
    made = spec("encoder")
    network_ = Transformer(made).eval()
    assert network_.encoder is not None
    embedding = network_.encoder.embedding
    with torch.no_grad():
        torch.manual_seed(3)
        embedding.token.weight.normal_(std=1.0)
        embedding.position.weight.normal_(std=0.01)
        embedding.segment.weight.normal_(std=0.01)
    trace = run(network_, RunRequest(source=sentence(20)))
    panels = view("embeddings").draw(trace, Selection(), ViewOptions()).panels
    for panel in panels:
        assert isinstance(panel, Heatmap)
        assert np.mean(np.abs(panel.values) > panel.limits[1]) < 0.01
    assert panels[0].limits == panels[1].limits  # type: ignore[union-attr]


def test_the_textbooks_factor_is_named() -> None:
    made = spec("encoder")
    assert made.encoder is not None
    embedding = replace(made.encoder.embedding, scale=4.0)
    made = replace(made, encoder=replace(made.encoder, embedding=embedding))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4)))
    figure = view("embeddings").draw(trace, Selection(), ViewOptions())
    assert "The token's vector is multiplied by 4 (√d_model)." in figure.note


def test_a_token_may_be_projected_before_anything_is_added() -> None:
    trace = run(Transformer(widened_first()).eval(), RunRequest(source=sentence(4)))
    figure = view("embeddings").draw(trace, Selection(), ViewOptions())
    assert figure.title == "Encoder embeddings · 16 coordinates"
    assert "The token's vector has been projected to 16 coordinates. " in figure.note
    token, position, segment, total = (panel.values for panel in figure.panels)
    assert total == pytest.approx(token + position + segment, abs=1e-6)

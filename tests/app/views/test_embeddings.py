from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figure import Figure, Heatmap
from app.render.heatmap import HeatmapDrawing
from app.render.numbers import number
from app.render.page import Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view
from app.views._vectors import plain
from core.analysis.tying import input_output_cosine
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads, VocabHead
from tests.app.render.recording import overlapping, record
from tests.traces import VOCAB, network, sentence, spec, trace_of, widened_first

TIED = "The output matrix [40 × 16] is this same token embedding: tied."


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
    for panel in panels:
        assert panel.of_rows is not None
        assert panel.of_rows[0] == "norm"
        assert panel.of_rows[1] == pytest.approx(np.linalg.norm(panel.values, axis=1), rel=1e-5)
        assert panel.of_rows[2] == max(p.of_rows[1].max() for p in panels if p.of_rows is not None)
    assert figure.note == f"The sum is then normalised. {TIED}"


@pytest.mark.usefixtures("qapp")
def test_the_parts_stand_two_by_two_all_alike_with_the_norm_of_each_row() -> None:
    figure, panels = draw("encoder", query=2)
    page = Page(figure, 1000, 900, LIGHT)
    grids = []
    for placed in page.placed:
        assert isinstance(placed.drawing, HeatmapDrawing)
        grids.append(placed.drawing.grid)
    assert len({(g.box.width, g.box.height, g.cell) for g in grids}) == 1
    token, position, segment, total = (g.box for g in grids)
    assert token.x == segment.x < position.x == total.x
    assert token.y == position.y < segment.y == total.y
    canvas = record(figure, 1000, 900)
    assert canvas.words.count("norm") == 4
    for panel in panels:
        for length in np.linalg.norm(panel.values, axis=1):
            assert number(float(f"{length:.3g}")) in canvas.words
    assert overlapping(canvas.texts) == []


def test_of_a_model_that_is_not_tied_the_two_matrices_are_compared() -> None:
    heads = Heads(vocab=VocabHead(vocab=VOCAB, tied=False))
    made = Transformer(replace(spec("rotary decoder"), heads=heads)).eval()
    trace = run(made, RunRequest(source=sentence(5)))
    figure = view("embeddings").draw(trace, Selection(stack="decoder"), ViewOptions())
    assert made.decoder is not None
    assert made.heads.vocab is not None
    ids = list(sentence(5).ids)
    read = made.decoder.embedding.token.weight[ids].detach().double().numpy()
    write = made.heads.vocab.weight.weight[ids].detach().double().numpy()
    lengths = np.linalg.norm(read, axis=1) * np.linalg.norm(write, axis=1)
    expected = (read * write).sum(axis=1) / lengths
    assert input_output_cosine(trace) == pytest.approx(expected, abs=1e-5)
    assert "The output matrix [40 × 16] is one of its own: not tied." in figure.note
    assert f"{expected.mean():z.2f} on average, {expected.min():z.2f} to" in figure.note
    assert input_output_cosine(trace_of("rotary decoder")) is None  # tied


def test_a_source_that_nothing_is_written_with_says_nothing_of_it() -> None:
    assert "output matrix" not in draw("translator")[0].note
    bare = Transformer(replace(spec("encoder"), heads=Heads())).eval()
    trace = run(bare, RunRequest(source=sentence(3)))
    figure = view("embeddings").draw(trace, Selection(), ViewOptions())
    assert "output matrix" not in figure.note


def test_sines_and_cosines() -> None:
    position = draw("joint encoder")[1][1]
    angle = 3 / 10000 ** (4 / 16)
    assert position.values[3, 4:6] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-6)


def test_without_added_positions_there_is_one_part_and_a_reason() -> None:
    figure, panels = draw("rotary decoder")
    assert [p.title for p in panels] == ["Token"]
    why = "No position is added here; attention itself knows the positions."
    assert figure.note == f"{why} {TIED}"


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
        "The sum is then normalised and projected to 16 coordinates. "
        "The output matrix [40 × 10] is this same token embedding: tied."
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


def test_each_part_states_its_own_largest_value() -> None:
    """The largest of all parts would be impossible under a part whose rows are shorter."""
    made = Transformer(spec("encoder")).eval()
    assert made.encoder is not None
    with torch.no_grad():
        made.encoder.embedding.token.weight[sentence(6).ids[2], 5] = 50.0
        made.encoder.embedding.position.weight[1, 3] = -40.0
    trace = run(made, RunRequest(source=sentence(6)))
    panels = view("embeddings").draw(trace, Selection(), ViewOptions()).panels
    assert len(panels) == 4
    for panel in panels:
        assert isinstance(panel, Heatmap)
        largest = plain(float(np.abs(panel.values).max()))
        assert panel.limits_note == f"colours end at {plain(panel.limits[1])}; largest {largest}"
    told = [panel.limits_note.rsplit(" ", 1)[1] for panel in panels]  # type: ignore[union-attr]
    assert told[:2] == ["50", "40"]
    assert float(told[2]) < 4
    for panel in draw("encoder")[1]:
        assert panel.limits_note == "", "nothing is beyond the colours"


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

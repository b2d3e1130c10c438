"""What moves a prediction: heads switched off, gradient × weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Heatmap, Words
from app.render.figure_csv import csv_text
from app.render.geometry import Rect
from app.render.heatmap import HeatmapDrawing
from app.render.numbers import number
from app.render.readout import cell
from app.selection import Selection
from app.theme import DARK, LIGHT
from app.views import ViewOptions, view
from app.views._vectors import plain
from core.analysis.ablation import ablation
from core.analysis.gradients import influence
from core.edits import Edit
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from tests.traces import network, sentence, spec, trace_of


def test_each_head_off_at_the_mask() -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    figure = view("ablation").draw(trace, Selection(layer=1, head=3), ViewOptions())
    found = ablation(trace, "encoder.self", 2)
    given, bits = figure.panels
    assert isinstance(given, Heatmap)
    assert isinstance(bits, Heatmap)
    assert given.values[:, :-1] == pytest.approx(found.probability - found.without)
    assert (bits.values[:, :-1] == found.divergence).all()
    assert (given.row, given.column, given.picks) == (1, 3, ("layer", "head"))
    assert given.limits[0] == -given.limits[1]
    assert given.limits[1] >= abs(given.values[:, :-1]).max()
    assert figure.title == "Encoder self-attention without one head, or without all"
    assert f"is “⟨{found.answer}⟩” in place of “w4” (position 2): P = " in figure.note


def test_behind_the_heads_of_a_layer_all_of_them_are_off() -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    figure = view("ablation").draw(trace, Selection(layer=1, head=3), ViewOptions())
    given, bits = figure.panels
    assert isinstance(given, Heatmap)
    assert isinstance(bits, Heatmap)
    whole = trace.logits_at(2)[0].double().softmax(-1).numpy()
    for layer in range(3):
        off = Edit(site=f"encoder.{layer}.self.context")
        edited = run(network("encoder"), replace(trace.request, edits=(off,)))
        left = edited.logits_at(2)[0].double().softmax(-1).numpy()
        answer = int(whole.argmax())
        assert given.values[layer, 4] == pytest.approx(whole[answer] - left[answer], abs=1e-5)
        divergence = (whole * np.log2(whole / left)).sum()
        assert bits.values[layer, 4] == pytest.approx(divergence, abs=1e-4)
        said = cell(given, layer, 4)
        assert said.startswith(f"layer {layer + 1}, all heads at once: added ")
        assert f"without {number(left[answer])} · with all heads " in said
    rows = [row.split(",") for row in csv_text(figure).splitlines()]
    place = rows[0].index("head"), rows[0].index("head label")
    assert [tuple(row[i] for i in place) for row in rows[1:6]] == [
        *((str(i), str(i + 1)) for i in range(4)),
        ("", "all"),
    ]


def test_the_scale_is_that_of_single_heads() -> None:
    """All heads of a layer move so much that one would be pale beside them."""
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    for panel in view("ablation").draw(trace, Selection(), ViewOptions()).panels:
        assert isinstance(panel, Heatmap)
        heads, largest = abs(panel.values[:, :-1]).max(), float(abs(panel.values).max())
        assert heads <= panel.limits[1] <= 1.4 * heads
        assert largest > panel.limits[1], "else this shows nothing"
        assert panel.limits_note.endswith(f"largest {plain(largest)}")


@pytest.mark.usefixtures("qapp")
def test_all_heads_are_no_head_to_choose() -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    panel = view("ablation").draw(trace, Selection(), ViewOptions()).panels[0]
    assert isinstance(panel, Heatmap)
    drawing = HeatmapDrawing(panel, Rect(0, 0, 400, 300), LIGHT)
    places = {}
    for column in range(5):
        place = drawing.grid.rect(1, column)
        hit = drawing.at(place.x + place.width / 2, place.y + place.height / 2)
        assert hit is not None
        places[column] = dict(hit.picks)
    assert places == {**{i: {"layer": 1, "head": i} for i in range(4)}, 4: {"layer": 1}}


@pytest.mark.parametrize("view_key", ["ablation", "gradient"])
def test_what_speaks_for_a_token_is_red_everywhere(view_key: str) -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    note = view(view_key).draw(trace, Selection(layer=1, head=3), ViewOptions()).note.lower()
    assert note.index("red") < note.index("for the token") < note.index("blue")
    for theme in (LIGHT, DARK):
        (red, _, low), (low_red, _, blue) = theme.table("diverging")[[230, 25]].tolist()
        assert red > low  # above 0
        assert blue > low_red


@pytest.mark.parametrize("head", [1, None])
def test_gradients_towards_the_answer_after_the_pinned_token(head: int | None) -> None:
    trace = trace_of("translator", length=7, target=5)
    selection = Selection(stack="decoder", part="cross", layer=1, head=head, query=3)
    figure = view("gradient").draw(trace, selection, ViewOptions())
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    found = influence(trace, "decoder.cross", 1, 3)
    expected = found.values.sum(axis=0) if head is None else found.values[head]
    assert (panel.values == expected).all()
    assert panel.title == f"Towards “⟨{found.answer}⟩” after “w29” (position 3)"
    assert f"log P of that token is −{-np.log(found.probability):.3f}" in figure.note
    what = "sum of heads" if head is None else "head 2"
    title = f"Gradient × weight · decoder cross-attention · layer 2 · {what}"
    assert figure.title == title


@pytest.mark.parametrize("key", ["ablation", "gradient"])
def test_without_a_mask_an_encoder_tells_its_first_word(key: str) -> None:
    """Not the [CLS] before it nor the [SEP] at the end, which no model learns to tell."""
    tokens = sentence(4)
    special = (True, False, False, True)
    trace = trace_of("encoder", source=replace(tokens, special=special))
    figure = view(key).draw(trace, Selection(), ViewOptions())
    said = figure.note + figure.panels[0].title
    assert f"in place of “{tokens.pieces[1]}” (position 1)" in said


def test_an_encoder_query_does_not_choose_the_target_position() -> None:
    trace = trace_of("translator", length=7, target=5)
    figure = view("gradient").draw(trace, Selection(query=1), ViewOptions())
    assert figure.panels[0].title.endswith("(position 4)")


@pytest.mark.parametrize("key", ["ablation", "gradient"])
def test_without_a_prediction_there_is_a_reason(key: str) -> None:
    bare = Transformer(replace(spec("encoder"), heads=Heads())).eval()
    trace = run(bare, RunRequest(source=sentence(3)))
    (words,) = view(key).draw(trace, Selection(), ViewOptions(missing={"vocab": "No."})).panels
    assert isinstance(words, Words)
    assert words.text == "No."

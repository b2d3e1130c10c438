"""Inside a layer: its steps in their order, its experts, and what tables of numbers say."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from app.figure import Bars, Figure, Heatmap, WordGrid, Words
from app.render import readout
from app.render.drawing import Hit
from app.render.figure_csv import csv_text
from app.render.numbers import in_full
from app.render.page import Page
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, view
from app.views._vectors import two_decimals
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import ExpertsSpec
from tests.app.render.recording import RecordingCanvas, record
from tests.app.views.inside_drawn import head_figure
from tests.traces import KINDS, sentence, spec, trace_of


def test_a_step_says_under_the_pointer_what_it_is() -> None:
    trace = trace_of("encoder")
    rows = view("inside_layer").draw(trace, Selection(layer=1, query=2), ViewOptions()).panels[0]
    assert isinstance(rows, Heatmap)
    assert readout.cell(rows, 1, 0).startswith("step a, attention(x), coordinate 0: value")
    assert readout.cell(rows, 6, 0).startswith(
        "step out = norm(h + f), normalised (leaves the layer), coordinate 0"
    )


def hover(panel: WordGrid, row: int, column: int) -> str:
    """What the pointer says of a cell."""
    hit = (
        Page(Figure(title="", panels=(panel,)), 900, 500, LIGHT)
        .placed[0]
        .drawing.beside(Hit(text="", row=row, column=column), 0, 0)
    )
    assert hit is not None
    return hit.text


@pytest.mark.usefixtures("qapp")
def test_a_number_of_a_table_is_said_in_one_plain_sentence() -> None:
    selection = Selection(layer=1, head=2, query=4)
    figure = head_figure("encoder", selection)
    scores = figure.panels[2]
    assert isinstance(scores, WordGrid)
    name = scores.rows.labels[2].removeprefix("2 ")
    value = in_full(scores.cells[2][1].value or 0)
    assert hover(scores, 2, 1) == f"key “{name}” (2), score: {value}"
    assert hover(scores, 2, 0).startswith(f"key “{name}” (2), q·k: ")
    assert hover(scores, 2, 2) == f"key “{name}” (2), score after the mask: {value} · seen"
    assert re.search(r"of key \d+ “.+”\.", figure.note)
    figure = view("inside_layer").draw(trace_of("encoder"), selection, ViewOptions())
    numbers = figure.panels[1]
    assert isinstance(numbers, WordGrid)
    value = in_full(numbers.cells[1][1].value or 0)
    coordinate = numbers.columns.labels[1]
    assert hover(numbers, 1, 1) == f"step a, attention(x), coordinate {coordinate}: {value}"
    assert hover(numbers, 1, 0).endswith(
        "norm: " + in_full(numbers.cells[1][0].value or 0) + " · its length √Σx²"
    )


@pytest.mark.usefixtures("qapp")
def test_what_can_be_clicked_is_said_in_the_window_alone() -> None:
    for key in ("inside_head", "inside_layer", "hidden_states", "architecture", "similarity"):
        figure = view(key).draw(trace_of("encoder"), Selection(), ViewOptions())
        assert figure.hint
        drawn = " ".join(record(figure).words)
        in_window, canvas = Page(figure, 1000, 800, LIGHT, hints=True), RecordingCanvas()
        in_window.paint(canvas)
        for word in ("Click", "Pin "):
            assert word not in drawn
        assert figure.hint.split()[-1] in " ".join(canvas.words)


@pytest.mark.parametrize(
    ("kind", "stack", "steps", "feed"),
    [
        ("encoder", "encoder", "x|a|x + a|h = norm(x + a)|f|h + f|out = norm(h + f)", "h"),
        ("decoder", "decoder", "x|norm(x)|a|h = x + a|norm(h)|f|out = h + f", "norm(h)"),
        ("parallel decoder", "decoder", "x|norm(x)|a|norm′(x)|f|x + a + f", "norm′(x)"),
        ("joint encoder", "encoder", "x|a|f|x + a + f|norm(x + a + f)", "a"),
        (
            "sandwich decoder",
            "decoder",
            "x|norm(x)|a|norm(a)|h = x + norm(a)|norm(h)|f|norm(f)|out = h + norm(f)",
            "norm(h)",
        ),
        (
            "translator",
            "decoder",
            "x|a|x + a|h = norm(x + a)|c|h + c|h′ = norm(h + c)|f|h′ + f|out = norm(h′ + f)",
            "h′",
        ),
    ],
)
def test_steps_are_those_of_the_models_own_order(
    kind: str, stack: str, steps: str, feed: str
) -> None:
    selection = Selection(stack=stack, layer=1, query=2)
    rows, _, neurons = view("inside_layer").draw(trace_of(kind), selection, ViewOptions()).panels
    assert isinstance(rows, Heatmap)
    assert rows.rows.labels == tuple(steps.split("|"))
    trace = trace_of(kind)
    assert (rows.values[0] == trace[f"{stack}.0.resid.out"][2].numpy()).all()
    assert (rows.values[-1] == trace[f"{stack}.1.resid.out"][2].numpy()).all()
    assert isinstance(neurons, Heatmap)
    gated = kind == "sandwich decoder"
    assert neurons.rows.labels == (("g", "u", "gelu(g) ⊙ u") if gated else ("u", "gelu(u)"))
    formulas = f"u = {feed}·W_in + b, f = gelu(u)·W_out + b"
    if gated:
        formulas = f"g = {feed}·W_gate + b, u = {feed}·W_in + b, f = (gelu(g) ⊙ u)·W_out + b"
    assert neurons.title == f"Feed-forward: {formulas}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_printed_numbers_of_a_layer_add_up(kind: str) -> None:
    trace = trace_of(kind)
    for stack in trace.spec.stacks:
        selection = Selection(stack=stack.name, layer=1, query=2)
        rows, numbers, _ = view("inside_layer").draw(trace, selection, ViewOptions()).panels
        assert isinstance(rows, Heatmap)
        assert isinstance(numbers, WordGrid)
        assert numbers.rows.labels == rows.rows.labels
        chosen = [int(label) for label in numbers.columns.labels[1:]]
        assert len(chosen) == 4
        last = np.abs(rows.values[-1])
        assert last[chosen].min() >= np.delete(last, chosen).max()
        printed = {}
        for name, row, cells in zip(rows.rows.labels, rows.values, numbers.cells, strict=True):
            assert cells[0].value == pytest.approx(np.linalg.norm(row), rel=1e-5)
            texts = [float(cell.text.replace("−", "-")) for cell in cells[1:]]
            assert texts == pytest.approx(row[chosen], abs=0.0051)
            printed[name] = printed[name.split(" = ")[0]] = np.array(texts)
        sums = [name for name in rows.rows.labels if " + " in name and "norm(x +" not in name]
        sums = [name for name in sums if not name.split(" = ")[-1].startswith("norm(h")]
        assert sums
        for name in sums:
            total = sum(printed[part] for part in name.split(" = ")[-1].split(" + "))
            assert printed[name] == pytest.approx(total, abs=0.021)  # each rounded to 0.005


def test_numbers_in_a_table_are_short() -> None:
    for value, said in ((0.414, "0.41"), (-31.7, "−31.70"), (128.44, "128.4"), (-0.001, "0.00")):
        assert two_decimals(value) == said
    assert [two_decimals(v) for v in (np.nan, np.inf, -np.inf)] == ["–", "∞", "−∞"]


def test_a_mixture_shows_which_experts_ran() -> None:
    made = spec("rotary decoder")
    assert made.decoder is not None
    block = made.decoder.blocks[0]
    mixed = replace(block.feedforward, experts=ExpertsSpec(count=4, top=2, d_ff=8))
    made = replace(
        made, decoder=replace(made.decoder, blocks=(replace(block, feedforward=mixed),) * 3)
    )
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4)))
    figure = view("inside_layer").draw(trace, Selection(stack="decoder"), ViewOptions())
    experts = figure.panels[2]
    assert isinstance(experts, Bars)
    assert experts.title == "Feed-forward of norm(h): the router's choice of 4 experts"
    assert [b.state for b in experts.bars] == ["", ""] + ["not chosen"] * 2
    router = trace["decoder.0.ffn.router"][3].numpy()
    assert [b.value for b in experts.bars] == pytest.approx(sorted(router, reverse=True))


def test_a_lone_decoder_has_no_encoder_to_look_into() -> None:
    for key in ("inside_head", "inside_layer"):
        (words,) = view(key).draw(trace_of("decoder"), Selection(), ViewOptions()).panels
        assert isinstance(words, Words)


def test_a_table_of_numbers_says_nothing_of_clicks() -> None:
    for key, kind in (("head_table", "encoder"), ("attention_flow", "encoder")):
        selection = Selection(stack="encoder", head=None)
        figure = view(key).draw(trace_of(kind), selection, ViewOptions())
        assert "click" not in csv_text(figure).lower()

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Bars, Figure, Heatmap, Words
from app.render import readout
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import ExpertsSpec
from tests.traces import KINDS, sentence, spec, trace_of


def head_figure(kind: str, selection: Selection, length: int = 7) -> Figure:
    trace = trace_of(kind, length=length, target=length)
    return view("inside_head").draw(trace, selection, ViewOptions())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [5, 30])
def test_the_numbers_on_screen_add_up(kind: str, length: int) -> None:
    for site in trace_of(kind).spec.sites:
        stack, part = site.split(".")
        selection = Selection(stack=stack, part=part, layer=1, head=2, query=4)
        products, weights, weighted, output = head_figure(kind, selection, length).panels
        assert isinstance(products, Heatmap)
        assert isinstance(weights, Bars)
        assert isinstance(weighted, Heatmap)
        assert isinstance(output, Heatmap)
        dots = dict(products.details)["q·k"][:, 0]
        assert products.values.sum(axis=1) == pytest.approx(dots, abs=1e-5)
        assert sum(bar.value for bar in weights.bars) == pytest.approx(1, abs=1e-5)
        assert weighted.values[:-1].sum(axis=0) == pytest.approx(weighted.values[-1], abs=1e-5)
        assert output.values[:-1].sum(axis=0) == pytest.approx(output.values[-1], abs=1e-5)
        trace = trace_of(kind, length=length, target=length)
        recorded = trace[f"{stack}.1.{part}.out"][4].numpy()
        assert output.values[-1] == pytest.approx(recorded, abs=1e-5)


def test_the_strongest_keys_and_the_pinned_one_are_shown() -> None:
    selection = Selection(stack="encoder", layer=0, head=1, query=3, key=17)
    figure = head_figure("encoder", selection, length=30)
    trace = trace_of("encoder", length=30)
    row = trace.pattern("encoder.self", 0, 1, 3).numpy()
    weakest_shown = np.sort(row)[::-1][6]
    weights = figure.panels[1]
    assert isinstance(weights, Bars)
    names = [bar.label.split()[0] for bar in weights.bars]
    assert names[-1] == "23"
    assert weights.bars[-1].label == "23 others"
    assert "17" in names
    others = {int(n) for n in names[:-1]} - {17}
    assert all(row[i] >= weakest_shown for i in others)
    assert [int(n) for n in names[:-1]] == sorted(others | {17})


def test_each_bar_tells_the_way_from_the_product_to_the_score() -> None:
    selection = Selection(stack="encoder", layer=1, head=2, query=4)
    weights = head_figure("relative translator", selection).panels[1]
    assert isinstance(weights, Bars)
    assert weights.title == "2  α = softmax(q·k + bias)"  # this family leaves the scaling out
    trace = trace_of("relative translator", length=7, target=7)
    scores = trace.scores("encoder.self", 1, 2, 4)
    for bar, score in zip(weights.bars, scores.tolist(), strict=True):
        assert bar.note.endswith(f" {score:.3f}".replace("-", "−"))
        assert "with bias" in bar.note


def test_a_masked_key_is_only_shown_when_pinned() -> None:
    selection = Selection(stack="decoder", layer=1, head=0, query=2)
    figure = head_figure("decoder", selection)
    bars, weighted = figure.panels[1:3]
    assert isinstance(bars, Bars)
    assert [b.label.split()[0] for b in bars.bars] == ["0", "1", "2"]  # no bar “4 others 0.0000”
    assert isinstance(weighted, Heatmap)
    assert [label.split()[0] for label in weighted.rows.labels] == ["0", "1", "2", "Σ"]
    assert "4 keys are masked and not shown." in figure.note
    figure = head_figure("decoder", replace(selection, key=5))
    bars = figure.panels[1]
    assert isinstance(bars, Bars)
    assert bars.bars[3].dimmed
    assert bars.bars[3].note.endswith("→ masked")
    assert "3 keys are masked and not shown." in figure.note


def test_a_key_is_counted_as_the_text_is() -> None:
    """Under the pointer and in CSV too, although only some keys are shown."""
    figure = head_figure("encoder", Selection(layer=1, head=2, query=4), length=30)
    products, _, weighted, _ = figure.panels
    assert isinstance(products, Heatmap)
    assert isinstance(weighted, Heatmap)
    shown = [int(label.split()[0]) for label in products.rows.labels]
    assert products.rows.numbers == tuple(shown)
    assert weighted.rows.numbers == (*shown, None, None)  # others, sum
    assert f"({shown[3]})" in readout.cell(products, 3, 0)
    assert readout.cell(weighted, len(shown) + 1, 0).startswith("key Σ α·v, coordinate 0: value")


def test_a_step_says_under_the_pointer_what_it_is() -> None:
    trace = trace_of("encoder")
    rows = view("inside_layer").draw(trace, Selection(layer=1, query=2), ViewOptions()).panels[0]
    assert isinstance(rows, Heatmap)
    assert readout.cell(rows, 1, 0).startswith("step a, attention(x), coordinate 0: value")
    assert readout.cell(rows, 6, 0).startswith(
        "step out = norm(h + f), normalised (leaves the layer), coordinate 0"
    )


def test_a_lone_key_is_named_rather_than_called_other() -> None:
    selection = Selection(stack="encoder", layer=1, head=0, query=2)
    for length, last in ((7, "6"), (8, "7"), (9, "2 others")):
        bars = head_figure("encoder", selection, length).panels[1]
        assert isinstance(bars, Bars)
        assert bars.bars[-1].label.startswith(last)


def test_the_formula_is_the_textbooks_where_the_factor_is() -> None:
    for kind, formula in (
        ("encoder", "q·k / √4"),
        ("relative translator", "q·k + bias"),
        ("sandwich decoder", None),
    ):
        stack = spec(kind).stacks[0]
        bars = head_figure(kind, Selection(stack=stack.name, query=4)).panels[1]
        assert isinstance(bars, Bars)
        attention = stack.blocks[0].attention
        if formula is None:
            root = attention.d_head**-0.5
            assert attention.score_scale == pytest.approx(root) or "×" in bars.title
        else:
            assert bars.title == f"2  α = softmax({formula})"


def test_the_mean_says_that_a_head_is_shown() -> None:
    figure = head_figure("encoder", Selection(head=None))
    assert figure.title.startswith("Inside head 1 of 4 · encoder self-attention · layer 1 of 3")
    assert "A mean of heads has no q and k: head 1 is shown." in figure.note


@pytest.mark.parametrize(
    ("kind", "stack", "steps"),
    [
        ("encoder", "encoder", "x|a|x + a|h = norm(x + a)|f|h + f|out = norm(h + f)"),
        ("decoder", "decoder", "x|norm(x)|a|h = x + a|norm(h)|f|out = h + f"),
        ("parallel decoder", "decoder", "x|norm(x)|a|norm′(x)|f|x + a + f"),
        ("joint encoder", "encoder", "x|a|f|x + a + f|norm(x + a + f)"),
        (
            "sandwich decoder",
            "decoder",
            "x|norm(x)|a|norm(a)|h = x + norm(a)|norm(h)|f|norm(f)|out = h + norm(f)",
        ),
        (
            "translator",
            "decoder",
            "x|a|x + a|h = norm(x + a)|c|h + c|h′ = norm(h + c)|f|h′ + f|out = norm(h′ + f)",
        ),
    ],
)
def test_steps_are_those_of_the_models_own_order(kind: str, stack: str, steps: str) -> None:
    selection = Selection(stack=stack, layer=1, query=2)
    rows, neurons = view("inside_layer").draw(trace_of(kind), selection, ViewOptions()).panels
    assert isinstance(rows, Heatmap)
    assert rows.rows.labels == tuple(steps.split("|"))
    trace = trace_of(kind)
    assert (rows.values[0] == trace[f"{stack}.0.resid.out"][2].numpy()).all()
    assert (rows.values[-1] == trace[f"{stack}.1.resid.out"][2].numpy()).all()
    assert isinstance(neurons, Heatmap)
    gated = kind == "sandwich decoder"
    plain, with_gate = "x·W_in|gelu(x·W_in)", "g = x·W_gate|u = x·W_in|gelu(g) ⊙ u"
    names = tuple((with_gate if gated else plain).split("|"))
    assert neurons.rows.labels == names


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
    experts = figure.panels[1]
    assert isinstance(experts, Bars)
    assert [b.dimmed for b in experts.bars] == [False, False, True, True]
    router = trace["decoder.0.ffn.router"][3].numpy()
    assert [b.value for b in experts.bars] == pytest.approx(sorted(router, reverse=True))


def test_a_lone_decoder_has_no_encoder_to_look_into() -> None:
    for key in ("inside_head", "inside_layer"):
        (words,) = view(key).draw(trace_of("decoder"), Selection(), ViewOptions()).panels
        assert isinstance(words, Words)

"""Inside a head: products, scores, weights and the sums they make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Bars, Heatmap, WordGrid
from app.render import readout
from app.selection import Selection
from app.views import ViewOptions, view
from tests.app.views.inside_drawn import head_figure
from tests.traces import KINDS, spec, trace_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [5, 30])
def test_the_numbers_on_screen_add_up(kind: str, length: int) -> None:
    for site in trace_of(kind).spec.sites:
        stack, part = site.split(".")
        selection = Selection(stack=stack, part=part, layer=1, head=2, query=4)
        made, products, scores, weights, weighted, output = head_figure(
            kind, selection, length
        ).panels
        assert isinstance(made, Heatmap)
        assert isinstance(products, Heatmap)
        assert isinstance(scores, WordGrid)
        assert isinstance(weights, Bars)
        assert isinstance(weighted, Heatmap)
        assert isinstance(output, Heatmap)
        dots = dict(products.details)["q·k"][:, 0]
        assert products.values.sum(axis=1) == pytest.approx(dots, abs=1e-5)
        assert sum(bar.value for bar in weights.bars) == pytest.approx(1, abs=1e-5)
        assert [row[0].value for row in scores.cells] == pytest.approx(dots, abs=1e-5)
        reached = np.array([row[-1].value for row in scores.cells])
        total = np.exp(trace_of(kind, length=length, target=length).scores(site, 1, 2, 4).numpy())
        seen = trace_of(kind, length=length, target=length).allowed(site, 1)[4].numpy()
        expected = np.exp(reached) / total[seen].sum()  # exp(−∞) = 0 of masked keys
        bars = [bar.value for bar in weights.bars[: len(reached)]]
        assert bars == pytest.approx(expected, abs=1e-5)
        q = made.rows.labels.index("q")
        key = int(made.rows.notes[-1].split("key ")[1].split()[0])
        k = made.rows.labels.index("k")
        assert products.row == scores.row == products.rows.numbers.index(key)
        shown = products.values[products.row]
        assert made.values[q] * made.values[k] == pytest.approx(shown, abs=1e-5)
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
    weakest_shown = np.sort(row)[::-1][5]
    weights = figure.panels[3]
    assert isinstance(weights, Bars)
    names = [bar.label.split()[0] for bar in weights.bars]
    assert names[-1] == "24"
    assert weights.bars[-1].label == "24 others"
    assert "17" in names
    others = {int(n) for n in names[:-1]} - {17}
    assert all(row[i] >= weakest_shown for i in others)
    assert [int(n) for n in names[:-1]] == sorted(others | {17})


def test_each_score_is_printed_from_the_product_on() -> None:
    selection = Selection(stack="encoder", layer=1, head=2, query=4)
    scores = head_figure("relative translator", selection).panels[2]
    assert isinstance(scores, WordGrid)
    assert scores.title == "3  score = q·k + bias, masked [7]"  # this family leaves the scaling out
    assert scores.columns.labels == ("q·k", "bias", "score", "mask")
    trace = trace_of("relative translator", length=7, target=7)
    expected = trace.scores("encoder.self", 1, 2, 4).tolist()
    for row, score in zip(scores.cells, expected, strict=True):
        product, bias, biased, seen = (cell.value for cell in row)
        assert product + bias == pytest.approx(score, abs=1e-5)
        assert biased == seen == pytest.approx(score, abs=1e-6)
        assert row[3].text == f"{score:.2f}".replace("-", "−")
    selection = Selection(stack="decoder", layer=1, head=2, query=4)
    scores = head_figure("sandwich decoder", selection).panels[2]
    assert isinstance(scores, WordGrid)
    assert scores.columns.labels == ("q·k", "q·k / √4", "score", "mask")
    assert scores.title == "3  score = 20·tanh(q·k / √4 / 20), masked [7]"
    product, scaled, capped = (scores.cells[3][i].value for i in range(3))
    assert scaled == pytest.approx(product / 2)
    assert capped == pytest.approx(20 * np.tanh(scaled / 20), abs=1e-5)


def test_hovering_a_score_shows_the_products_that_make_it() -> None:
    selection = Selection(stack="encoder", layer=1, head=2, query=4)
    products, scores = head_figure("encoder", selection).panels[1:3]
    assert isinstance(products, Heatmap)
    assert isinstance(scores, WordGrid)
    row = products.values[2]
    largest = int(np.abs(row).argmax())
    cell = scores.cells[2][0]
    parts = cell.note.removeprefix("= ")
    assert cell.value == pytest.approx(row.sum(), rel=1e-3)
    first = parts.split(" + ")[0]
    q, k = (float(n.replace("−", "-")) for n in first.split(" (")[0].split(" · "))
    assert q * k == pytest.approx(row[largest], abs=0.05)
    assert first.endswith(f"({largest})")
    assert "from the other coordinates" in parts


def test_masked_keys_are_seen_as_masked() -> None:
    selection = Selection(stack="decoder", layer=1, head=0, query=2)
    scores, bars, weighted = head_figure("decoder", selection).panels[2:5]
    assert isinstance(scores, WordGrid)
    assert [row[-1].text == "−∞" for row in scores.cells] == [False] * 3 + [True] * 4
    assert all(row[0].text != "−∞" for row in scores.cells)  # they have a product all the same
    assert isinstance(bars, Bars)
    assert [b.label.split()[0] for b in bars.bars] == list("0123456")
    assert [b.state for b in bars.bars] == [""] * 3 + ["masked"] * 4
    assert isinstance(weighted, Heatmap)
    assert (weighted.values[3:7] == 0).all()


def test_a_long_text_folds_its_masked_keys() -> None:
    selection = Selection(stack="decoder", layer=1, head=0, query=9)
    figure = head_figure("decoder", selection, length=20)
    bars = figure.panels[3]
    assert isinstance(bars, Bars)
    labels = [b.label for b in bars.bars]
    assert labels[5].startswith("10 ")  # the nearest one is named
    assert labels[6:] == ["5 others", "9 masked"]
    assert "The other masked keys share a line." in figure.note
    bars = head_figure("decoder", replace(selection, key=15), length=20).panels[3]
    assert isinstance(bars, Bars)
    pinned = next(b for b in bars.bars if b.label.startswith("15 "))
    assert pinned.state == "masked"
    assert pinned.note == "masked"


@pytest.mark.parametrize(
    ("kind", "part", "rows", "title", "note"),
    [
        (
            "encoder",
            "self",
            "q k v",
            "1  x [16] → q, k, v [4]",
            "q = x·W_Q + b; k = x·W_K + b and v = x·W_V + b, of key 5 “w5”.",
        ),
        (
            "rotary decoder",
            "self",
            "·W_Q q ·W_K k v",
            "1  norm(x) [16] → q, k, v [4]",
            "q = norm(x)·W_Q + b, rotated; k = norm(x)·W_K + b, rotated and v = norm(x)·W_V + b",
        ),
        (
            "sandwich decoder",
            "self",
            "·W_Q normed q ·W_K normed k v",
            "1  norm(x) [16] → q, k, v [4]",
            "q = norm(x)·W_Q + b, normalised, rotated;",
        ),
        (
            "relative translator",
            "cross",
            "q k v",
            "1  norm(h) → q, m → k, v [16→4]",
            "q = norm(h)·W_Q + b; k = m·W_K + b and v = m·W_V + b, of key 5 “w5”. m is the",
        ),
    ],
)
def test_q_k_and_v_come_from_what_this_model_reads(
    kind: str, part: str, rows: str, title: str, note: str
) -> None:
    stack = "decoder" if part == "cross" or "decoder" in kind else "encoder"
    selection = Selection(stack=stack, part=part, layer=1, head=2, query=6, key=5)
    figure = head_figure(kind, selection)
    made = figure.panels[0]
    assert isinstance(made, Heatmap)
    assert made.rows.labels == tuple(rows.split())
    assert made.title == title
    assert figure.note.startswith(note)
    trace = trace_of(kind, length=7, target=7)
    place = f"{stack}.1.{part}"
    shared = 2 // trace.spec.stack(stack).attention(part, 1).group
    held = dict(zip(made.rows.labels, made.values, strict=True))
    assert (held["q"] == trace[f"{place}.q"][2, 6].numpy()).all()
    assert (held["k"] == trace[f"{place}.k"][shared, 5].numpy()).all()
    assert (held["v"] == trace[f"{place}.v"][shared, 5].numpy()).all()


def test_the_output_has_the_letter_it_has_inside_a_layer() -> None:
    for kind, part, letter in (("encoder", "self", "a"), ("translator", "cross", "c")):
        stack = "decoder" if part == "cross" else "encoder"
        selection = Selection(stack=stack, part=part, layer=1, query=2)
        output = head_figure(kind, selection).panels[5]
        assert isinstance(output, Heatmap)
        assert output.title == f"6  {letter} = Σ context·W_O + b [16]"
        assert output.rows.labels[-1] == f"{letter}: sum"
        rows = view("inside_layer").draw(trace_of(kind), selection, ViewOptions()).panels[0]
        assert isinstance(rows, Heatmap)
        assert letter in rows.rows.labels


def test_a_key_is_counted_as_the_text_is() -> None:
    """Under the pointer and in CSV too, although only some keys are shown."""
    figure = head_figure("encoder", Selection(layer=1, head=2, query=4), length=30)
    products, weighted = figure.panels[1], figure.panels[4]
    assert isinstance(products, Heatmap)
    assert isinstance(weighted, Heatmap)
    shown = [int(label.split()[0]) for label in products.rows.labels]
    assert products.rows.numbers == tuple(shown)
    assert weighted.rows.numbers == (*shown, None, None)  # others, sum
    assert f"({shown[3]})" in readout.cell(products, 3, 0)
    assert readout.cell(weighted, len(shown) + 1, 0).startswith("Σ α·v, coordinate 0: value")


def test_a_lone_key_is_named_rather_than_called_other() -> None:
    selection = Selection(stack="encoder", layer=1, head=0, query=2)
    for length, last in ((7, "6"), (8, "7"), (9, "3 others")):
        bars = head_figure("encoder", selection, length).panels[3]
        assert isinstance(bars, Bars)
        assert bars.bars[-1].label.startswith(last)


def test_the_formula_is_the_textbooks_where_the_factor_is() -> None:
    for kind, formula in (
        ("encoder", "q·k / √4"),
        ("relative translator", "q·k + bias"),
        ("sandwich decoder", None),
    ):
        stack = spec(kind).stacks[0]
        grid = head_figure(kind, Selection(stack=stack.name, query=4)).panels[2]
        assert isinstance(grid, WordGrid)
        attention = stack.blocks[0].attention
        if formula is None:
            root = attention.d_head**-0.5
            assert attention.score_scale == pytest.approx(root) or "×" in grid.title
        else:
            assert grid.title == f"3  score = {formula}, masked [7]"


def test_the_mean_says_that_a_head_is_shown() -> None:
    figure = head_figure("encoder", Selection(head=None))
    assert figure.title.startswith("Inside head 1 of 4 · encoder self-attention · layer 1 of 3")
    assert "A mean of heads has no q and k: head 1 is shown." in figure.note
    figure = head_figure("encoder", replace(Selection(head=2), head=None))
    assert figure.title.startswith("Inside head 3 of 4")
    assert "head 3 is shown" in figure.note

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.figure import Arrow, Diagram, Figure
from app.selection import Selection
from app.views import ViewOptions, _flow, view
from core.edits import Edit
from tests.traces import sentence, trace_of


def draw(kind: str, selection: Selection, **lengths: Any) -> tuple[Figure, Diagram]:
    figure = view("attention_flow").draw(trace_of(kind, **lengths), selection, ViewOptions())
    (panel,) = figure.panels
    assert isinstance(panel, Diagram)
    return figure, panel


def ends(panel: Diagram, arrow: Arrow) -> tuple[str, str]:
    """Keys of the boxes at whose height a line starts and ends."""
    found = []
    for side, (_, y) in zip(("query", "key"), arrow.points, strict=True):
        found += [
            b.key for b in panel.boxes if b.key.startswith(f"{side}.") and b.y < y < b.y + b.height
        ]
    query, key = found
    return query, key


def test_a_line_for_every_weight_worth_seeing() -> None:
    selection = Selection(stack="decoder", part="cross", layer=1, head=2)
    figure, panel = draw("translator", selection, length=7, target=4)
    maps = trace_of("translator", length=7, target=4).pattern("decoder.cross", 1).numpy()
    expected = {(f"query.{i}", f"key.{j}"): w for (i, j), w in np.ndenumerate(maps[2]) if w >= 0.04}
    assert {ends(panel, a): a.width for a in panel.arrows} == pytest.approx(expected)
    assert {ends(panel, a): a.value for a in panel.arrows} == pytest.approx(expected)
    first = panel.arrows[-1]
    (_, query), (_, key) = (name.split(".") for name in ends(panel, first))
    assert f"({query}) → key" in first.note and f"({key}): weight {first.value:.3g}" in first.note
    assert [a.width for a in panel.arrows] == sorted(a.width for a in panel.arrows)
    assert all(a.kind == "attention" for a in panel.arrows)
    assert figure.title.startswith("Decoder cross-attention · layer 2 of 3 · ")


def test_the_heads_of_a_layer_have_their_colours() -> None:
    selection = Selection(stack="decoder", part="cross", layer=1, head=None)
    figure, panel = draw("translator", selection, length=7, target=4)
    maps = trace_of("translator", length=7, target=4).pattern("decoder.cross", 1).numpy()
    expected = {
        (head, f"query.{i}", f"key.{j}"): w for (head, i, j), w in np.ndenumerate(maps) if w >= 0.04
    }
    found = {(a.series, *ends(panel, a)): a.width for a in panel.arrows}
    assert found == pytest.approx(expected)
    assert len(panel.arrows) == len(expected)
    legend = [b for b in panel.boxes if b.key.startswith("head.")]
    assert [(b.text, b.series, b.picks) for b in legend] == [
        (f"head {head + 1}", head, (("head", head),)) for head in range(4)
    ]
    assert figure.title == "Decoder cross-attention · layer 2 of 3 · all 4 heads"
    assert "Each head has its colour" in figure.note


def test_of_too_many_lines_the_strongest_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_flow, "MOST", 20)
    figure, panel = draw("encoder", Selection(head=None), length=6)
    maps = trace_of("encoder", length=6).pattern("encoder.self", 0).numpy()
    strongest = np.sort(maps.ravel())[-20:]
    assert [a.width for a in panel.arrows] == pytest.approx(strongest.tolist())
    assert f"Of {(maps >= 0.04).sum()} lines the 20 strongest are drawn." in figure.note


def test_a_pinned_query_of_all_heads_names_means() -> None:
    figure, panel = draw("encoder", Selection(layer=2, head=None, query=3), length=6)
    rows = trace_of("encoder", length=6).pattern("encoder.self", 2).numpy()[:, 3]
    assert len(panel.arrows) == (rows >= 0.005).sum()
    box = {b.key: b for b in panel.boxes}
    means = rows.mean(axis=0)
    for key, mean in enumerate(means):
        assert box[f"key.{key}"].note.endswith(f"= {mean:.4f}")
    assert "The numbers are means of the heads." in figure.note


def test_a_pinned_query_shows_its_lines_alone_with_numbers() -> None:
    _, panel = draw("encoder", Selection(layer=2, head=0, query=3), length=6)
    row = trace_of("encoder", length=6).pattern("encoder.self", 2, 0, 3).numpy()
    assert {q for q, _ in (ends(panel, a) for a in panel.arrows)} == {"query.3"}
    assert len(panel.arrows) == (row >= 0.005).sum()
    box = {b.key: b for b in panel.boxes}
    assert box["query.3"].kind == "selected"
    strongest = int(row.argmax())
    assert box[f"key.{strongest}"].value == f"{row[strongest]:.3f}"
    assert box["key.2"].picks == (("key", 2),)
    assert box["query.2"].picks == (("query", 2),)


def test_a_long_text_with_nothing_pinned_shows_its_end_and_says_how_to_see_the_rest() -> None:
    figure, _ = draw("decoder", Selection(stack="decoder"), length=90)
    assert "Queries 66 to 89 of 90, keys 66 to 89 of 90; pin a token" in figure.note


def test_a_long_text_is_shown_page_by_page() -> None:
    figure, panel = draw("decoder", Selection(stack="decoder", query=10), length=90)
    assert len([b for b in panel.boxes if b.key.startswith("query.")]) == 24
    assert "Queries 0 to 23 of 90, keys 0 to 23 of 90:" in figure.note
    assert "0.0% of this query's weight lies elsewhere." in figure.note
    figure, panel = draw("decoder", Selection(stack="decoder", query=80, key=3), length=90)
    assert "Queries 66 to 89 of 90, keys 0 to 23 of 90: those around what" in figure.note
    row = trace_of("decoder", length=90).pattern("decoder.self", 0, 0, 80).numpy()
    assert f"{1 - row[:24].sum():.1%} of this query's weight" in figure.note


def test_weights_that_are_all_faint_are_drawn_all_the_same() -> None:
    even = np.full((2, 30, 30), 1 / 30, np.float32)
    even[1, 4, 7] = 0.1
    found = _flow.lines(even, range(10), range(20), None)
    assert found.faintest == pytest.approx(0.033)  # rounded down, so that the sentence is true
    assert found.found == 2 * 10 * 20
    assert found.places[-1] == (1, 4, 7)
    assert found.widths[-1] == pytest.approx(0.5)
    assert found.weights[-1] == pytest.approx(0.1)
    assert "weights of 0.033 and more" in found.note
    assert "the widest being 0.1" in found.note
    alone = _flow.lines(even, range(10), range(20), 4)
    assert {query for _, query, _ in alone.places} == {4}
    assert len(alone.places) == 2 * 20


def test_where_nothing_may_be_seen_it_says_so() -> None:
    found = _flow.lines(np.zeros((2, 5, 5), np.float32), range(5), range(5), 3)
    assert found.places == ()
    assert found.note == "No weight to draw here."


def test_weights_that_are_no_numbers_are_not_drawn_and_that_is_said() -> None:
    broken = np.zeros((2, 5, 5), np.float32)
    broken[0, 1, 2], broken[1, 4, 3], broken[1, 3] = 0.6, np.inf, np.nan
    for query in (None, 1):
        found = _flow.lines(broken, range(5), range(5), query)
        assert found.places == ((0, 1, 2),)
        assert found.strongest == pytest.approx(0.6)
        assert ("no numbers" in found.note) == (query is None)
    found = _flow.lines(np.full((1, 5, 5), np.nan, np.float32), range(5), range(5), None)
    assert found.places == ()
    assert found.note == "The weights are no numbers."


def test_a_whole_layer_without_numbers_is_drawn_without_lines() -> None:
    edits = tuple(Edit(site="decoder.0.self.q", value=3e38, mode="scale") for _ in range(2))
    trace = trace_of("decoder", length=60, edits=edits)
    assert np.isnan(trace.pattern("decoder.self", 0).numpy()).any()
    for query in (None, 50):
        selection = Selection(stack="decoder", query=query)
        figure = view("attention_flow").draw(trace, selection, ViewOptions())
        assert "are no numbers" in figure.note
        assert "lies elsewhere" not in figure.note
        (panel,) = figure.panels
        assert isinstance(panel, Diagram)
        assert not any("nan" in f"{box.value}" for box in panel.boxes)


def test_few_rows_are_taller_and_many_keep_the_shape() -> None:
    _, few = draw("encoder", Selection(head=0), length=6)
    _, many = draw("encoder", Selection(head=0), length=30)
    rows = [next(b for b in p.boxes if b.key.startswith("query.")).height for p in (few, many)]
    assert rows == [40, 22]
    assert all(p.stretch and p.even for p in (few, many))


def test_a_query_names_its_strongest_keys() -> None:
    _, panel = draw("encoder", Selection(layer=2, head=1), length=6)
    weights = trace_of("encoder", length=6).pattern("encoder.self", 2, 1).numpy()
    box = {b.key: b for b in panel.boxes}
    best = int(weights[3].argmax())
    assert f"({best}) {weights[3, best]:.3f}, " in box["query.3"].note


def test_weight_elsewhere_is_that_of_other_keys_and_not_of_those_left_out() -> None:
    one = sentence(40)
    sides = tuple(int(i >= 30) for i in range(40))
    trace = trace_of("encoder", source=replace(one, sequence=sides))
    row = trace.pattern("encoder.self", 0, 0, 1).double().numpy()
    for sentences in (None, (0, 0), (0, 1)):
        figure = view("attention_flow").draw(
            trace, Selection(query=1), ViewOptions(sentences=sentences)
        )
        assert f" {row[24:].sum():.1%} of this query's weight lies elsewhere." in figure.note


def test_a_query_without_weight_has_none_elsewhere() -> None:
    options = ViewOptions(drop_sinks=True)
    trace = trace_of("decoder", length=40)
    figure = view("attention_flow").draw(trace, Selection(stack="decoder", query=0), options)
    assert "Queries 0 to 23 of 40" in figure.note
    assert "elsewhere" not in figure.note


@pytest.mark.parametrize(("length", "shown"), [(28, 28), (29, 24)])
def test_a_text_hardly_longer_than_a_page_is_shown_as_a_whole(length: int, shown: int) -> None:
    figure, panel = draw("encoder", Selection(), length=length)
    assert len([b for b in panel.boxes if b.key.startswith("query.")]) == shown
    assert ("Queries 5 to 28 of 29" in figure.note) is (length > shown)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.figure import Arrow, Diagram, Figure
from app.selection import Selection
from app.views import ViewOptions, attention_flow, view
from tests.traces import trace_of


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
    monkeypatch.setattr(attention_flow, "MOST_LINES", 20)
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
    assert box[f"key.{strongest}"].text.endswith(f"  {row[strongest]:.3f}")
    assert box["key.2"].picks == (("key", 2),)
    assert box["query.2"].picks == (("query", 2),)


def test_a_long_text_is_shown_page_by_page() -> None:
    figure, panel = draw("decoder", Selection(stack="decoder", query=10), length=90)
    assert len([b for b in panel.boxes if b.key.startswith("query.")]) == 36
    assert "Queries 0 to 35 of 90, keys 0 to 35 of 90." in figure.note
    assert "0.0% of this query's weight lies elsewhere." in figure.note
    figure, panel = draw("decoder", Selection(stack="decoder", query=80, key=3), length=90)
    assert "Queries 54 to 89 of 90, keys 0 to 35 of 90." in figure.note
    row = trace_of("decoder", length=90).pattern("decoder.self", 0, 0, 80).numpy()
    assert f"{1 - row[:36].sum():.1%} of this query's weight" in figure.note

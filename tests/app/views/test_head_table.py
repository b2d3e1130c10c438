from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.choices import HEAD_ORDERS
from app.figure import Figure, WordGrid
from app.selection import Selection
from app.views import ViewOptions, head_table, view
from core.analysis.copying import copying
from core.analysis.head_kinds import head_kinds
from tests.traces import sentence, trace_of

SITE = Selection(stack="decoder", layer=1, head=2)


def drawn(kind: str, selection: Selection, **options: Any) -> tuple[Figure, WordGrid]:
    figure = view("head_table").draw(trace_of(kind), selection, ViewOptions(**options))
    (panel,) = figure.panels
    assert isinstance(panel, WordGrid)
    return figure, panel


def places(panel: WordGrid) -> list[tuple[int, int]]:
    found = [dict(row[0].picks) for row in panel.cells]
    return [(p["layer"], p["head"]) for p in found]


def test_a_row_a_head_with_every_number() -> None:
    figure, panel = drawn("decoder", SITE)
    assert places(panel) == list(np.ndindex(3, 4))
    assert panel.rows.labels[6] == "layer 2, head 3"
    assert panel.row == 6
    assert len(panel.columns.labels) == len(HEAD_ORDERS) - 1
    assert panel.picks == (None, "sort")
    trace = trace_of("decoder")
    found, copied = head_kinds(trace, "decoder.self"), copying(trace, "decoder.self")
    cells = dict(zip(HEAD_ORDERS[1:], panel.cells[6], strict=True))
    assert cells["entropy"].text == f"{found.entropy[1, 2]:.2f}"
    assert cells["first"].text == f"{found.weights[3, 1, 2]:.3f}"
    assert cells["copying"].text == f"{copied[1, 2]:+.3f}".replace("-", "−")
    assert cells["special"].text == "–"
    assert figure.title == "Decoder self-attention · 12 heads in the model's order"


@pytest.mark.parametrize("turned", [False, True])
def test_it_is_sorted_by_the_column_asked_for(turned: bool) -> None:
    figure, panel = drawn("decoder", SITE, heads_by="copying", heads_reversed=turned)
    scores = copying(trace_of("decoder"), "decoder.self")
    order = np.argsort(scores.ravel(), kind="stable")
    order = order if turned else order[::-1]
    assert places(panel) == [divmod(int(i), 4) for i in order]
    assert panel.columns.labels[-1] == ("copying ▲" if turned else "copying ▼")
    assert figure.title.endswith(f"by copying, {'least' if turned else 'most'} first")
    assert panel.column == len(HEAD_ORDERS) - 2
    assert panel.row == places(panel).index((1, 2))


def test_the_title_says_what_a_column_measures() -> None:
    figure, _ = drawn("decoder", SITE, heads_by="self")
    assert figure.title == "Decoder self-attention · 12 heads by weight on itself, most first"


def test_many_heads_are_cut_but_not_the_chosen_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_table, "MOST_HEADS", 5)
    figure, panel = drawn("decoder", SITE)
    assert places(panel) == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 2)]
    assert "The first 5 of 12 heads" in figure.note


def test_what_a_site_has_not_is_said() -> None:
    figure, panel = drawn("translator", Selection(stack="decoder", part="cross"))
    cells = dict(zip(HEAD_ORDERS[1:], panel.cells[0], strict=True))
    assert (cells["distance"].text, cells["copying"].text) == ("–", "–")
    assert "No copying score" in figure.note


def test_it_knows_whether_it_is_prepared() -> None:
    trace, options = trace_of("encoder", source=sentence(4)), ViewOptions()
    table = view("head_table")
    assert table.ready is not None
    assert table.prepare is not None
    assert not table.ready(trace, Selection(), options)
    table.prepare(trace, Selection(), options, None)
    assert table.ready(trace, Selection(), options)


def test_the_exact_numbers_go_along_for_csv() -> None:
    panel = drawn("decoder", SITE)[1]
    found = head_kinds(trace_of("decoder"), "decoder.self")
    cells = dict(zip(HEAD_ORDERS[1:], panel.cells[6], strict=True))
    assert cells["entropy"].value == float(found.entropy[1, 2])
    assert cells["special"].value is None


@pytest.mark.parametrize(
    ("entropy", "note"),
    [(1.0, "no query here sees such a key"), (np.nan, "the weights are no numbers")],
)
def test_a_missing_number_says_why(
    monkeypatch: pytest.MonkeyPatch, entropy: float, note: str
) -> None:
    numbers = {"entropy": np.full((3, 4), entropy), "previous": np.full((3, 4), np.nan)}
    monkeypatch.setattr(head_table, "_numbers", lambda *_: numbers)
    _, panel = drawn("decoder", SITE)
    assert {row[1].note for row in panel.cells} == {note}
    assert {row[1].text for row in panel.cells} == {"–"}

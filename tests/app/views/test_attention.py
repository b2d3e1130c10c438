from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from app.figure import Heatmap, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.masks import MaskChoice
from core.remembered import Memory
from core.tokens import Tokens
from core.trace import Trace
from tests.traces import sentence, trace_of


class Injected:
    """A `Derive` whose every map is the one given."""

    def __init__(self, weights: torch.Tensor) -> None:
        self.weights = weights

    def pattern(self, trace: Trace, site: str, layer: int, head: Any, query: Any) -> torch.Tensor:
        return self.weights if head is not None else self.weights.expand(4, -1, -1)

    scores = pattern

    def allowed(self, trace: Trace, site: str, layer: int) -> torch.Tensor:
        return torch.ones(self.weights.shape, dtype=torch.bool)


def injected(weights: torch.Tensor) -> Trace:
    queries, keys = weights.shape
    trace = trace_of("translator", length=keys, target=queries)
    return replace(trace, derive=Injected(weights), _memory=Memory())


CROSS = Selection(stack="decoder", part="cross", layer=1, head=2)


def heatmap(trace: Trace, selection: Selection, **options: Any) -> Heatmap:
    figure = view("attention").draw(trace, selection, ViewOptions(**options))
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    return panel


def test_queries_run_down_and_keys_across() -> None:
    weights = torch.zeros(3, 7)
    weights[0, 6] = weights[2, 1] = 1
    panel = heatmap(injected(weights), CROSS)
    assert panel.values.shape == (3, 7)
    assert np.argwhere(panel.values == 1).tolist() == [[0, 6], [2, 1]]
    assert (panel.rows.title, panel.columns.title) == ("Query (attends)", "Key (attended to)")
    assert panel.rows.labels == sentence(3, offset=3).pieces
    assert panel.columns.labels == sentence(7).pieces
    assert panel.picks == ("query", "key")


@pytest.mark.parametrize("value", [0.25, 0.0, 1.0])
def test_a_uniform_map_has_the_same_scale_as_any_other(value: float) -> None:
    panel = heatmap(injected(torch.full((4, 4), value)), CROSS)
    assert panel.limits == (0.0, 1.0)
    assert panel.limits_note == ""


def test_a_scale_of_its_own_is_labelled() -> None:
    panel = heatmap(injected(torch.full((4, 4), 0.25)), CROSS, limits="auto")
    assert panel.limits == (0.0, 0.25)
    assert panel.limits_note == "colours scaled to this map: 0 to 0.25"
    nothing = heatmap(injected(torch.zeros(4, 4)), CROSS, limits="auto")
    assert (nothing.limits, nothing.limits_note) == ((0.0, 1.0), "")


@pytest.mark.parametrize(
    ("selection", "title"),
    [
        (
            Selection(stack="decoder", part="cross", layer=2, head=0),
            "Decoder cross-attention · layer 3 of 3 · head 1 of 4",
        ),
        (
            Selection(stack="encoder", layer=0, head=None),
            "Encoder self-attention · layer 1 of 3 · mean of 4 heads",
        ),
    ],
)
def test_the_title_counts_from_one(selection: Selection, title: str) -> None:
    figure = view("attention").draw(trace_of("translator"), selection, ViewOptions())
    assert figure.title == title


def test_the_head_and_layer_asked_for_are_shown() -> None:
    trace = trace_of("decoder")
    selection = Selection(stack="decoder", layer=2, head=3)
    panel = heatmap(trace, selection)
    assert (panel.values == trace.pattern("decoder.self", 2)[3].numpy()).all()
    assert panel.details[0][0] == "score"
    assert (panel.details[0][1] == trace.scores("decoder.self", 2)[3].numpy()).all()


def test_the_mean_is_the_mean_and_says_what_the_strongest_head_does() -> None:
    trace = trace_of("decoder")
    panel = heatmap(trace, Selection(stack="decoder", layer=1, head=None))
    maps = trace.pattern("decoder.self", 1).numpy()
    assert panel.values == pytest.approx(maps.mean(axis=0))
    name, largest = panel.details[0]
    assert name == "largest of the heads"
    assert (largest == maps.max(axis=0)).all()


def test_masked_cells_are_hidden_not_zero_and_dead_rows_are_named() -> None:
    blocked = tuple((2, key) for key in range(5))
    trace = trace_of("encoder", length=5, masks=(("encoder.self", MaskChoice(blocked=blocked)),))
    figure = view("attention").draw(trace, Selection(), ViewOptions())
    (panel,) = figure.panels
    assert isinstance(panel, Heatmap)
    assert panel.hidden is not None
    assert panel.hidden[2].all()
    assert not panel.hidden[[0, 1, 3, 4]].any()
    assert panel.dead_rows == (2,)
    assert not panel.values[2].any()
    assert "One query has no keys" in figure.note


def test_left_padding_rows_are_dead_and_marked() -> None:
    source = sentence(4).padded(6, pad=0, piece="[PAD]", side="left")
    panel = heatmap(trace_of("decoder", source=source), Selection(stack="decoder"))
    assert panel.dead_rows == (0, 1)
    assert panel.rows.marks == ((0, "padding"), (1, "padding"))


def test_marks_tell_masks_specials_and_the_second_sentence() -> None:
    tokens = replace(
        Tokens.of_ids([2, 10, 4, 3, 11, 3]),
        special=(True, False, True, True, False, True),
        sequence=(None, 0, 0, None, 1, None),
        segments=(0, 0, 0, 0, 1, 1),
    )
    panel = heatmap(trace_of("encoder", source=tokens), Selection())
    kinds = [(0, "special"), (2, "masked"), (3, "special"), (4, "segment_b"), (5, "special")]
    assert panel.rows.marks == tuple(kinds)
    assert panel.columns.marks == panel.rows.marks


def test_pins_are_shown_where_the_text_still_reaches() -> None:
    trace = trace_of("translator", length=7, target=4)
    panel = heatmap(trace, replace(CROSS, query=3, key=6))
    assert (panel.row, panel.column) == (3, 6)
    panel = heatmap(trace, replace(CROSS, query=4, key=7))
    assert (panel.row, panel.column) == (None, None)


def test_a_model_without_the_asked_attention_says_what_it_has() -> None:
    figure = view("attention").draw(trace_of("decoder"), Selection(), ViewOptions())
    (panel,) = figure.panels
    assert isinstance(panel, Words)
    assert panel.text == (
        "The decoder has no encoder self-attention; it has decoder self-attention."
    )


def test_the_note_says_that_rows_sum_to_one_where_they_do() -> None:
    trace = trace_of("decoder", length=6)
    chosen = Selection(stack="decoder", layer=1, head=2)
    for selection in (chosen, replace(chosen, head=None)):
        figure = view("attention").draw(trace, selection, ViewOptions())
        (panel,) = figure.panels
        assert isinstance(panel, Heatmap)
        assert panel.values.sum(axis=1) == pytest.approx(np.ones(6), abs=1e-5)
        assert figure.note.startswith("Each row adds up to 1. Hatched cells are masked")
    half = view("attention").draw(injected(torch.full((4, 4), 0.125)), CROSS, ViewOptions())
    assert "adds up" not in half.note


def test_a_fitted_scale_of_a_long_causal_text_says_what_lies_beyond() -> None:
    even = torch.tril(torch.ones(60, 60))
    panel = heatmap(injected(even / even.sum(dim=1, keepdim=True)), CROSS, limits="auto")
    assert panel.limits[1] < 0.5
    assert panel.limits_note.endswith("; the largest is 1")

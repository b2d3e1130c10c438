"""Where views of one position begin while nothing is pinned: at the same one, whatever the view."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.figure import Heatmap, WordGrid
from app.selection import Selection
from app.views import ViewOptions, view
from app.views._focus import answer_position, first_choice, followed
from core.trace import Trace
from tests.traces import sentence, trace_of


def framed(masked: tuple[int, ...] = ()) -> Trace:
    """[CLS] and [SEP] around words, and padding at either end."""
    tokens = sentence(8, masked=masked)
    special = (True, True, False, False, False, False, True, True)
    padding = (True, False, False, False, False, False, False, True)
    return trace_of("encoder", source=replace(tokens, special=special, padding=padding))


@pytest.mark.parametrize(
    ("trace", "stack", "expected"),
    [
        (framed(masked=(4, 5)), "encoder", 4),
        (framed(), "encoder", 2),
        (trace_of("decoder", length=6), "decoder", 5),
        (trace_of("decoder", source=sentence(4).padded(6, pad=0, piece="[PAD]")), "decoder", 3),
        (trace_of("translator", length=5, target=3), "encoder", 0),
        (trace_of("translator", length=5, target=3), "decoder", 2),
    ],
)
def test_a_mask_else_a_decoders_last_token_else_the_first_word(
    trace: Trace, stack: str, expected: int
) -> None:
    options = ViewOptions()
    assert first_choice(trace, stack) == expected
    assert followed(trace, Selection(stack=stack), options) == expected
    assert followed(trace, Selection(stack=stack, query=1), options) == 1
    assert followed(trace, Selection(stack=stack, query=99), options) == expected
    if stack == trace.spec.main_stack.name:
        assert answer_position(trace, Selection(stack=stack), options) == expected


def test_special_tokens_where_there_is_no_word() -> None:
    tokens = replace(sentence(3), special=(True, True, True), padding=(False, False, True))
    assert first_choice(trace_of("encoder", source=tokens), "encoder") == 1


@pytest.mark.parametrize(("masked", "expected"), [((), 2), ((4,), 4)])
def test_every_view_begins_at_the_same_position(masked: tuple[int, ...], expected: int) -> None:
    trace = framed(masked)
    for key in ("neighbours", "rollout", "gradient", "inside_head", "inside_layer"):
        figure = view(key).draw(trace, Selection(), ViewOptions())
        titles = [figure.title, *(panel.title for panel in figure.panels)]
        # After padding on the left, so they say both.
        assert f"(index {expected}, position {expected - 1})" in " ".join(titles)
    grid = view("lens").draw(trace, Selection(), ViewOptions()).panels[0]
    assert isinstance(grid, WordGrid)
    assert grid.column == expected
    positions = view("neighbours").draw(trace, Selection(), ViewOptions()).panels[-1]
    assert isinstance(positions, Heatmap)
    assert positions.row == expected

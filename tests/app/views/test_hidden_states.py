from __future__ import annotations

import numpy as np
import pytest

from app.figure import Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from tests.traces import trace_of


def panels(kind: str, selection: Selection) -> tuple[Heatmap, ...]:
    figure = view("hidden_states").draw(trace_of(kind), selection, ViewOptions())
    assert all(isinstance(p, Heatmap) for p in figure.panels)
    return figure.panels  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("kind", "stack", "last"),
    [
        ("encoder", "encoder", "after layer 3"),
        ("decoder", "decoder", "after layer 3 + final norm"),
        ("translator", "decoder", "after layer 3"),
        ("relative translator", "encoder", "after layer 3 + final norm"),
    ],
)
def test_rows_say_what_each_state_comes_after(kind: str, stack: str, last: str) -> None:
    norm, similarity = panels(kind, Selection(stack=stack))
    names = ("embeddings", "after layer 1", "after layer 2", last)
    assert norm.rows.labels == names
    assert similarity.rows.labels == names[1:]


def test_norms_and_cosines_are_those_of_the_recorded_states() -> None:
    trace = trace_of("translator")
    norm, similarity = panels("translator", Selection(stack="decoder", part="cross"))
    states = [trace["decoder.embed.out"].numpy()]
    states += [trace[f"decoder.{i}.resid.out"].numpy() for i in range(3)]
    for row, state in enumerate(states):
        assert norm.values[row] == pytest.approx(np.linalg.norm(state, axis=1), rel=1e-5)
    for row in range(3):
        a, b = states[row].astype(np.float64), states[row + 1].astype(np.float64)
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        assert similarity.values[row] == pytest.approx((a * b).sum(axis=1) / lengths, abs=1e-5)
    assert similarity.picks == ("layer", "query")


def test_a_pinned_token_shows_its_vector_through_the_layers() -> None:
    selection = Selection(stack="decoder", query=4)
    norm, similarity, vector = panels("decoder", selection)
    assert norm.column == similarity.column == 4
    assert vector.values.shape == (4, 16)
    trace = trace_of("decoder")
    assert (vector.values[0] == trace["decoder.embed.out"][4].numpy()).all()
    assert (vector.values[3] == trace["decoder.final.norm"][4].numpy()).all()
    assert "(position 4)" in vector.title
    assert vector.limits[0] == -vector.limits[1]

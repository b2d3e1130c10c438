"""How the predicted words grow over the layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Bars, Figure, Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.lens import growth
from core.progress import Watch
from core.request import Sampling
from core.trace import Trace
from tests.traces import MASK, sentence, trace_of

VIEW = view("predictions")


def draw(trace: Trace, selection: Selection | None = None, **options: object) -> Figure:
    chosen = replace(ViewOptions(), **options)  # type: ignore[arg-type]
    return VIEW.draw(trace, selection or Selection(stack=trace.spec.main_stack.name), chosen)


def strips(figure: Figure) -> list[Heatmap]:
    return [panel for panel in figure.panels if isinstance(panel, Heatmap)]


def lists(figure: Figure) -> list[Bars]:
    found = [panel for panel in figure.panels if isinstance(panel, Bars)]
    return [bars for bars in found if bars.position is not None]


def by_hand(trace: Trace, place: int, tokens: list[int | None]) -> np.ndarray:
    """[token, layer + 1]: every layer's state through the final norm and the output head."""
    stack, rows = trace.spec.main_stack.name, []
    for layer in range(3):
        states = trace.hidden(stack)[layer, [place]]
        rows.append(trace.derive.project(states, normalise=True)[0].double().softmax(-1))
    rows.append(trace.logits[place].double().softmax(-1))
    return np.array([[float(row[token]) for row in rows] for token in tokens])


@pytest.mark.parametrize("kind", ["encoder", "decoder", "relative translator"])
def test_all_words_of_a_single_list(kind: str) -> None:
    tokens = sentence(6, masked=(2,) if kind == "encoder" else ())
    trace = trace_of(kind, source=tokens, target=5)
    figure = draw(trace, Selection(stack=trace.spec.main_stack.name, layer=1))
    (bars,), (strip,) = lists(figure), strips(figure)
    assert figure.panels[:2] == (bars, strip)  # side by side
    assert figure.columns == 2
    assert strip.rows.labels == tuple(bar.label for bar in bars.bars)
    assert strip.columns.labels == ("emb", "1", "2", "3")
    assert bars.position is not None
    expected = by_hand(trace, bars.position, [bar.token for bar in bars.bars])
    assert strip.values == pytest.approx(expected, abs=1e-6)
    assert strip.values[:, -1] == pytest.approx([bar.value for bar in bars.bars], abs=1e-5)
    assert strip.limits == (0.0, 1.0)
    assert strip.column == 2  # the chosen layer, behind the embeddings
    assert "Layer by layer" in figure.note


@pytest.mark.parametrize("masked", [(1,), (1, 4), (0, 2, 3, 4)])
def test_it_is_said_that_the_lists_alone_are_narrowed(masked: tuple[int, ...]) -> None:
    trace = trace_of("encoder", source=sentence(6, masked=masked))
    own, narrowed = draw(trace), draw(trace, sampling=Sampling(temperature=2))
    assert lists(own)[0].bars[0].value != lists(narrowed)[0].bars[0].value
    for plain, strip in zip(strips(own), strips(narrowed), strict=True):
        assert (strip.values == plain.values).all()
        assert strip.title == f"{plain.title}, the model's own"
    # Nothing is written yet that a masked word could repeat.
    penalty = Sampling(repetition_penalty=2)
    assert not strips(draw(trace, sampling=penalty))[0].title.endswith("own")
    written = draw(trace_of("decoder", length=5), sampling=penalty)
    assert strips(written)[0].title == "Layer by layer, the model's own"


@pytest.mark.parametrize("masked", [(1, 4), (1, 4, 5)])
def test_a_few_words_of_each_of_two_or_three_lists(masked: tuple[int, ...]) -> None:
    trace = trace_of("encoder", source=sentence(7, masked=masked))
    figure = draw(trace)
    assert figure.columns == len(masked)
    assert list(figure.panels[: 2 * len(masked)]) == [*lists(figure), *strips(figure)]
    for bars, strip, place in zip(lists(figure), strips(figure), masked, strict=True):
        assert bars.position == place
        expected = by_hand(trace, place, [bar.token for bar in bars.bars[:5]])
        assert strip.values == pytest.approx(expected, abs=1e-6)


def test_the_first_words_of_many_lists_together() -> None:
    masked = (0, 2, 3, 4, 6)
    trace = trace_of("encoder", source=sentence(8, masked=masked))
    figure = draw(trace)
    (strip,) = strips(figure)
    assert figure.panels[-1] is strip
    assert figure.wide_last
    for row, (bars, place) in enumerate(zip(lists(figure), masked, strict=True)):
        expected = by_hand(trace, place, [bars.bars[0].token])
        assert strip.values[row] == pytest.approx(expected[0], abs=1e-6)
        assert strip.rows.labels[row] == f"{bars.bars[0].label} at {place}"


def test_the_compact_picture_has_only_the_lists() -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    figure = draw(trace, compact=True)
    assert not strips(figure)
    assert [bars.title for bars in lists(figure)] == [bars.title for bars in lists(draw(trace))]


def test_it_is_prepared_and_tells_how_far_it_is() -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2, 3)))
    trace.forget()
    assert VIEW.prepare is not None
    assert VIEW.ready is not None
    assert not VIEW.ready(trace, Selection(), ViewOptions())
    heard: list[float] = []
    VIEW.prepare(trace, Selection(), ViewOptions(), Watch(lambda: False, heard.append))
    assert heard == [0, 0.5]
    assert VIEW.ready(trace, Selection(), ViewOptions())
    assert not VIEW.ready(trace, Selection(), ViewOptions(top=4))
    assert VIEW.ready(trace_of("encoder", length=4), Selection(), ViewOptions())  # no mask


def test_in_parts_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of("encoder", source=sentence(6, masked=(2,)))
    whole = growth(trace, 2, [MASK, 7])
    trace.forget()
    monkeypatch.setattr("core.analysis.lens._AT_ONCE", 80)  # two layers of 40 logits
    assert growth(trace, 2, [MASK, 7]) == pytest.approx(whole, abs=1e-7)

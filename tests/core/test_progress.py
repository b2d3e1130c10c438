"""Long work tells how far it is, and ends when it is no longer wanted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.analysis.ablation import ablation
from core.analysis.copying import copying
from core.analysis.head_kinds import head_kinds
from core.analysis.lens import lens
from core.analysis.thumbnails import thumbnails
from core.errors import Cancelled
from core.progress import Watch, part, step
from core.request import ShouldStop
from core.trace import Trace
from tests.traces import LAYERS, trace_of

Work = Callable[[Trace, ShouldStop | None], object]
WORK: dict[str, Work] = {
    "ablation": lambda trace, stop: ablation(trace, "encoder.self", 1, stop),
    "copying": lambda trace, stop: copying(trace, "encoder.self", stop),
    "head kinds": lambda trace, stop: head_kinds(trace, "encoder.self", stop),
    "lens": lambda trace, stop: lens(trace, [0, 1, 2], stop),
    "thumbnails": lambda trace, stop: thumbnails(trace, "encoder.self", 16, stop),
}


def told(work: Work, kind: str = "encoder") -> list[float]:
    heard: list[float] = []
    work(trace_of(kind), Watch(lambda: False, heard.append))
    return heard


@pytest.mark.parametrize("name", WORK)
def test_every_layer_is_told(name: str) -> None:
    heard = told(WORK[name])
    assert len(heard) == LAYERS + (name == "lens")  # the lens looks at the embeddings too
    assert heard[0] == 0
    assert heard == sorted(set(heard))
    assert heard[-1] < 1


@pytest.mark.parametrize("name", WORK)
def test_it_ends_when_it_is_no_longer_wanted(name: str) -> None:
    heard: list[float] = []
    with pytest.raises(Cancelled, match="was stopped"):
        WORK[name](trace_of("encoder"), Watch(lambda: bool(heard), heard.append))
    assert heard == [0]


def test_switching_off_early_heads_is_more_work() -> None:
    """Each run goes on from its layer: three layers, then two, then one; with a decoder behind the
    encoder each goes through that as well."""
    assert told(WORK["ablation"]) == pytest.approx([0, 3 / 6, 5 / 6])
    assert told(WORK["ablation"], "translator") == pytest.approx([0, 6 / 15, 11 / 15])


def test_batches_of_one_layer_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.analysis.ablation._AT_ONCE", 1)
    heard = told(WORK["ablation"])
    assert len(heard) == LAYERS * 5  # four heads, one after the other, and all of them
    assert heard[:5] == pytest.approx([0, 3 / 30, 6 / 30, 9 / 30, 12 / 30])


def test_parts_of_parts() -> None:
    heard: list[float] = []
    whole = Watch(lambda: False, heard.append)
    for inner in (whole, part(whole, 0.5, 1), part(part(whole, 0.5, 1), 0, 0.5)):
        step(inner, 0, "it")
        step(inner, 1, "it")
    assert heard == [0, 1, 0.5, 1, 0.5, 0.75]


def test_whoever_only_stops_hears_nothing() -> None:
    step(None, 0.5, "it")
    step(lambda: False, 0.5, "it")
    assert part(None, 0, 1) is None
    with pytest.raises(Cancelled, match="it was stopped"):
        step(lambda: True, 0.5, "it")

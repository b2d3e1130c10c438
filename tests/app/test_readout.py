"""The read-out computes no more than it shows, and nothing large in the window's thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app import looking
from app.panels import readout
from app.reading import dear, read
from app.selection import Selection
from app.wiring import App
from core.errors import Cancelled
from tests.app.driver import Opener, loaded, settled

SITE = "encoder.self"


@pytest.mark.parametrize("head", [None, 1])
@pytest.mark.parametrize("key", [None, 2])
def test_a_pinned_query_takes_one_row(head: int | None, key: int | None) -> None:
    trace = loaded("random:encoder").trace("abcdef")
    found = read(trace, Selection(head=head, query=3, key=key))
    for what in ("pattern", "scores"):
        assert not trace.remembers((what, SITE, 0, head, None))
        assert not trace.remembers((what, SITE, 0, None, None))
    whole = trace.pattern(SITE, 0)
    rows = (whole.mean(0) if head is None else whole[head])[3]
    if key is not None:
        assert found.weight == pytest.approx(float(rows[key]), abs=1e-6)
        assert found.rank == int((rows > rows[key]).sum()) + 1
    else:
        weights = [weight for _, weight in found.strongest]
        assert weights == pytest.approx(rows.topk(5).values.tolist(), abs=1e-6)


def test_only_a_column_of_a_large_mean_is_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, column = loaded("random:encoder").trace("abcdef"), Selection(head=None, key=2)
    assert not dear(trace, column)
    monkeypatch.setattr(looking, "QUICK", 0)
    assert dear(trace, column)
    assert not dear(trace, replace(column, query=1))
    assert not dear(trace, replace(column, head=1))
    assert not dear(trace, Selection(head=None))
    trace.pattern(SITE, 0)
    assert not dear(trace, column)


def test_a_column_of_a_large_mean_is_stopped_between_two_heads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace, column = loaded("random:encoder").trace("abcdef"), Selection(head=None, key=2)
    monkeypatch.setattr(looking, "QUICK", 0)
    asked: list[int] = []
    with pytest.raises(Cancelled):
        read(trace, column, should_stop=lambda: asked.append(1) or len(asked) > 2)  # type: ignore[func-returns-value]
    assert [trace.remembers(("pattern", SITE, 0, head, None)) for head in (1, 2)] == [True, False]
    found = [(place.index, weight) for place, weight in read(trace, column).strongest]
    weights = trace.pattern(SITE, 0).mean(0)[:, 2].topk(5)
    assert [index for index, _ in found] == weights.indices.tolist()
    assert [weight for _, weight in found] == pytest.approx(weights.values.tolist(), abs=1e-6)


def test_a_column_of_a_large_mean_is_read_in_the_worker(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    app.session.look_at("predictions")  # which prepares no map
    settled(qtbot, app)
    monkeypatch.setattr(looking, "QUICK", 0)
    threads: list[Any] = []

    def reading(*asked: Any) -> Any:
        threads.append(threading.current_thread())
        return read(*asked)

    monkeypatch.setattr(readout, "read", reading)
    panel = app.window.readout
    app.store.select(head=None, key=2)
    assert panel.note.text() == readout.COMING
    assert [name for name, _ in panel.lines] == ["key"]
    qtbot.waitUntil(lambda: len(panel.lines) > 1)
    settled(qtbot, app)
    assert threads and threading.main_thread() not in threads
    column = app.store.state.trace.pattern(SITE, 0).mean(0)[:, 2]
    assert panel.lines[1][1].startswith(f"{float(column.max()):.4f}")
    assert panel.note.isHidden()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Every column is dear to read, and waits for this."""
    go_on = threading.Event()

    def column(trace: Any, selection: Selection) -> bool:
        return selection.key is not None

    def reading(trace: Any, selection: Selection, raw: bool, *stop: Any) -> Any:
        assert not column(trace, selection) or go_on.wait(20)
        return read(trace, selection, raw)

    monkeypatch.setattr(readout, "dear", column)
    monkeypatch.setattr(readout, "read", reading)
    yield go_on
    go_on.set()


def read_a_column(app: App) -> None:
    """The read-out has begun to read one of a mean."""
    app.store.select(head=None, key=2)
    assert app.window.readout.note.text() == readout.COMING


def test_what_gave_way_to_a_load_that_failed_is_read_again(
    qtbot: QtBot, open_app: Opener, slow: threading.Event, tmp_path: Path
) -> None:
    app = open_app()
    read_a_column(app)
    app.session.opening.open(str(tmp_path / "gone"))
    slow.set()
    qtbot.waitUntil(lambda: len(app.window.readout.lines) > 1)
    settled(qtbot, app)
    assert app.window.readout.note.isHidden()
    assert "gone" in app.store.state.problem.text


def test_after_a_cancel_nothing_is_said_to_come(
    qtbot: QtBot, open_app: Opener, slow: threading.Event
) -> None:
    app = open_app()
    read_a_column(app)
    app.session.cancel()
    panel = app.window.readout
    assert panel.note.text() == readout.UNREAD and panel.note.isVisible()
    slow.set()
    settled(qtbot, app)
    assert len(panel.lines) == 1
    app.store.select(key=None)
    assert panel.note.text() == readout.NOTHING
    app.store.select(key=2)
    qtbot.waitUntil(lambda: len(panel.lines) > 1)
    assert panel.note.isHidden()


def test_out_of_sight_it_reads_nothing_and_then_catches_up(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    dock = next(d for d in app.window.docks if d.isAncestorOf(app.window.readout))
    dock.hide()
    asked: list[Any] = []
    monkeypatch.setattr(readout, "read", lambda *what: asked.append(what) or read(*what))
    app.store.select(query=1)
    settled(qtbot, app)
    assert not asked
    dock.show()
    qtbot.waitUntil(lambda: len(app.window.readout.lines) > 1)
    assert app.window.readout.query.spin.value() == 1

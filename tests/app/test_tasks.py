"""Work beside the window: lanes, latest first, stale answers, a clean end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from app.tasks import Job, Tasks


@pytest.fixture
def tasks(qapp: object) -> Iterator[Tasks]:
    made = Tasks("load", "run")
    yield made
    assert made.close(5)


class Answers:
    """What came back, in order, and on which thread."""

    def __init__(self) -> None:
        self.results: list[Any] = []
        self.errors: list[Exception] = []
        self.threads: set[str] = set()

    def done(self, result: Any) -> None:
        self.results.append(result)
        self.threads.add(threading.current_thread().name)

    def failed(self, error: Exception) -> None:
        self.errors.append(error)


def gate() -> tuple[threading.Event, Any]:
    event = threading.Event()

    def work(job: Job) -> str:
        event.wait(5)
        return "gate"

    return event, work


def test_work_runs_beside_the_window_and_answers_in_it(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()
    tasks.submit("run", lambda job: threading.current_thread().name, answers.done, answers.failed)
    qtbot.waitUntil(lambda: answers.results != [])
    assert answers.results == ["trifocal-worker"]
    assert answers.threads == {threading.current_thread().name}


def test_a_newer_job_takes_the_waiting_place(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()
    event, work = gate()
    tasks.submit("run", work, answers.done, answers.failed)
    time.sleep(0.05)
    for number in range(10):
        tasks.submit("run", lambda job, n=number: n, answers.done, answers.failed)
    event.set()
    qtbot.waitUntil(lambda: not tasks.active("run"))
    assert answers.results == ["gate", 9]


def test_lanes_named_first_go_first(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()
    event, work = gate()
    tasks.submit("run", work, answers.done, answers.failed)
    time.sleep(0.05)
    tasks.submit("run", lambda job: "run", answers.done, answers.failed)
    tasks.submit("load", lambda job: "load", answers.done, answers.failed)
    event.set()
    qtbot.waitUntil(lambda: len(answers.results) == 3)
    assert answers.results == ["gate", "load", "run"]


def test_a_dropped_job_is_asked_to_stop_and_answers_to_nobody(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()
    stopped = threading.Event()

    def work(job: Job) -> str:
        while not job.should_stop():
            time.sleep(0.005)
        stopped.set()
        return "late"

    tasks.submit("run", work, answers.done, answers.failed)
    time.sleep(0.05)
    assert tasks.active("run")
    tasks.drop("run")
    assert not tasks.active("run")
    assert stopped.wait(5)
    tasks.submit("run", lambda job: "next", answers.done, answers.failed)
    qtbot.waitUntil(lambda: answers.results == ["next"])
    assert answers.errors == []


def test_a_failure_is_told_and_the_worker_lives_on(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()

    def work(job: Job) -> None:
        raise ValueError("no")

    tasks.submit("run", work, answers.done, answers.failed)
    qtbot.waitUntil(lambda: answers.errors != [])
    assert str(answers.errors[0]) == "no"
    tasks.submit("run", lambda job: "yes", answers.done, answers.failed)
    qtbot.waitUntil(lambda: answers.results == ["yes"])


def test_progress_comes_in_order_and_not_too_often(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()
    told: list[tuple[str, str, float | None]] = []
    tasks.progressed.connect(lambda *report: told.append(report))

    def work(job: Job) -> None:
        for i in range(1, 2001):
            job.report("reading", i / 2000)

    tasks.submit("load", work, answers.done, answers.failed)
    qtbot.waitUntil(lambda: answers.results != [])
    assert told[-1] == ("load", "reading", 1.0)
    assert [t[2] for t in told] == sorted(t[2] or 0 for t in told)
    assert len(told) < 100


def test_closing_waits_for_what_stops_and_not_for_what_does_not(qapp: object) -> None:
    answers = Answers()
    quick, stubborn = Tasks("run"), Tasks("run")
    quick.submit("run", lambda job: job._stop.wait(5), answers.done, answers.failed)
    time.sleep(0.05)
    assert quick.close(2)
    end = threading.Event()
    stubborn.submit("run", lambda job: end.wait(5), answers.done, answers.failed)
    time.sleep(0.05)
    started = time.monotonic()
    assert not stubborn.close(0.2)
    assert time.monotonic() - started < 1
    end.set()
    assert stubborn.close(5)
    assert answers.results == []


@pytest.mark.parametrize("reports", [False, True])
def test_the_worker_ends_quietly_where_nobody_is_left_to_be_told(
    qapp: object, monkeypatch: pytest.MonkeyPatch, reports: bool
) -> None:
    """As when a window is destroyed without having been closed."""
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda hook: raised.append(hook.exc_value))
    answers, event, begun = Answers(), threading.Event(), threading.Event()
    after: list[str] = []

    def work(job: Job) -> None:
        begun.set()
        event.wait(5)
        if reports:
            job.report("half", 0.5)
            after.append("went on" if not job.should_stop() else "was asked to stop")

    tasks = Tasks("run")
    tasks.submit("run", work, answers.done, answers.failed)
    assert begun.wait(5)
    thread = tasks._thread
    assert thread is not None
    shiboken6.delete(tasks)
    event.set()
    thread.join(5)
    assert not thread.is_alive()
    assert raised == []
    assert after == (["was asked to stop"] if reports else [])
    assert answers.results == answers.errors == []


def test_a_lane_nobody_looks_into_is_refused(qtbot: QtBot, tasks: Tasks) -> None:
    answers = Answers()
    with pytest.raises(ValueError, match="no lane 'paint'; there are load, run"):
        tasks.submit("paint", lambda job: 1, answers.done, answers.failed)
    tasks.submit("run", lambda job: 2, answers.done, answers.failed)
    qtbot.waitUntil(lambda: answers.results == [2])


def test_an_answer_that_goes_wrong_leaves_nothing_running(qtbot: QtBot, tasks: Tasks) -> None:
    active: list[bool] = []
    tasks.idle_changed.connect(lambda: active.append(tasks.active("run")))

    def done(_: object) -> None:
        raise ZeroDivisionError("in the window")

    with qtbot.capture_exceptions() as raised:
        tasks.submit("run", lambda job: None, done, done)
        qtbot.waitUntil(lambda: active == [True, False])
    assert [kind for kind, *_ in raised] == [ZeroDivisionError]

"""The window while the model works: its tick, the echo of typing, and how soon the map is there."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import models
from benchmarks.measure import Row

TICK = 16  # ms
WORDS = "the cat sat on the mat and looked at the bird in the old tree by the river "


def rows(*, quick: bool = False) -> Iterator[Row]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from app.engine import Engine
    from app.settings import Settings
    from app.wiring import App

    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    application.setStyle("Fusion")
    pair = models.gpt2()
    model = _readable(pair.ours)

    class Ready(Engine):
        """The real core with the model at hand: loading is another benchmark."""

        def load(self, *_: object, **__: object) -> Any:
            return model

    with tempfile.TemporaryDirectory() as folder:
        app = App("GPT-2", settings=Settings(Path(folder) / "s.ini"), core=Ready())
        app.window.resize(1366, 768)
        app.window.show()
        driver = _Driver(application, app)
        driver.wait(lambda: app.store.state.answer is not None and driver.quiet())
        yield _ticks(driver, 3 if quick else 12)
        yield from _typing(driver, 4 if quick else 20)
        app.window.close()
        application.processEvents()


def _readable(model: Any) -> Any:
    """The model with a tokenizer of one token a byte, so that text can be typed."""
    from dataclasses import replace

    from core.random_models import byte_tokenizer
    from core.text import Tokenizer

    backend = byte_tokenizer(frame=False)
    return replace(model, tokenizer=Tokenizer.from_library(backend, source="bytes"))


class _Driver:
    """Lets the event loop turn; `processEvents` gives the worker the GIL, QTest would not."""

    def __init__(self, application: Any, app: Any) -> None:
        self.application, self.app = application, app

    def wait(self, until: Callable[[], bool], seconds: float = 120) -> None:
        from PySide6.QtCore import QEventLoop

        end = time.perf_counter() + seconds
        while not until():
            if time.perf_counter() > end:
                raise TimeoutError("the window did not settle")
            self.application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
            time.sleep(0.0005)  # a loop that spins would keep the GIL from the worker

    def quiet(self) -> bool:
        state = self.app.store.state
        return (
            state.busy is None
            and not self.app.window.pictures.pending
            and state.answer is not None
            and state.answer.inputs == state.inputs
        )

    def ticks(self, until: Callable[[], bool]) -> list[float]:
        """Milliseconds between the beats of a 16-ms timer until something is true."""
        from PySide6.QtCore import QEventLoop, Qt, QTimer

        beats: list[float] = []
        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(lambda: beats.append(time.perf_counter()))
        timer.start(TICK)
        loop = QEventLoop()
        timer.timeout.connect(lambda: loop.quit() if until() else None)
        loop.exec()
        timer.stop()
        return [1000 * (b - a) for a, b in pairwise(beats)]


def _ticks(driver: _Driver, rounds: int) -> Row:
    """95th percentile of the tick while a forward of 128 tokens runs, and while nothing does."""
    idle, busy = [], []
    for turn in range(rounds):
        end = time.perf_counter() + 0.7
        idle += driver.ticks(lambda end=end: time.perf_counter() > end)  # type: ignore[misc]
        driver.app.session.write(text=chr(ord("a") + turn % 26) + (WORDS * 2)[:127])
        busy += driver.ticks(driver.quiet)
    a, b = _p95(busy), _p95(idle)
    return Row(
        name="95th percentile of the window's 16 ms tick, a forward running / idle",
        ratio=a / b,
        goal=1.3,
        detail=f"{a:.1f} ms / {b:.1f} ms",
    )


def _typing(driver: _Driver, count: int) -> Iterator[Row]:
    """One letter at the front of 128 tokens, so that nothing can be reused."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    editor = driver.app.window.prompt.text
    driver.app.session.write(text=(WORDS * 2)[:127])
    driver.wait(driver.quiet)
    echoes, ratios, painted, forwards = [], [], [], []
    for _ in range(count):
        cursor = editor.textCursor()
        cursor.setPosition(0)
        editor.setTextCursor(cursor)
        editor.setFocus()
        started = time.perf_counter()
        QTest.keyClick(editor, Qt.Key.Key_X)
        editor.viewport().repaint()
        echoes.append(1000 * (time.perf_counter() - started))
        driver.wait(driver.quiet)
        driver.app.window.grab()
        took = 1000 * (time.perf_counter() - started)
        answer = driver.app.store.state.answer
        painted.append(took)
        forwards.append(answer.run_ms)
        ratios.append(took / answer.run_ms)
        driver.app.session.write(text=(WORDS * 2)[:127])
        driver.wait(driver.quiet)
    echo = _p95(echoes)
    yield Row(
        name="a typed letter on screen, 95th percentile / 10 ms",
        ratio=echo / 10,
        goal=1.0,
        detail=f"{echo:.1f} ms / 10 ms",
    )
    yield Row(
        name="key → painted map, 128 tokens / the forward alone",
        ratio=statistics.median(ratios),
        goal=1.15,
        detail=f"{statistics.median(painted):.4g} ms / {statistics.median(forwards):.4g} ms",
    )


def _p95(values: list[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]

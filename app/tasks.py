"""The only file that runs work in a thread: one worker, lanes that keep the latest job.

Work runs off the window's thread and touches no widget; its answer comes back on the window's
thread. A lane holds one running and one waiting job: a newer one takes the waiting place. Once a
lane is dropped, what still runs in it answers to nobody. In a lasting lane jobs wait for each other
instead, and closing waits for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

Work = Callable[["Job"], Any]
Failed = Callable[[Exception], None]
ShouldStop = Callable[[], bool]
"""What the core polls; True once the work is no longer wanted."""
Report = Callable[[str, float | None], None]
"""How far the work is: what is being done, and a fraction 0–1 or None."""

PATIENCE = 60.0  # seconds that closing waits for what must not be lost
_REPORT_EVERY = 0.04  # seconds; a progress bar needs no more


class Job:
    """One piece of work, and what became of it."""

    def __init__(
        self,
        lane: str,
        work: Work,
        done: Callable[[Any], None],
        failed: Failed,
        send: Callable[[Job, str, float | None], None],
    ) -> None:
        self.lane = lane
        self.work = work
        self.done = done
        self.failed = failed
        self.result: Any = None
        self.error: Exception | None = None
        self._stop = threading.Event()
        self._send = send
        self._sent = 0.0

    def stop(self) -> None:
        self._stop.set()

    def should_stop(self) -> bool:
        """What the core polls; True once the work is no longer wanted."""
        return self._stop.is_set()

    def report(self, text: str, fraction: float | None = None) -> None:
        """From the worker: how far it is; fraction 0–1, or None when that is not known."""
        now = time.monotonic()
        if now - self._sent >= _REPORT_EVERY or fraction == 1.0:
            self._sent = now
            self._send(self, text, fraction)


class Tasks(QObject):
    """Runs jobs one at a time. Lanes named first go first; lasting: those that lose no job."""

    progressed = Signal(str, str, object)  # lane, text, fraction or None
    idle_changed = Signal()  # something started, ended or was dropped
    _answered = Signal(object)
    _reported = Signal(object, str, object)

    def __init__(
        self, *lanes: str, lasting: tuple[str, ...] = (), parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._lanes, self._lasting = lanes, lasting
        self._waiting: dict[str, list[Job]] = {}
        self._running: Job | None = None
        self._open: list[Job] = []  # asked for and not answered; the window's thread only
        self._closing = False
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._forward, Qt.ConnectionType.QueuedConnection)

    def submit(
        self,
        lane: str,
        work: Work,
        done: Callable[[Any], None],
        failed: Failed,
        *,
        over: tuple[str, ...] = (),
    ) -> Job:
        """Queue work; a job still waiting in the same lane gives way and never runs, unless the
        lane is a lasting one. over: lanes that are dropped for it, so that it need not wait.
        ValueError for a lane that the worker would never look into."""
        if lane not in self._lanes:
            raise ValueError(f"there is no lane {lane!r}; there are {', '.join(self._lanes)}")
        job = Job(lane, work, done, failed, self._send_report)
        with self._wake:
            waiting = self._waiting.get(lane, [])
            before = waiting if lane in self._lasting else []
            replaced = [] if before else waiting
            self._waiting[lane] = [*before, job]
            self._wake.notify()
        self._open = [*(other for other in self._open if other not in replaced), job]
        if self._thread is None and not self._closing:
            # A daemon: code that cannot be stopped half-way (an import) must not hold up exit.
            self._thread = threading.Thread(target=self._work, name="trifocal-worker", daemon=True)
            self._thread.start()
        if over:
            self.drop(*over)
        self.idle_changed.emit()
        return job

    def drop(self, *lanes: str, stop: bool = True) -> None:
        """Forget what waits or runs in these lanes; with `stop`, ask the running job to end."""
        with self._wake:
            for lane in lanes:
                self._waiting.pop(lane, None)
            if stop and self._running is not None and self._running.lane in lanes:
                self._running.stop()
        self._open = [job for job in self._open if job.lane not in lanes]
        self.idle_changed.emit()

    def active(self, lane: str) -> bool:
        """Whether a job of this lane waits, runs, or has an answer that is not delivered yet."""
        return any(job.lane == lane for job in self._open)

    def close(self, timeout: float = 1.0) -> bool:
        """Stop everything, but first do what waits or runs in lasting lanes. False: the worker is
        inside something that cannot be interrupted."""
        with self._wake:
            self._closing = True
            self._waiting = {
                lane: jobs for lane, jobs in self._waiting.items() if lane in self._lasting
            }
            if self._running is not None:
                if self._running.lane in self._lasting:
                    timeout = PATIENCE
                else:
                    self._running.stop()
            if self._waiting:
                timeout = PATIENCE
            self._wake.notify()
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def untold(self) -> list[Exception]:
        """Once closed: why work of lasting lanes failed, of which nobody has heard."""
        jobs = [job for job in self._open if job.lane in self._lasting]
        return [job.error for job in jobs if job.error is not None]

    def _work(self) -> None:
        while True:
            with self._wake:
                self._running = None
                while not self._closing and not self._waiting:
                    self._wake.wait()
                if not self._waiting:
                    return
                lane = next(lane for lane in self._lanes if lane in self._waiting)
                job, *behind = self._waiting.pop(lane)
                if behind:
                    self._waiting[lane] = behind
                self._running = job
            try:
                job.result = job.work(job)
            except Exception as error:  # the boundary: whatever it is, somebody is told
                job.error = error
            self._finish(job)

    def _finish(self, job: Job) -> None:
        with self._wake:
            self._running = None
            self._tell(job, lambda: self._answered.emit(job))

    def _send_report(self, job: Job, text: str, fraction: float | None) -> None:
        with self._wake:
            self._tell(job, lambda: self._reported.emit(job, text, fraction))

    def _tell(self, job: Job, emit: Callable[[], None]) -> None:
        """From the worker, holding the lock: a signal, unless nobody is there to hear it."""
        if self._closing:
            return
        try:
            emit()
        except RuntimeError:
            if isValid(self):
                raise
            # The window was destroyed without being closed (a program around it that died).
            self._closing = True
            self._waiting.clear()
            job.stop()

    def _forward(self, job: Job, text: str, fraction: float | None) -> None:
        if job in self._open:
            self.progressed.emit(job.lane, text, fraction)

    def _deliver(self, job: Job) -> None:
        if self._closing:
            return
        try:
            if job in self._open:
                self._open.remove(job)
                if job.error is not None:
                    job.failed(job.error)
                else:
                    job.done(job.result)
        finally:  # whatever the answer led to, the job is over
            self.idle_changed.emit()

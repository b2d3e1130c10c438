"""Comparisons on demand: cached against full, stepping against teacher forcing, pooled heads.

A step or a run that is asked for goes first; then what gave way to it is asked again, of what is
there by then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QTimer

from app.lanes import GOING_FIRST
from app.store import State, Store
from app.tasks import Failed, Job, ShouldStop, Tasks

if TYPE_CHECKING:
    from core.analysis.sharing import Shared
    from core.decoding.verify import Difference
    from core.loaded import LoadedModel
    from core.request import Step
    from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A comparison and the very steps it is about; it says nothing of any others."""

    steps: tuple[Step, ...]
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """Runs on pooled heads and the very run they are compared with."""

    trace: Trace
    found: tuple[Shared, ...]


class Compares(Protocol):
    """What checking needs of the core."""

    def verify(
        self, model: LoadedModel, steps: tuple[Step, ...], stop: ShouldStop
    ) -> Difference: ...

    def share(
        self, model: LoadedModel, trace: Trace, kv_heads: int, stop: ShouldStop
    ) -> Shared: ...


class Checker:
    """Its results name what they are about, so none can be shown beside something else."""

    def __init__(self, store: Store, tasks: Tasks, core: Compares, failed: Failed) -> None:
        self._store, self._tasks, self._core, self._failed = store, tasks, core, failed
        self._asked: Callable[[], None] | None = None  # for what has not come yet
        self._gave_way = False
        tasks.idle_changed.connect(self._watch)
        store.changed.connect(self._changed)

    def verify(self) -> None:
        """Is every step equal to its row of one full forward?"""
        self._verify(lambda: None)

    def together(self, on: bool) -> None:
        """Teacher forcing: show all positions of what was written as one run, or the steps."""
        if not on:
            self._store.update(together=False)
            return
        asked = self._store.state

        def then() -> None:  # unless the person has moved on
            state = self._store.state
            there = state.selection.step == asked.selection.step and not state.playing
            if state.steps is asked.steps and there:
                self._show_together()

        self._verify(then)

    def share(self, kv_heads: int) -> None:
        """What if the decoder had so many key/value heads?"""
        state = self._store.state
        model, trace = state.model, state.trace
        if model is None or trace is None:
            return

        def work(job: Job) -> Shared:
            return self._core.share(model, trace, kv_heads, job.should_stop)

        def done(found: Shared) -> None:
            state = self._store.state
            if state.trace is not trace:
                return
            before = state.what_if.found if state.what_if and state.what_if.trace is trace else ()
            others = tuple(one for one in before if one.kv_heads != kv_heads)
            ordered = tuple(sorted((*others, found), key=lambda one: -one.kv_heads))
            self._store.update(what_if=WhatIf(trace=trace, found=ordered))

        self._compare(work, done, lambda: self.share(kv_heads))

    def forget_shared(self) -> None:
        """Nothing was tried."""
        self.cancelled()
        self._tasks.drop("check")
        self._store.update(what_if=None)

    def cancelled(self) -> None:
        """Nothing is asked any more."""
        self._asked = None

    def _compare(
        self, work: Callable[[Job], Any], done: Callable[[Any], None], again: Callable[[], None]
    ) -> None:
        """again: ask it of what is there by then."""

        def came(found: Any) -> None:
            self._asked = None
            self._store.settle("decoding")
            done(found)

        def failed(error: Exception) -> None:
            self._asked = None
            self._failed(error)

        self._asked, self._gave_way = again, False
        self._tasks.submit("check", work, came, failed)

    def _watch(self) -> None:
        """Whether a comparison was dropped, and for what."""
        if self._asked is None or self._tasks.active("check"):
            return
        if self._others:
            self._gave_way = True
        elif self._gave_way:  # when what came of the others is in the store
            QTimer.singleShot(0, self._tasks, self._again)
        else:
            self._asked = None

    def _again(self) -> None:
        # Between two steps that play there is no time for it.
        if self._asked is None or not self._gave_way or self._others or self._store.state.playing:
            return
        asked, self._asked = self._asked, None
        asked()

    @property
    def _others(self) -> bool:
        """Whether the worker does something that goes first."""
        return any(self._tasks.active(lane) for lane in GOING_FIRST)

    def _changed(self, names: frozenset[str]) -> None:
        if names & {"model", "answer"}:  # nobody asked it of this run
            self._asked = None
        elif "playing" in names:
            self._watch()

    def _verify(self, then: Callable[[], None]) -> None:
        state = self._store.state
        model, steps = state.model, state.steps
        if model is None or not steps:
            return
        if state.checked is not None and state.checked.steps is steps:
            then()
            return

        def work(job: Job) -> Difference:
            return self._core.verify(model, steps, job.should_stop)

        def done(difference: Difference) -> None:
            if self._store.state.steps is steps:
                self._store.update(checked=Checked(steps=steps, difference=difference))
                then()

        self._compare(work, done, lambda: self._verify(then))

    def _show_together(self) -> None:
        state = self._store.state
        last = replace(state.selection, step=len(state.steps) - 1, query=None, key=None)
        self._store.update(together=True, selection=last)


def shown(state: State) -> tuple[Shared, ...]:
    """The results about the run that is looked at."""
    what_if = state.what_if
    return what_if.found if what_if is not None and what_if.trace is state.trace else ()

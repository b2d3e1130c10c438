"""Beam search from the window: runs as a task, and shows any hypothesis as the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from app.branches import Steps
from app.choices import DecodeChoice, Narrowing
from app.counting import signed
from app.cutting import in_tokens, was_cut
from app.lanes import GIVING_WAY
from app.store import SEARCHING, Answer, Store
from app.tasks import Failed, Job, Report, ShouldStop, Tasks

if TYPE_CHECKING:
    from core.decoding import BeamSearch


LIMIT = "new tokens"
"""How the core's reason ends where no more tokens were asked for."""


class Searches(Protocol):
    """What searching needs of the core."""

    def search(
        self,
        answer: Answer,
        choice: DecodeChoice,
        narrowing: Narrowing,
        report: Report,
        stop: ShouldStop,
    ) -> BeamSearch: ...


class Searching:
    """done: called when other steps are there. follows: whether they are to be looked at then."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Searches,
        done: Callable[[], None],
        failed: Failed,
        follows: Callable[[], bool],
    ) -> None:
        self._store, self._tasks, self._core = store, tasks, core
        self._done, self._failed, self._follows = done, failed, follows

    def start(self) -> None:
        """Search, then show the best hypothesis at its first step; whoever is told by `done` goes
        on to its end where that is wanted by then."""
        state = self._store.state
        answer = state.answer
        if answer is None:
            return

        def work(job: Job) -> tuple[BeamSearch, Steps]:
            job.report(SEARCHING)
            found = self._core.search(
                answer, state.decode, state.narrowing, job.report, job.should_stop
            )
            return found, found.steps(found.best[0].id) if found.best else ()

        def done(result: tuple[BeamSearch, Steps]) -> None:
            search, steps = result
            self._show(search, steps, 0 if self._follows() else None)

        self._tasks.submit("decode", work, done, self._failed, over=GIVING_WAY)

    def show(self, node: int) -> None:
        """Let every view show a hypothesis, at its last token."""
        search = self._store.state.search
        if search is None:
            return

        def work(job: Job) -> Steps:
            return search.steps(node)

        def done(steps: Steps) -> None:
            if self._store.state.search is search:
                self._show(search, steps, len(steps) - 1)

        self._tasks.submit("decode", work, done, self._failed, over=GIVING_WAY)

    def _show(self, search: BeamSearch, steps: Steps, at: int | None) -> None:
        """In place of the hypothesis before, unless branches leave it or it is none. at: the step
        to be looked at, None for the text."""
        state = self._store.state
        tree, before = state.tree.holding(state.steps, search), state.steps
        known = hypothesis_of(search, before)
        if before and (known is None or tree.left or tree.branches[tree.current].fork):
            tree = tree.forked(0)
        selection = replace(state.selection, step=at if steps else None, query=None, key=None)
        self._store.update(
            search=search, steps=steps, tree=tree, selection=selection, together=False
        )
        self._done()


def hypothesis_of(search: BeamSearch | None, steps: Steps) -> int | None:
    """The hypothesis that the steps are; None where there is no such, and where a token was taken
    by hand, whatever the search made of the same one: from there it goes on otherwise."""
    if search is None or not steps or any(step.forced for step in steps):
        return None
    return search.find([step.token for step in steps])


def ending_of(search: BeamSearch, node: int) -> str:
    """One sentence about a hypothesis that is shown."""
    best = search.best
    shown = search.nodes[node]
    cut = f", cut at {in_tokens(shown.index + 1)}" if was_cut(search, shown) else ""
    if best and node == best[0].id:
        text = f"{_the_best(search)}: score {signed(shown.score)}"
        limited = (search.finished or "").endswith(LIMIT)
        return f"{text}; raise “At most” to search on." if limited else f"{text}."
    if shown.fate == "ended" and best:
        score, best_score = signed(shown.score), signed(best[0].score)
        other = f"Another hypothesis{cut}" if cut else "Another ended hypothesis"
        return f"{other}: score {score}, best {best_score}."
    if shown.fate == "dropped":
        return f"Dropped here: {shown.why}."
    return f"Went on from here: {shown.why}."


def _the_best(search: BeamSearch) -> str:
    """“The best of 4 ended hypotheses”; those that were only cut have not ended."""
    count = len(search.best)
    cut = sum(was_cut(search, node) for node in search.best)
    at = f"cut at {in_tokens(search.index)}"
    if count == 1:
        return f"The only hypothesis, {at}" if cut else "The only ended hypothesis"
    if not cut:
        return f"The best of {count} ended hypotheses"
    return f"The best of {count}, {'all' if cut == count else f'{cut} of them'} {at}"

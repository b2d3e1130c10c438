"""How a decoder writes: one more step, a token taken by hand, another branch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from app.branches import Steps, Tree
from app.choices import DecodeChoice, Narrowing
from app.cutting import in_tokens
from app.lanes import GIVING_WAY
from app.searching import LIMIT, Searches, Searching, ending_of, hypothesis_of
from app.store import Answer, Store
from app.tasks import Failed, Job, ShouldStop, Tasks
from core.errors import RequestError

if TYPE_CHECKING:
    from core.request import Step


class Continues(Protocol):
    """What writing needs of the core."""

    def advance(
        self,
        answer: Answer,
        steps: tuple[Step, ...],
        choice: DecodeChoice,
        narrowing: Narrowing,
        stop: ShouldStop,
        *,
        forced: int | None = None,
    ) -> Step: ...


class _Core(Continues, Searches, Protocol): ...


class Writer:
    """Taking another token keeps what was there as a branch. made: told of every change. follows:
    whether a new token is to be looked at once it is there."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: _Core,
        made: Callable[[], None],
        failed: Failed,
        follows: Callable[[], bool],
    ) -> None:
        self._store, self._tasks, self._core = store, tasks, core
        self._made, self._failed, self._follows = made, failed, follows
        self.searching = Searching(store, tasks, core, made, failed, follows)

    def why_not(self) -> str:
        return ""

    def may_go_on(self) -> bool:
        """Whether another token may follow the last one."""
        state = self._store.state
        if not state.steps:
            return state.search is None
        if self._hypothesis is not None or len(state.steps) >= state.decode.max_new_tokens:
            return False
        finished = state.steps[-1].finished
        return finished is None or finished.endswith(LIMIT)

    @property
    def by_hand(self) -> bool:
        """Whether the steps have left their beam search, or began without one, and go on
        greedily."""
        state = self._store.state
        beam = state.decode.strategy == "beam"
        return bool(state.steps) and beam and self._hypothesis is None

    def new(self) -> None:
        """Another token; with beams a whole search."""
        state = self._store.state
        if state.decode.strategy == "beam" and not state.steps:
            self.searching.start()
        else:
            self._step(None, state.steps, state.tree)

    def take(self, token: int, at: int) -> None:
        """Step `at` takes this token; a branch that does so already is gone back to."""
        state = self._store.state
        tree = state.tree.holding(state.steps, state.search)
        known = tree.with_token(at, token)
        if known is not None:
            self._show(tree.at(known), at)
            return
        if at < len(state.steps):
            tree = tree.forked(at)
        self._step(token, state.steps[:at], tree)

    def take_at(self, position: int, token: int) -> None:
        """Take a token after `position` of the decoder's sequence."""
        from core.run import last_position

        state = self._store.state
        assert state.answer is not None
        at = position - last_position(state.answer.trace.tokens["decoder"])
        if at < 0:
            self._failed(RequestError("this token belongs to the text; edit the text to change it"))
        else:
            self.take(token, at)

    def revisit(self, branch: int, step: int | None) -> None:
        """Another branch, at its last step or at `step`."""
        state = self._store.state
        tree = state.tree.holding(state.steps, state.search).at(branch)
        last = len(tree.branches[tree.current].steps) - 1
        self._show(tree, last if step is None else min(step, last))

    def ending(self) -> str:
        """One sentence why there are no more tokens, or what these are."""
        steps, search = self._store.state.steps, self._store.state.search
        finished, hypothesis = steps[-1].finished if steps else None, self._hypothesis
        if search is not None and hypothesis is not None:
            return ending_of(search, hypothesis)
        if search is not None and not steps:
            return f"Ended: {search.finished}."
        if self.may_go_on():
            by_hand = "From the token taken by hand it goes on greedily."
            return by_hand if self.by_hand and finished is None else ""
        if not steps:
            return ""
        if finished is None:  # fewer are wanted than there are
            return f"There are {in_tokens(len(steps))} already; raise “At most” to go on."
        if finished == "end token":
            return "Ended: the model wrote its end token."
        if finished.endswith(LIMIT):
            made = in_tokens(int(finished.removesuffix(LIMIT)))
            return f"Ended at {made}; raise “At most” to go on."
        return f"Ended: {finished}."

    @property
    def _hypothesis(self) -> int | None:
        """The hypothesis of the beam search that the steps are; None once one was taken by hand."""
        state = self._store.state
        return hypothesis_of(state.search, state.steps)

    def _step(self, forced: int | None, before: Steps, tree: Tree) -> None:
        """One more token after `before`, on the current branch of `tree`. Until it is there all
        stays as it is, so that nothing is lost where it fails or is cancelled."""
        state = self._store.state
        answer = state.answer
        assert answer is not None

        def work(job: Job) -> Step:
            return self._core.advance(
                answer, before, state.decode, state.narrowing, job.should_stop, forced=forced
            )

        def done(step: Step) -> None:
            selection = self._store.state.selection
            if forced is not None or self._follows():
                selection = replace(selection, step=step.index, query=None, key=None)
            self._store.update(
                tree=tree, steps=(*before, step), selection=selection, together=False
            )
            self._made()

        self._tasks.submit("decode", work, done, self._failed, over=GIVING_WAY)

    def _show(self, tree: Tree, step: int) -> None:
        """The tree's current branch, and what it was decoded by, so that it goes on likewise."""
        state, branch = self._store.state, tree.branches[tree.current]
        shown = step if branch.steps else None
        self._store.update(
            tree=tree,
            steps=branch.steps,
            search=branch.search,
            decode=_as_before(state.decode, branch.choice),
            selection=replace(state.selection, step=shown, query=None, key=None),
            together=False,
        )
        self._made()


def _as_before(now: DecodeChoice, then: DecodeChoice | None) -> DecodeChoice:
    """The present choices, save for what tells how a branch was decoded."""
    if then is None:
        return now
    return replace(
        now,
        strategy=then.strategy,
        seed=then.seed,
        beams=then.beams,
        length_penalty=then.length_penalty,
    )

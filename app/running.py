"""Runs of what stands in the editors, and the runs of other texts that are kept beside them.

Typing never cancels: the running forward finishes and is shown, then the latest text is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from app.choices import Inputs
from app.engine import Question
from app.examples import masks_of, without_own
from app.following import followed
from app.lanes import GIVING_WAY
from app.looking import fitted
from app.stepping import NOTHING_DECODED
from app.store import Answer, Problem, Refusal, State, Store
from app.tasks import Job, ShouldStop, Tasks
from app.telling import sentence, told

if TYPE_CHECKING:
    from core.loaded import LoadedModel
    from core.masks import MaskChoice

MOST_KEPT = 4  # texts to compare with; each run holds all that was recorded of it
DROPPED = "What was decoded was dropped: it was read under the mask before."


class Runs(Protocol):
    """What running needs of the core; `app.engine.Engine` is the real one."""

    def run(self, question: Question, previous: Answer | None, stop: ShouldStop) -> Answer: ...


class Running:
    """Writes the store's answer, why there is none, and the runs that are kept.

    halt: stop what plays or goes on decoding, and what was wished for. renew: what is decoded
    belongs to the run before; what was wished for is of the one that has come.
    """

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Runs,
        *,
        halt: Callable[[], None],
        renew: Callable[[], None],
    ) -> None:
        self._store, self._tasks, self._core = store, tasks, core
        self._halt, self._renew = halt, renew
        self._to_keep: Question | None = None  # once it is answered
        self._other: Question | None = None  # the example's other text, not come yet

    def run(self) -> None:
        """Ask for a run of what the store holds now; a run that still waits gives way."""
        state = self._store.state
        if state.model is None or self._tasks.active("load"):
            return
        question = self._question(state.model)

        def work(job: Job) -> Answer:
            # Read here and not outside: the run before this one may be of use by now.
            return self._core.run(question, self._store.state.answer, job.should_stop)

        # What gives way is of a run that nobody wants to see any more.
        self._tasks.submit("run", work, self._answered, self._failed, over=GIVING_WAY)

    def run_against(self, inputs: Inputs, mask: str = "") -> None:
        """Run another text first, unless its run is kept, under the present masks or those named,
        and keep it, so that this one is compared with it; it gives way to the next one that comes
        so. It waits in a lane of its own, for typing takes the place of this text's run only."""
        model = self._store.state.model
        if model is not None:
            own = self._question(model)
            masks = without_own({**own.masks, **masks_of(mask, model.spec.sites)})
            other = replace(own, inputs=inputs, masks=masks)
            kept = next((a for a in self._store.state.kept if _answers(a, other)), None)
            if kept is None:
                self._run_other(other)
            else:
                self.drop_other()
                self._bring(kept)
        self.run_what_is_new()

    def run_what_is_new(self) -> None:
        """What is asked, unless that is what is shown: then what was decoded of it stays, and a run
        of anything else is no longer wanted."""
        if self._store.state.answered and not self._tasks.active("load"):
            self._tasks.drop("run")
            if self._to_keep is not None:
                self._passed(self._to_keep)
        else:
            self.run()

    def keep_no_more(self) -> None:
        """Another model is there: what was to be kept once it is read is not read any more."""
        self._to_keep = None

    def drop_other(self) -> None:
        """The other text is wanted no more, nor what is said of it."""
        self._other = None
        self._tasks.drop("against")
        self._store.settle("against")

    def run_unless_answered(self) -> None:
        """Where runs were dropped; what was refused before would be refused again."""
        if self._other is not None:
            self._run_other(self._other)
        state = self._store.state
        refused = state.refused
        again = refused is not None and (refused.inputs, refused.masks) == (
            state.inputs,
            state.masks,
        )
        if not state.answered and not again:
            self.run()

    def cancelled(self) -> None:
        """The person did not want to wait for a run."""
        self._to_keep = None
        state = self._store.state
        if not state.answered:
            older = "; what is shown is older" if state.answer is not None else ""
            self._refuse(f"The run was cancelled{older}.")

    def other_cancelled(self) -> None:
        """The person did not want to wait for the other text; it is not run again."""
        self._without_other("The run of the other text was cancelled.")

    def keep(self) -> None:
        """Keep this text's run, so that others can be compared with it; the latest few stay. One
        that is still being read is kept once it is."""
        state = self._store.state
        answer = state.answer
        asked = state.answered or self._tasks.active("run")
        if state.old or (answer is not None and not asked):
            self._not_kept("What is asked was not run, so there is nothing to keep.")
        elif state.model is not None and not state.answered and asked:
            self._to_keep = self._question(state.model)
        elif answer is not None and answer not in state.kept:
            self._hold(answer)

    def _keep_at_last(self, answer: Answer) -> None:
        """What was to be kept before it was read; another text may have taken its place."""
        wanted = self._to_keep
        if wanted is None or wanted.model is not answer.model:
            self._to_keep = None
        elif _answers(answer, wanted):
            self._to_keep = None
            self._hold(answer)
        elif not self._tasks.active("run"):
            self._passed(wanted)

    def _passed(self, wanted: Question) -> None:
        self._to_keep = None
        self._not_kept(f"“{wanted.inputs.text}” was not kept: another text came before it.")

    def _not_kept(self, text: str) -> None:
        self._store.update(problem=Problem(text=text, where="kept"))

    def _question(self, model: LoadedModel) -> Question:
        state = self._store.state
        return Question(model=model, inputs=state.inputs, masks=state.masks)

    def forget_kept(self) -> None:
        self._store.update(kept=())

    def _run_other(self, question: Question) -> None:
        """Also where it is asked again: whatever masks were chosen since, it keeps its own."""

        def work(job: Job) -> Answer:
            return self._core.run(question, None, job.should_stop)

        def done(answer: Answer) -> None:
            self._other = None
            self._bring(replace(answer, brought=True))

        def failed(error: Exception) -> None:
            # This text's run, what was decoded of it and what plays are not at fault.
            why = told(error, question.model)
            self._without_other(f"The other text was not run. {why}")

        self.drop_other()
        self._other = question
        self._tasks.submit("against", work, done, failed, over=GIVING_WAY)

    def _without_other(self, text: str) -> None:
        self._other = None
        self._store.update(problem=Problem(text=text, where="against"))

    def _hold(self, answer: Answer) -> None:
        """The person's own now. One run of a text is enough."""
        others = [other for other in self._store.state.kept if not _alike(other, answer)]
        self._store.update(kept=(*others, answer)[-MOST_KEPT:])
        self._store.settle("kept")

    def _bring(self, answer: Answer) -> None:
        """The last one kept, in place of the one that an example brought before. Where the person
        has kept that run it stays theirs."""
        kept = self._store.state.kept
        own = next((a for a in kept if not a.brought and _alike(a, answer)), answer)
        others = [a for a in kept if a is not own and not a.brought]
        self._store.update(kept=(*others, own)[-MOST_KEPT:])

    def _answered(self, answer: Answer) -> None:
        state = self._store.state
        self._renew()
        selection = replace(state.selection, step=None)
        if state.answer is not None and state.answer.model is answer.model:
            selection = followed(selection, state.answer.trace, answer.trace)
        problem = _not_of_the_run(state)
        if answer.trouble:
            problem = Problem(text=sentence(answer.trouble), where="result")
        self._store.update(
            **(NOTHING_DECODED | {"ending": _dropped(state, answer)}),
            answer=answer,
            refused=None,
            selection=fitted(selection, answer.model.spec, answer.trace),
            problem=problem,
        )
        self._keep_at_last(answer)

    def _failed(self, error: Exception) -> None:
        self._halt()
        self._tasks.drop("decode")
        self._refuse(told(error, self._store.state.model))

    def _refuse(self, text: str) -> None:
        """What is asked has no run."""
        self._to_keep = None
        state = self._store.state
        refused = Refusal(text=text, inputs=state.inputs, masks=state.masks)
        self._store.update(refused=refused, problem=_not_of_the_run(state))


def _alike(one: Answer, other: Answer) -> bool:
    """Whether the same was read under the same masks."""
    return (one.inputs, one.request.masks) == (other.inputs, other.request.masks)


def _answers(answer: Answer, question: Question) -> bool:
    """Whether it is the run of the very model, text and masks."""
    asked = question.inputs, _in_order(question.masks)
    return answer.model is question.model and asked == (answer.inputs, answer.request.masks)


def _in_order(masks: Mapping[str, MaskChoice]) -> tuple[tuple[str, MaskChoice], ...]:
    return tuple(sorted(masks.items()))


def _not_of_the_run(state: State) -> Problem | None:
    """What went wrong, unless it was with this text's run, or with the other text of an example
    that is left: that before is of no more interest."""
    problem = state.problem
    if problem is None or (problem.where == "against" and state.example is None):
        return None
    return problem if problem.where in ("model", "against", "export", "kept") else None


def _dropped(state: State, answer: Answer) -> str:
    """Why tokens are gone that nobody threw away; it is said until something is decoded."""
    before = state.answer
    if before is None or before.model is not answer.model or before.inputs != answer.inputs:
        return ""  # another text: nobody looks for its tokens under this one
    decoded = bool(state.moves) or len(state.tree.branches) > 1
    other_mask = decoded and before.request.masks != answer.request.masks
    return DROPPED if other_mask or state.ending == DROPPED else ""

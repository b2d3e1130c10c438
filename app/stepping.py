"""Decoding by hand: on, back, play, take another token; the controller beside `Session`.

Step i shows the row that predicted token i, so taking another token there replaces step i and what
follows; what was there stays as a branch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer

from app.branches import Tree
from app.choices import DecodeChoice, Narrowing
from app.searching import Searches, Searching, ending_of
from app.store import Answer, Store
from app.tasks import Job, Tasks
from core.errors import RequestError

if TYPE_CHECKING:
    from core.request import Step

ShouldStop = Callable[[], bool]
Failed = Callable[[Exception], None]


NOTHING_DECODED: dict[str, Any] = {"steps": (), "tree": Tree(), "search": None, "ending": ""}
"""The fields of the store when nothing has been decoded."""


class Continues(Searches, Protocol):
    """What stepping needs of the core; `app.engine.Engine` is the real one."""

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


class Stepping(QObject):
    """Writes the fields of the store that hold what was decoded."""

    def __init__(
        self, store: Store, tasks: Tasks, core: Continues, failed: Failed, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._core, self._failed = store, tasks, core, failed
        self._to_the_end = False
        self.searching = Searching(store, tasks, core, self._say_ending, self._decode_failed)
        self._play = QTimer(self)
        self._play.timeout.connect(self._tick)

    def why_not(self) -> str:
        """One sentence why this model writes nothing; empty where it does."""
        model = self._store.state.model
        if model is None:
            return "No model is loaded yet."
        if model.spec.decoder is None:
            return (
                "An encoder reads the whole text at once and writes none: there is nothing to "
                "decode. Choose Decoder-only or Encoder–decoder."
            )
        if model.spec.heads.vocab is None:
            return model.missing.get("vocab", f"{model.name} has no output over the vocabulary.")
        return ""

    # --- moving -----------------------------------------------------------------------------

    def on(self) -> None:
        """The next step: one that is there already, or a new token."""
        state = self._store.state
        shown = state.selection.step
        following = 0 if shown is None else shown + 1
        if following < len(state.steps):
            self.show(following)
        elif not self.why_not() and not self._tasks.active("decode"):
            self._new_step()

    def back(self) -> None:
        step = self._store.state.selection.step
        self.halt()
        if step is not None:
            self.show(step - 1 if step > 0 else None)

    def first(self) -> None:
        """Back to the prompt; the steps stay."""
        self.halt()
        self.show(None)

    def last(self) -> None:
        """To the end: step after step until decoding ends."""
        steps = self._store.state.steps
        if self.why_not():
            return
        self._to_the_end = True
        if steps and not self._may_go_on(steps[-1]):
            self._to_the_end = False
            self.show(len(steps) - 1)
        elif not self._tasks.active("decode"):
            self._new_step()

    def show(self, step: int | None) -> None:
        """Let every view show a step; None shows the prompt."""
        self._store.select(step=step, query=None, key=None)

    def play(self) -> None:
        """Play or pause."""
        state = self._store.state
        if state.playing:
            self.halt()
        elif not self.why_not() and state.answer is not None:
            self._store.update(playing=True)
            self._play.start(1000 // state.decode.speed)
            self._tick()

    def halt(self) -> None:
        """Stop playing; what is there stays."""
        self._to_the_end = False
        self._play.stop()
        self._store.update(playing=False)

    # --- choosing ---------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Strategy, seed, length, speed. A new strategy or seed starts the continuation anew."""
        state = self._store.state
        choice = replace(state.decode, **changes)
        if choice == state.decode:
            return
        anew = _course(choice) != _course(state.decode)
        self._store.update(decode=choice)
        if anew and state.steps:
            self.forget()
        self._play.setInterval(1000 // choice.speed)
        self._say_ending()

    def take(self, token: int, at: int | None = None) -> None:
        """Let decoding take this token at step `at` (by default the one that is looked at),
        whatever the model would choose. The old continuation stays as a branch."""
        state = self._store.state
        if self.why_not() or state.answer is None:
            return
        self.halt()
        self._tasks.drop("decode")
        if at is None:
            at = 0 if state.selection.step is None else state.selection.step
        at = min(at, len(state.steps))
        tree = state.tree.holding(state.steps)
        known = tree.with_token(at, token)
        if known is not None:
            self._show_branch(replace(tree, current=known), at)
            return
        if at < len(state.steps):
            tree = tree.forked(at)
        self._store.update(tree=tree, steps=state.steps[:at])
        self._new_step(forced=token)

    def take_at(self, position: int, token: int) -> None:
        """Take a token after `position` of the decoder's sequence."""
        from core.run import last_position

        state = self._store.state
        if self.why_not() or state.answer is None:
            return
        at = position - last_position(state.answer.trace.tokens["decoder"])
        if at < 0:
            self._failed(RequestError("this token belongs to the text; edit the text to change it"))
        else:
            self.take(token, at)

    def revisit(self, branch: int, step: int | None = None) -> None:
        """Go on with another branch, at its last step or at `step`."""
        state = self._store.state
        self.halt()
        self._tasks.drop("decode")
        tree = replace(state.tree.holding(state.steps), current=branch)
        last = len(tree.branches[branch].steps) - 1
        self._show_branch(tree, last if step is None else min(step, last))

    def _show_branch(self, tree: Tree, step: int) -> None:
        selection = replace(self._store.state.selection, step=step, query=None, key=None)
        steps = tree.branches[tree.current].steps
        self._store.update(tree=tree, steps=steps, selection=selection)
        self._say_ending()

    def restart(self) -> None:
        """Throw the generated tokens away."""
        self.halt()
        self.forget()

    def forget(self) -> None:
        """Nothing has been decoded."""
        self._tasks.drop("decode")
        selection = replace(self._store.state.selection, step=None)
        self._store.update(**NOTHING_DECODED, selection=selection)

    # --- one step ---------------------------------------------------------------------------

    def _tick(self) -> None:
        state = self._store.state
        at_end = bool(state.steps) and state.selection.step == len(state.steps) - 1
        if at_end and not self._may_go_on(state.steps[-1]):
            self.halt()
        elif not self._tasks.active("decode"):
            self.on()

    @property
    def _hypothesis(self) -> int | None:
        """The hypothesis of the beam search that the steps are; None once one was taken by hand."""
        state = self._store.state
        if state.search is None or not state.steps:
            return None
        return state.search.find([step.token for step in state.steps])

    def _may_go_on(self, last: Step) -> bool:
        if self._hypothesis is not None:
            return False
        if last.finished is None:
            return True
        asked = self._store.state.decode.max_new_tokens
        return last.finished.endswith("new tokens") and len(self._store.state.steps) < asked

    def _new_step(self, forced: int | None = None) -> None:
        state = self._store.state
        answer, steps = state.answer, state.steps
        ended = forced is None and bool(steps) and not self._may_go_on(steps[-1])
        if answer is None or ended:
            self.halt()
            return
        if state.decode.strategy == "beam" and not steps and forced is None:
            self.searching.start(at_end=self._to_the_end)
            self._to_the_end = False
            return

        def work(job: Job) -> Step:
            return self._core.advance(
                answer, steps, state.decode, state.narrowing, job.should_stop, forced=forced
            )

        self._tasks.submit("decode", work, self._stepped, self._decode_failed)

    def _stepped(self, step: Step) -> None:
        steps = (*self._store.state.steps[: step.index], step)
        selection = replace(self._store.state.selection, step=step.index, query=None, key=None)
        self._store.update(steps=steps, selection=selection)
        self._say_ending()
        if self._to_the_end:
            if self._may_go_on(step):
                self._new_step()
            else:
                self._to_the_end = False

    def _say_ending(self) -> None:
        steps = self._store.state.steps
        finished = steps[-1].finished if steps else None
        search, hypothesis = self._store.state.search, self._hypothesis
        if search is not None and hypothesis is not None:
            self._store.update(ending=ending_of(search, hypothesis))
        elif search is not None and not steps:
            self._store.update(ending=f"Ended: {search.finished}.")
        elif search is not None and finished is None:
            self._store.update(ending="From the token taken by hand it goes on greedily.")
        elif finished is None or self._may_go_on(steps[-1]):
            self._store.update(ending="")
        elif finished == "end token":
            self._store.update(ending="Ended: the model wrote its end token.")
        else:
            self._store.update(ending=f"Ended: {finished}.")

    def _decode_failed(self, error: Exception) -> None:
        self.halt()
        self._failed(error)


def _course(choice: DecodeChoice) -> tuple[object, ...]:
    """What the tokens depend on; a search also on its length, which other strategies grow by."""
    beam = choice.strategy == "beam"
    search = (choice.beams, choice.length_penalty, choice.max_new_tokens) if beam else ()
    return (choice.strategy, choice.seed, *search)

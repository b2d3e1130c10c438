"""The controller: what a person intends becomes requests, tasks and finally fields of the store.

Typing never cancels: the running forward finishes and is shown, then the latest text is taken.
Loading does cancel. Looking at another layer, head, site or query is `Store.select` and runs
nothing.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from PySide6.QtCore import QObject

from app.by_architecture import ByArchitecture
from app.checking import Checker, Compares
from app.choices import HeadOrder, Inputs
from app.decoding_file import save
from app.engine import Question, ShouldStop
from app.following import followed
from app.labels import labeller
from app.leafing import Leafing
from app.looking import fitted
from app.opening import Loads, Opening
from app.recent import Recent
from app.starting import START
from app.stepping import NOTHING_DECODED, Decodes, Stepping
from app.store import Answer, Busy, Problem, Refusal, State, Store
from app.tasks import Job, Tasks
from app.telling import sentence
from app.whole_file import SaveError
from core.errors import CoreError

if TYPE_CHECKING:
    from core.loaded import LoadedModel
    from core.masks import MaskChoice

MOST_KEPT = 4  # texts to compare with; each run holds all that was recorded of it
LANES = ("load", "run", "decode", "prepare", "read", "check", "save")
DROPPED = "What was decoded was dropped: it was read under the mask before."
BUSY_TEXTS = {
    START: "Loading",
    "load": "Loading",
    "run": "Running",
    "decode": "Decoding",
    "prepare": "Preparing the picture",
    "read": "Reading out",
    "check": "Comparing",
    "save": "Saving",
}


class Core(Loads, Decodes, Compares, Protocol):
    """What the session needs; `app.engine.Engine` is the real one."""

    def run(self, question: Question, previous: Answer | None, stop: ShouldStop) -> Answer: ...


class Session(QObject):
    """Turns intentions into work; `opening`, `stepping` and `leafing` do so for models, decoding
    and views."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Core,
        *,
        known: ByArchitecture | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.store = store
        self._tasks = tasks
        self._core = core
        self._against: Inputs | None = None  # of the kept run that an example brought
        self._prepared_for: dict[str, tuple[int, str]] = {}  # by lane: a run and a view
        self.opening = Opening(
            store,
            tasks,
            core,
            run=self.run,
            run_against=self.run_against,
            failed=partial(self._fail, where="model"),
            known=known or ByArchitecture(),
        )
        failed = partial(self._fail, where="decoding")
        Recent(store, self)
        self.leafing = Leafing(store, self)
        self.stepping = Stepping(store, tasks, core, failed, self)
        self.checker = Checker(store, tasks, core, failed)
        tasks.idle_changed.connect(self._show_busy)
        tasks.progressed.connect(self._show_progress)

    # --- what is read -----------------------------------------------------------------------

    def write(self, **changes: Any) -> None:
        """Change text, pair, target, padding or special tokens; runs at once."""
        inputs = replace(self.store.state.inputs, **changes)
        if inputs != self.store.state.inputs:
            self.store.update(inputs=inputs, note="", example=None)
            self.run()

    def mask(self, site: str, choice: MaskChoice) -> None:
        """Let an attention site obey another mask. The model's own is none: it is not written down,
        so that a run under it is the same run whether or not another was chosen before."""
        others = {other: c for other, c in self.store.state.masks.items() if other != site}
        own = choice == type(choice)()
        self.store.update(masks=others if own else {**others, site: choice})
        self.run()

    def run(self) -> None:
        """Ask for a run of what the store holds now; a run that still waits gives way."""
        state = self.store.state
        if state.model is None or self._tasks.active("load"):
            return
        question = Question(model=state.model, inputs=state.inputs, masks=state.masks)

        def work(job: Job) -> Answer:
            # Read here and not outside: the run before this one may be of use by now.
            return self._core.run(question, self.store.state.answer, job.should_stop)

        self._tasks.drop("prepare")  # of a run that nobody wants to see any more
        self._tasks.submit("run", work, self._answered, self._run_failed)

    def run_against(self, inputs: Inputs) -> None:
        """Run another text first and keep it, so that this one is compared with it; it gives way
        to the next one that comes so."""
        state = self.store.state
        if state.model is None:
            return
        question = Question(model=state.model, inputs=inputs, masks=state.masks)

        def work(job: Job) -> Answer:
            return self._core.run(question, None, job.should_stop)

        def done(answer: Answer) -> None:
            self._hold(answer, instead_of=self._against)
            self._against = inputs
            self.run()

        self._tasks.drop("prepare")
        self._tasks.submit("run", work, done, self._run_failed)

    def _answered(self, answer: Answer) -> None:
        state = self.store.state
        self.stepping.halt()
        self._tasks.drop("decode")
        problem = state.problem
        if problem is not None and problem.where != "model":
            problem = None
        selection = replace(state.selection, step=None)
        if state.answer is not None and state.answer.model is answer.model:
            selection = followed(selection, state.answer.trace, answer.trace)
        if answer.trouble:
            problem = Problem(text=sentence(answer.trouble), where="result")
        self.store.update(
            **(NOTHING_DECODED | {"ending": _dropped(state, answer)}),
            answer=answer,
            refused=None,
            selection=fitted(selection, answer.model.spec, answer.trace),
            problem=problem,
        )

    def _run_failed(self, error: Exception) -> None:
        # What plays or is being decoded belongs to the text before.
        self.stepping.halt()
        self._tasks.drop("decode")
        self._refuse(_told(error, self.store.state.model))

    def _refuse(self, text: str) -> None:
        """What is asked has no run; what went wrong with the one before is of no more interest."""
        state = self.store.state
        problem = state.problem
        if problem is not None and problem.where != "model":
            problem = None
        refused = Refusal(text=text, inputs=state.inputs, masks=state.masks)
        self.store.update(refused=refused, problem=problem)

    # --- pictures ---------------------------------------------------------------------------

    def narrow(self, **changes: Any) -> None:
        """Temperature, top-k, top-p …: filters the stored logits again, and runs nothing."""
        self.store.update(narrowing=replace(self.store.state.narrowing, **changes))

    def ask(self, word: str) -> None:
        """Every list over the vocabulary tells of this word, too; empty: of none."""
        self.store.update(asked=word.strip())

    def keep(self) -> None:
        """Keep this text's run, so that others can be compared with it; the latest few stay."""
        answer = self.store.state.answer
        if answer is not None and answer not in self.store.state.kept:
            self._hold(answer)

    def _hold(self, answer: Answer, instead_of: Inputs | None = None) -> None:
        """One run of a text is enough."""
        asked = answer.inputs, answer.request.masks
        kept = [
            other
            for other in self.store.state.kept
            if (other.inputs, other.request.masks) != asked and other.inputs != instead_of
        ]
        self.store.update(kept=(*kept, answer)[-MOST_KEPT:])

    def forget_kept(self) -> None:
        self.store.update(kept=())

    def look_at(self, view: str) -> None:
        """Which view is in front."""
        self.store.update(view=view)

    def display(self, **changes: Any) -> None:
        self.store.update(display=replace(self.store.state.display, **changes))

    def sort_heads(self, by: HeadOrder) -> None:
        """Largest first; the same order again turns it around."""
        display = self.store.state.display
        turned = display.heads_by == by and not display.heads_reversed
        self.display(heads_by=by, heads_reversed=turned)

    def prepare(self, work: Any, done: Any, lane: Literal["prepare", "read"] = "prepare") -> None:
        """Compute what a dear picture or the read-out needs off the window's thread; only the
        latest of each matters.

        What is on its way for another run or view is stopped. For the same ones it ends, as most
        of it serves wherever one looks: or it would begin again with every layer leafed through.
        """

        def failed(error: Exception) -> None:
            self._fail(error, "model")

        # While a run is being prepared it lives, so that its number is no other one's.
        wanted = id(self.store.state.trace), self.store.state.view
        if self._prepared_for.get(lane) != wanted:
            self._tasks.drop(lane)
        self._prepared_for[lane] = wanted
        self._tasks.submit(lane, work, done, failed)

    def save_decoding(self, path: Path, done: Callable[[], None]) -> None:
        """Write what was decoded to .jsonl or .csv, off the window's thread."""
        state = self.store.state
        model, moves = state.model, state.moves
        if model is None or model.tokenizer is None:
            return
        target = model.tokenizer.target

        def work(job: Job) -> None:
            from core.decoding.record import Names

            save(moves, path, Names(piece=target.piece, label=labeller(target)))

        def failed(error: Exception) -> None:
            self._fail(error, "decoding")

        self._tasks.submit("save", work, lambda _: done(), failed)

    # --- what is going on -------------------------------------------------------------------

    def cancel(self) -> None:
        """Stop what runs; what is shown stays."""
        loading = self._tasks.active("load")
        self.stepping.halt()
        self._tasks.drop(*LANES)
        if loading:
            self.opening.cancelled()
        elif self.store.state.answer is not None and not self.store.state.answered:
            self._refuse("The run was cancelled; what is shown is older.")

    def dismiss(self) -> None:
        """The person has read what stands above the picture."""
        self.store.update(problem=None, note="", example=None)

    def complain(self, text: str, where: Literal["input", "model", "decoding"]) -> None:
        """Say in one sentence why something did not happen."""
        self.store.update(problem=Problem(text=text, where=where))

    def _fail(self, error: Exception, where: Literal["model", "decoding"]) -> None:
        text = _told(error, self.store.state.model)
        self.store.update(problem=Problem(text=text, where=where))

    def _show_busy(self) -> None:
        lane = next((lane for lane in BUSY_TEXTS if self._tasks.active(lane)), None)
        busy = self.store.state.busy
        if lane is None:
            self.store.update(busy=None)
        elif busy is None or busy.lane != lane:
            self.store.update(busy=Busy(text=BUSY_TEXTS[lane], lane=lane))

    def _show_progress(self, lane: str, text: str, fraction: float | None) -> None:
        self.store.update(busy=Busy(text=text, fraction=fraction, lane=lane))


def _dropped(state: State, answer: Answer) -> str:
    """Why tokens are gone that nobody threw away; it is said until something is decoded."""
    before = state.answer
    if before is None or before.model is not answer.model or before.inputs != answer.inputs:
        return ""  # another text: nobody looks for its tokens under this one
    decoded = bool(state.moves) or len(state.tree.branches) > 1
    other_mask = decoded and before.request.masks != answer.request.masks
    return DROPPED if other_mask or state.ending == DROPPED else ""


def _told(error: Exception, model: LoadedModel | None) -> str:
    """What went wrong, in one sentence."""
    if isinstance(error, (CoreError, SaveError)):
        text = str(error)
        name = model.name if model is not None else ""
        if name[:1].islower() and text.startswith(name):  # a name stays as it is written
            text = f"“{name}”{text.removeprefix(name)}"
    else:
        text = f"Something went wrong that Trifocal did not foresee: {error!r}"
        traceback.print_exception(error, file=sys.stderr)
    return sentence(text)

"""The controller: what a person intends becomes requests, tasks and finally fields of the store.

Typing never cancels what runs, loading does. Looking at another layer, head, site or query is
`Store.select` and runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from PySide6.QtCore import QObject

from app.by_architecture import ByArchitecture
from app.checking import Checker, Compares
from app.choices import HeadOrder
from app.decoding_file import save
from app.examples import Leaving
from app.labels import labeller
from app.lanes import LANES, LASTING
from app.leafing import Leafing
from app.opening import Loads, Opening
from app.recent import Recent
from app.running import Running, Runs
from app.starting import START
from app.stepping import Decodes, Stepping
from app.store import Busy, Problem, State, Store, Where
from app.tasks import Job, Tasks
from app.telling import told

if TYPE_CHECKING:
    from core.masks import MaskChoice

BUSY_TEXTS = {
    START: "Loading",
    "load": "Loading",
    "run": "Running",
    "against": "Running",
    "decode": "Decoding",
    "prepare": "Preparing the picture",
    "read": "Reading out",
    "check": "Comparing",
    "save": "Saving",
}


class Core(Loads, Runs, Decodes, Compares, Protocol):
    """What the session needs; `app.engine.Engine` is the real one."""


class Session(QObject):
    """Turns intentions into work; `opening`, `running`, `stepping`, `checker` and `leafing` do so
    for models, runs, decoding, comparisons and views."""

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
        self._leaving = Leaving()
        self._prepared_for: dict[str, tuple[int, str]] = {}  # by lane: a run and a view
        failed = partial(self._fail, where="decoding")
        Recent(store, self)
        self.leafing = Leafing(store, self)
        self.stepping = Stepping(store, tasks, core, failed, self)
        self.checker = Checker(store, tasks, core, failed)
        self.running = Running(
            store, tasks, core, halt=self.stepping.halt, renew=self.stepping.renew
        )
        self.opening = Opening(
            store,
            tasks,
            core,
            self.running,
            halt=self.stepping.halt,
            decode=self.stepping.choose,
            failed=partial(self._fail, where="model"),
            known=known or ByArchitecture(),
        )
        tasks.idle_changed.connect(self._show_busy)
        tasks.progressed.connect(self._show_progress)

    # --- what is read -----------------------------------------------------------------------

    def write(self, **changes: Any) -> None:
        """Change text, pair, target, padding or special tokens; runs at once. An example stays with
        its note, which may ask for the very change, while enough of it is left in the text; after
        that what it had put beside the text goes too, until its very text is written again."""
        state = self.store.state
        inputs = replace(state.inputs, **changes)
        if inputs != state.inputs:
            source = state.model.source if state.model is not None else ""
            example, inputs = self._leaving.follow(state.example, source, inputs, changes)
            note = example.note if example is not None else ""
            self.store.update(inputs=inputs, note=note, example=example)
            self.running.run()

    def mask(self, site: str, choice: MaskChoice) -> None:
        """Let an attention site obey another mask. The model's own is none: it is not written down,
        so that a run under it is the same run whether or not another was chosen before."""
        others = {other: c for other, c in self.store.state.masks.items() if other != site}
        own = choice == type(choice)()
        self.store.update(masks=others if own else {**others, site: choice})
        self.running.run()

    # --- pictures ---------------------------------------------------------------------------

    def narrow(self, **changes: Any) -> None:
        """Temperature, top-k, top-p …: filters the stored logits again, and runs nothing."""
        self.store.update(narrowing=replace(self.store.state.narrowing, **changes))

    def ask(self, word: str) -> None:
        """Every list over the vocabulary tells of this word, too; empty: of none."""
        self.store.update(asked=word.strip())

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

        def came(found: Any) -> None:
            self.store.settle(lane)
            done(found)

        def failed(error: Exception) -> None:
            self._fail(error, lane)

        self._stop_preparing_others(lane)
        self._prepared_for[lane] = self._in_front
        self._tasks.submit(lane, work, came, failed)

    def let_go(self) -> None:
        """Nothing need be prepared for the picture in front: what is for another one is stopped."""
        self._stop_preparing_others("prepare")

    @property
    def _in_front(self) -> tuple[int, str]:
        """A run and a view. While a run is being prepared it lives, so that its number is no other
        one's."""
        return id(self.store.state.trace), self.store.state.view

    def _stop_preparing_others(self, lane: str) -> None:
        if self._prepared_for.get(lane) != self._in_front and self._tasks.active(lane):
            self._tasks.drop(lane)

    def save_decoding(self, path: Path, state: State, done: Callable[[], None]) -> None:
        """Write what was decoded in a state to .jsonl or .csv, off the window's thread."""
        model, moves = state.model, state.moves
        if model is None or model.tokenizer is None:
            return
        target = model.tokenizer.target

        def work(job: Job) -> None:
            from core.decoding.record import Names

            save(moves, path, Names(piece=target.piece, label=labeller(target)))

        def written(_: None) -> None:
            self.store.settle("export")
            done()

        def failed(error: Exception) -> None:
            self._fail(error, "export")

        self._tasks.submit("save", work, written, failed)

    # --- what is going on -------------------------------------------------------------------

    def cancel(self) -> None:
        """Stop what runs, but for a file that is to be written; what is shown stays, save where its
        picture was being prepared."""
        loading, running = self._tasks.active("load"), self._tasks.active("run")
        against = self._tasks.active("against")
        self.stepping.halt()
        self.checker.cancelled()
        self._tasks.drop(*(lane for lane in LANES if lane not in LASTING))
        if loading:
            self.opening.cancelled()
            return
        if running:
            self.running.cancelled()
        if against:
            self.running.other_cancelled()

    def dismiss(self) -> None:
        """The person has read what stands above the picture; behind what went wrong an example's
        note may wait to be read. What is wrong with the input does not stand there."""
        problem = self.store.state.problem
        if problem is not None and problem.where != "input":
            self.store.update(problem=None)
        else:
            self.store.update(note="", example=None)

    def complain(self, text: str, where: Where) -> None:
        """Say in one sentence why something did not happen."""
        self.store.update(problem=Problem(text=text, where=where))

    def _fail(self, error: Exception, where: Where) -> None:
        text = told(error, self.store.state.model)
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

"""Opening models: the present one stays usable until the next one is whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from app.arriving import OF_EXAMPLES, Load, arrived, keep_at_the_end, of_example
from app.by_architecture import ByArchitecture
from app.choices import Architecture, Inputs
from app.examples import Example
from app.lanes import OF_ONE_MODEL
from app.left import Left, key_of
from app.running import Running
from app.starting import Starting, Starts
from app.stepping import NOTHING_DECODED
from app.store import Problem, Store
from app.tasks import Job, Report, ShouldStop, Tasks
from app.telling import told
from core.errors import Cancelled, CheckpointError, CoreError, NotNow, UnsupportedModel

if TYPE_CHECKING:
    from core.loaded import LoadedModel

LAST_RESORT = "random:encoder"


class Loads(Starts, Protocol):
    """What opening needs of the core; `app.engine.Engine` is the real one."""

    def load(self, source: str, device: str, report: Report, stop: ShouldStop) -> LoadedModel: ...


class Opening:
    """Writes the store's model, source and device, and what a new model brings with it.

    halt: stop what plays or goes on decoding. decode: choose how. failed: tell the person.
    """

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Loads,
        running: Running,
        *,
        halt: Callable[[], None],
        decode: Callable[..., None],
        failed: Callable[[Exception], None],
        known: ByArchitecture,
    ) -> None:
        self._store, self._tasks, self._core = store, tasks, core
        self._running, self._halt, self._decode, self._tell = running, halt, decode, failed
        self.known = known
        self.starting = Starting(store, tasks, core, known, failed)
        self._left = Left()
        self._load: Load | None = None  # the latest, whether or not it has come

    # --- intentions -------------------------------------------------------------------------

    def start(self) -> None:
        """Import the core, then load what was wished for meanwhile, or the expected model, or the
        best there is."""
        self.starting.start(lambda: self._want(self._store.state.source or self.preferred()))

    def preferred(self, architecture: Architecture | None = None) -> str:
        """The model last used for an architecture, else a built-in one, else a random one."""
        device = self._store.state.device
        if architecture is not None and (last := self.known.source_on(device, architecture)):
            return last
        for listed in self._store.state.models:
            if architecture is None or listed.architecture == architecture:
                return listed.source
        return LAST_RESORT

    def open(self, source: str) -> None:
        """Load another model; the open one stays, unless it lies in files, which are read anew.
        Where they are gone, that is said."""
        if self.starting.later(lambda: self.open(source)):
            self._store.update(source=source)
            return
        try:
            there = Path(source).exists()
        except OSError:  # of a path that cannot be looked at loading tells why
            there = True
        model = self._store.state.model
        if model is None or model.source != source or there:
            self._want(source, anew=there)
            return
        self._rather_open(model)
        if source in self._store.state.recent:
            gone = f"there is no file or folder {source} any more"
            self._tell(CheckpointError(f"{gone}; the model that was read from it stays open"))

    def choose_architecture(self, architecture: Architecture) -> None:
        """Switch to a model of that kind; where one is open it stays, whatever else loads."""
        if self.starting.later(lambda: self.choose_architecture(architecture)):
            self.starting.expect_kind(architecture)
            return
        model = self._store.state.model
        if model is None or model.spec.architecture != architecture:
            source = self.preferred(architecture)
            self._want(source, stands_in=source != self.known.sources.get(architecture))
        else:
            self._rather_open(model)

    def choose_device(self, device: str) -> None:
        state = self._store.state
        if device == state.device:
            return
        self._store.update(device=device)
        if (coming := self._coming()) is not None:
            self._rather(coming.on(device))
        elif state.model is not None:
            self._want(state.model.source)

    def show_example(self, example: Example) -> None:
        """Its model, texts, mask and place."""
        if self.starting.later(lambda: self.show_example(example)):
            return
        model = self._store.state.model
        if model is None or model.source != example.model:
            self._want(example.model, example=example)
        elif not self._rather_open(model, example):
            self._show(example, model)

    def back_to_example(self) -> None:
        """All of the example whose note is shown; what was decoded of it stays."""
        state = self._store.state
        if state.example is not None and state.model is not None:
            self._show(state.example, state.model)

    def keep(self) -> ByArchitecture:
        """What was last given to each architecture, also to that of a model on its way."""
        keep_at_the_end(self._coming(), self._store.state, self.known, self.starting.expected)
        return self.known

    def cancelled(self) -> None:
        """The person did not want to wait."""
        self._tell(Cancelled("Loading was cancelled."))
        self._stay()

    # --- loading ----------------------------------------------------------------------------

    def _coming(self) -> Load | None:
        """The model on its way."""
        return self._load if self._tasks.active("load") else None

    def _want(self, source: str, **more: Any) -> None:
        """more: fields of the `Load`."""
        state = self._store.state
        if (coming := self._coming()) is not None:
            before = coming.before  # the person only chose again
        elif state.model is None:
            before = self.known.text(self.starting.expected)
        else:
            before = state.inputs
        self._begin(
            Load(source=source, device=state.device, before=before, gone=self.starting.gone, **more)
        )

    def _rather_open(self, model: LoadedModel, example: Example | None = None) -> bool:
        """The open model is wished for in place of one on its way. False where none is."""
        if (coming := self._coming()) is None:
            return False
        self._rather(replace(coming, source=model.source, example=example, anew=False))
        return True

    def _rather(self, load: Load) -> None:
        """A later wish than for what loads: the open model may be enough for it, on its device."""
        model = self._store.state.model
        if model is None or load.anew or (load.source, load.device) != key_of(model):
            if load != self._load:
                self._begin(load)
            return
        self._tasks.drop("load")
        self._store.update(source=load.source, device=load.device, problem=None)
        if load.example is not None:
            self._show(load.example, model)
        else:
            self._running.run_unless_answered()

    def _begin(self, load: Load) -> None:
        self._halt()  # whatever comes of this load, what was asked to go on is dropped with it
        self._tasks.drop("load", *OF_ONE_MODEL)
        self._load = load
        self._store.update(source=load.source, problem=_problem(load))
        left = None if load.anew else self._left.model(load.source, load.device)

        def work(job: Job) -> LoadedModel:
            if left is not None:
                return left
            return self._core.load(load.source, load.device, job.report, job.should_stop)

        self._tasks.submit("load", work, partial(self._loaded, load), partial(self._failed, load))

    def _loaded(self, load: Load, model: LoadedModel) -> None:
        state = self._store.state
        try:
            kept, changes = arrived(load, model, state, self.known, self.starting.expected)
        except CoreError as error:
            self._failed(load, error)
            self.known.failed.discard((load.source, load.device))  # it was not the model
            return
        self.starting.gone = ""  # it is said with this one
        self.known.keep(replace(state, inputs=kept))
        if state.model is None:
            self.known.keep_choices(self.starting.expected, state)
        self.known.used(load.source, load.device, model.spec.architecture, stands_in=load.stands_in)
        back, gone = self._left.exchange(
            state, model, changes["inputs"], changes["masks"], anew=load.anew
        )
        # Behind the note, which may be told with the place that it is true of.
        changes["note"] = f"{changes['note']} {gone}".strip()
        changes["selection"] = replace(changes["selection"], step=back.pop("step", None))
        # What was asked of the model before since this one began to load is not this one's.
        self._tasks.drop(*OF_ONE_MODEL)
        self._running.drop_other()
        self._running.keep_no_more()
        nothing = {**NOTHING_DECODED, "answer": None, "refused": None, "kept": ()}
        self._store.update(**(changes | nothing | back), problem=_problem(load))
        if load.example is not None:
            self._run_after(load.example)
        elif self._store.state.answer is None:
            self._running.run()

    def _show(self, example: Example, model: LoadedModel) -> None:
        """Where the model it is for is open."""
        try:
            self._store.update(**of_example(example, model))
        except CoreError as error:
            self._tell(error)
        else:
            self._run_after(example)

    def _run_after(self, example: Example) -> None:
        self._decode(**OF_EXAMPLES)  # where something came back that was decoded otherwise
        if example.against:
            self._running.run_against(Inputs(text=example.against), example.against_mask)
        else:
            self._running.drop_other()  # of an example that was given up for this one
            self._running.run_what_is_new()

    # --- where no other model comes ---------------------------------------------------------

    def _failed(self, load: Load, error: Exception) -> None:
        """The model before stays; where there is none, the best there is comes instead."""
        model = self._store.state.model
        at_fault = isinstance(error, (CheckpointError, UnsupportedModel))
        if not at_fault or isinstance(error, NotNow):
            self.known.failed.add((load.source, load.device))
        elif model is None or model.source != load.source:
            self.known.forget_source(load.source)
        load = load.failing(told(error, model))
        self._store.update(problem=_problem(load))
        if model is None:
            self._open_instead(load)
        else:
            self._stay()
            if load.example is not None and load.source == model.source:
                self._show(load.example, model)  # it was the device that failed

    def _open_instead(self, load: Load) -> None:
        """The best there is that was not tried; where that fails too, the device is at fault."""
        tried = load.tried | {(load.source, load.device)}
        best = self.preferred()
        for source, device in ((best, load.device), (best, "cpu"), (LAST_RESORT, "cpu")):
            if (source, device) not in tried:
                self._store.update(device=device)
                self._begin(
                    Load(
                        source=source,
                        device=device,
                        before=load.before,
                        gone=load.gone,
                        said=load.said,
                        instead=self._store.state.title(source),
                        stands_in=True,
                        wished=load.wished or (load.source, load.device),
                        tried=tried,
                    )
                )
                return

    def _stay(self) -> None:
        """The open model's name and device again, and a run that was dropped."""
        model = self._store.state.model
        if model is not None:
            source, device = key_of(model)
            self._store.update(source=source, device=device)
            self._running.run_unless_answered()


def _problem(load: Load) -> Problem | None:
    return Problem(text=load.to_say, where="model") if load.to_say else None

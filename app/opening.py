"""Opening models: the present one stays usable until the next one is whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject

from app.by_architecture import ByArchitecture
from app.choices import Architecture, Inputs
from app.engine import Report, ShouldStop
from app.examples import Example, masks_of
from app.left import Left
from app.looking import fitted
from app.stepping import NOTHING_DECODED
from app.store import Abilities, Problem, Store
from app.tasks import Job, Tasks
from core.errors import Cancelled, CoreError

if TYPE_CHECKING:
    from core.loaded import LoadedModel

MOST_RECENT = 8
LAST_RESORT = "random:encoder"
START = "start"  # the lane in which the core is imported: nothing drops it


class Loads(Protocol):
    """What opening needs of the core; `app.engine.Engine` is the real one."""

    def abilities(self) -> Abilities: ...

    def load(self, source: str, device: str, report: Report, stop: ShouldStop) -> LoadedModel: ...


class Opening(QObject):
    """Writes the store's model, source and device, and what a new model brings with it.

    run: ask for a run of the new model; run_against: the same, once another text was run and kept.
    failed: tell the person.
    """

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Loads,
        *,
        run: Callable[[], None],
        run_against: Callable[[Inputs], None],
        failed: Callable[[Exception], None],
        known: ByArchitecture,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._core = store, tasks, core
        self._run, self._run_against, self._tell = run, run_against, failed
        self.known = known
        self._left = Left()
        self._before = Inputs()  # the text when the first of what loads was chosen
        self._example: Example | None = None
        self._told: Problem | None = None
        self._tried: set[tuple[str, str]] = set()  # source and device, while no model is there
        self._expected: Architecture = "encoder"
        self._wish: Callable[[], None] | None = None  # what is to be opened once it can be
        self._notice: Problem | None = None  # to be said with the first model, whichever it is

    # --- intentions -------------------------------------------------------------------------

    def expect(self, source: str) -> None:
        """Before anything is loaded: show the text that this model was last given."""
        self._expected = self.known.of_source(source)
        self._store.update(source=source, inputs=self.known.text(self._expected))

    def start(self) -> None:
        """Import the core, then load the expected model, or the best there is."""

        def ready(abilities: Abilities) -> None:
            self._store.update(abilities=abilities)
            self._notice = self._elsewhere()
            wish, self._wish = self._wish, None
            if wish is not None:
                wish()
            else:
                self._load(self._store.state.source or self.preferred())

        self._tasks.submit(START, lambda job: self._core.abilities(), ready, self._no_core)

    def _elsewhere(self) -> Problem | None:
        """The CPU takes the place of a remembered device that is gone; what to say of it."""
        state = self._store.state
        if state.abilities is None or state.device in state.abilities.devices:
            return None
        gone = state.device.upper()
        self._store.update(device="cpu")
        return Problem(text=f"There is no {gone} here any more: the CPU is used.", where="model")

    def _later(self, wish: Callable[[], None]) -> bool:
        """Before the core is there nothing can be opened: the latest wish is kept until then."""
        if self._store.state.abilities is not None:
            return False
        self._wish = wish
        return True

    def preferred(self, architecture: Architecture | None = None) -> str:
        """The model last used for an architecture, else a built-in one, else a random one."""
        if architecture is not None and architecture in self.known.sources:
            return self.known.sources[architecture]
        for listed in self._store.state.models:
            if architecture is None or listed.architecture == architecture:
                return listed.source
        return LAST_RESORT

    def open(self, source: str) -> None:
        """Load another model; one that lies in files is read anew."""
        if self._later(lambda: self.open(source)):
            self._store.update(source=source)
            return
        if Path(source).exists():
            self._left.forget(source)
        self._load(source)

    def choose_architecture(self, architecture: Architecture) -> None:
        """Switch to a model of that kind; where one is open it stays, whatever else loads."""
        if self._later(lambda: self.choose_architecture(architecture)):
            if self._store.state.inputs == self.known.text(self._expected):
                self._store.update(inputs=self.known.text(architecture))
            self._expected = architecture
            return
        model = self._store.state.model
        if model is None or model.spec.architecture != architecture:
            self._load(self.preferred(architecture))
        elif self._tasks.active("load"):
            self._tasks.drop("load")
            self._store.update(problem=None)
            self._stay(model)

    def choose_device(self, device: str) -> None:
        state = self._store.state
        if device != state.device:
            self._store.update(device=device)
            if self._tasks.active("load"):
                self._load(state.source, example=self._example, told=self._told)
            elif state.model is not None:
                self._load(state.model.source)

    def show_example(self, example: Example) -> None:
        """Its model, texts, mask and place."""
        if self._later(lambda: self.show_example(example)):
            return
        model = self._store.state.model
        if model is None or model.source != example.model:
            self._load(example.model, example=example)
            return
        if self._tasks.active("load"):  # the later wish counts
            self._tasks.drop("load")
            self._store.update(source=model.source, device=_device_of(model), problem=None)
        try:
            self._store.update(**_of_example(example, model))
        except CoreError as error:
            self._tell(error)
        else:
            self._run_after(example.against)

    def back_to_example(self) -> None:
        """The mask, the place and the view of the example whose text is read; what was decoded of
        it stays where the mask is the same."""
        state = self._store.state
        if state.example is not None and state.model is not None:
            self._store.update(**_of_example(state.example, state.model))
            if not self._store.state.answered:
                self._run()

    def cancelled(self) -> None:
        """The person did not want to wait."""
        self._failed(Cancelled("Loading was cancelled."))

    # --- loading ----------------------------------------------------------------------------

    def _load(
        self,
        source: str,
        *,
        example: Example | None = None,
        told: Problem | None = None,
    ) -> None:
        """told: what to go on saying, when this model is but the second choice."""
        told, self._notice = told or self._notice, None
        if not self._tasks.active("load"):  # else the person only chose again
            self._before = self._store.state.inputs
        self._tasks.drop("load", "run", "decode", "prepare", "read", "check")
        self._example, self._told = example, told
        device = self._store.state.device
        self._tried.add((source, device))
        self._store.update(source=source, problem=told, playing=False)

        left = self._left.model(source, device)

        def work(job: Job) -> LoadedModel:
            if left is not None:
                return left
            return self._core.load(source, device, job.report, job.should_stop)

        self._tasks.submit("load", work, self._loaded, self._failed)

    def _loaded(self, model: LoadedModel) -> None:
        state = self._store.state
        kept, written = self._kept_and_written(model)
        self.known.keep(replace(state, inputs=kept))
        inputs = self._inputs_for(model) if written is None else written
        changes: dict[str, Any] = {
            "model": model,
            "inputs": inputs,
            "masks": self.known.masks_for(model, state),
            "selection": self.known.place_for(model, state, inputs),
            "note": "",
            "example": None,
        }
        if self._example is not None:
            try:
                changes |= _of_example(self._example, model)
            except CoreError as error:
                self._failed(error)
                return
        back, gone = self._left.exchange(state, model, changes["inputs"], changes["masks"])
        changes["note"] = changes["note"] or gone
        changes["selection"] = replace(
            fitted(changes["selection"], model.spec),
            query=None,
            key=None,
            step=back.pop("step", None),
        )
        self.known.sources[model.spec.architecture] = state.source
        recent = self._with_recent(state.source)
        # What was asked of the model before since this one began to load is not this one's.
        self._tasks.drop("run", "decode", "prepare", "read", "check")
        self._tried.clear()
        nothing = {**NOTHING_DECODED, "answer": None, "refused": None, "kept": ()}
        self._store.update(**(changes | nothing | back), problem=self._told, recent=recent)
        against = self._example.against if self._example is not None else ""
        if against or self._store.state.answer is None:
            self._run_after(against)

    def _run_after(self, against: str) -> None:
        if against:
            self._run_against(Inputs(text=against))
        else:
            self._run()

    def _kept_and_written(self, model: LoadedModel) -> tuple[Inputs, Inputs | None]:
        """The text of the model before; and what was written while this one, of another
        architecture, was loading: that is for this one. A blank is none, as Space also plays."""
        now, then, before = self._store.state.inputs, self._before, self._store.state.model
        if before is None or before.spec.architecture == model.spec.architecture:
            return now, None
        texts = [[one.text.split(), one.pair, one.target] for one in (now, then)]
        return then, None if texts[0] == texts[1] else now

    def _inputs_for(self, model: LoadedModel) -> Inputs:
        state = self._store.state
        if state.model is None:
            typed = state.inputs != self.known.text(self._expected)
            if typed or self._expected == model.spec.architecture:
                return state.inputs
        return self.known.text(model.spec.architecture)

    def _with_recent(self, source: str) -> tuple[str, ...]:
        recent = self._store.state.recent
        if not Path(source).exists():
            return recent  # built in, random, or of the hub
        return (source, *(path for path in recent if path != source))[:MOST_RECENT]

    def _failed(self, error: Exception) -> None:
        """The model before stays; where there is none, the best there is comes instead."""
        state = self._store.state
        failed, model = state.source, state.model
        if not isinstance(error, Cancelled) and (model is None or model.source != failed):
            self.known.forget_source(failed)
        self._tell(error)
        if model is not None:
            self._stay(model)
        elif state.abilities is not None and not isinstance(error, Cancelled):
            self._open_instead()

    def _open_instead(self) -> None:
        """The best there is that was not tried; where that fails too, the device is at fault."""
        best, device = self.preferred(), self._store.state.device
        for source, where in ((best, device), (best, "cpu"), (LAST_RESORT, "cpu")):
            if (source, where) not in self._tried:
                told = self._in_place_of(source, where)
                self._store.update(device=where)
                self._load(source, told=told)
                return

    def _stay(self, model: LoadedModel) -> None:
        """No other model comes: this one's name again, and a run that was dropped."""
        state = self._store.state
        self._store.update(source=model.source, device=_device_of(model))
        # What it refused before it would refuse again.
        refused = state.refused
        again = refused is not None and (refused.inputs, refused.masks) == (
            state.inputs,
            state.masks,
        )
        if not state.answered and not again:
            self._run()

    def _in_place_of(self, source: str, device: str) -> Problem | None:
        """What was told, and which model comes instead, on which device where that is another."""
        state = self._store.state
        if state.problem is None:
            return None
        title = next((m.title for m in state.models if m.source == source), source)
        on = f" on the {device.upper()}" if device != state.device else ""
        return replace(state.problem, text=f"{state.problem.text} {title} is opened{on} instead.")

    def _no_core(self, error: Exception) -> None:
        self._tell(error)


def _device_of(model: LoadedModel) -> str:
    from core.device import name_of

    return name_of(model.device)


def _of_example(example: Example, model: LoadedModel) -> dict[str, Any]:
    return {
        "inputs": example.inputs,
        "masks": masks_of(example.mask, model.spec.sites),
        "selection": fitted(example.selection(), model.spec),
        "note": example.note,
        "example": example,
        "view": example.view,
    }

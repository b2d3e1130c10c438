"""Before the core is imported: a text to read, and wishes that are kept until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.by_architecture import ByArchitecture
from app.choices import Architecture
from app.store import Abilities, Store
from app.tasks import Tasks

START = "start"  # the lane in which the core is imported: nothing drops it


class Starts(Protocol):
    """What starting needs of the core; `app.engine.Engine` is the real one."""

    def abilities(self) -> Abilities: ...


class Starting:
    """Writes the store's abilities and, until they are there, its source and text.

    expected: the architecture of the model that will be the first. gone: the remembered device
    that is not there, to be told of with that model, or empty. failed: tell the person.
    """

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Starts,
        known: ByArchitecture,
        failed: Callable[[Exception], None],
    ) -> None:
        self._store, self._tasks, self._core = store, tasks, core
        self._known, self._failed = known, failed
        self.expected: Architecture = "encoder"
        self.gone = ""
        self._wish: Callable[[], None] | None = None
        self._otherwise: Callable[[], None] | None = None  # None: nobody has asked to start

    def expect(self, source: str) -> None:
        """Show the text that this model was last given."""
        self.expected = self._known.of_source(source) or "encoder"
        self._store.update(source=source, inputs=self._known.text(self.expected))
        if self.expected in self._known.decodings:
            self._store.update(**self._known.choices_of(self.expected, self._store.state))

    def expect_kind(self, architecture: Architecture) -> None:
        """Another kind of model is wished for: its text, unless one's own was written, and its own
        choices of decoding."""
        state, known = self._store.state, self._known
        if architecture == self.expected:
            return
        if state.inputs == known.text(self.expected):
            self._store.update(inputs=known.text(architecture))
        known.keep_choices(self.expected, state)
        self._store.update(**known.choices_of(architecture, state))
        self.expected = architecture

    def later(self, wish: Callable[[], None]) -> bool:
        """Whether nothing can be opened yet; the latest wish then waits for the core, whose import
        is tried again where it failed."""
        if self._store.state.abilities is not None:
            return False
        self._wish = wish
        if self._otherwise is not None and not self._tasks.active(START):
            self._store.update(problem=None)
            self.start(self._otherwise)
        return True

    def start(self, otherwise: Callable[[], None]) -> None:
        """Import the core, then do what was wished for last, or `otherwise`."""
        self._otherwise = otherwise

        def ready(abilities: Abilities) -> None:
            self._store.update(abilities=abilities)
            self._give_up_device(abilities)
            wish, self._wish = self._wish or otherwise, None
            wish()

        self._tasks.submit(START, lambda job: self._core.abilities(), ready, self._failed)

    def _give_up_device(self, abilities: Abilities) -> None:
        """The CPU takes the place of a remembered device that is gone."""
        device = self._store.state.device
        if device not in abilities.devices:
            self._store.update(device="cpu")
            self.gone = device

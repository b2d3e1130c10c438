"""What is known and what is wanted, in one place; whoever shows it listens to `Store.changed`.

The controllers write it: `Starting` what the core offers, `Opening` the model and what comes with
one, `Running` the answer and the kept ones, the stepping family and `Checker` what was decoded and
how it was checked, `Leafing` which view each group shows, `Session` the rest. Some fields have
several writers: `selection` all of them, with what they change; `problem` Session, Running and,
while models come and go, Opening; `view` Session, Leafing, and Opening for an example. The panels
write `selection` alone, through `select`, and `draw_ms`. Fields are replaced, never changed in
place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal

from app.branches import Tree
from app.choices import (
    RANDOM_MODELS,
    DecodeChoice,
    Display,
    Inputs,
    Listed,
    Narrowing,
)
from app.selection import Selection

if TYPE_CHECKING:
    from app.checking import Checked, WhatIf
    from app.examples import Example
    from app.views import View
    from core.decoding import BeamSearch, Fill
    from core.loaded import LoadedModel
    from core.mask_kinds import MaskKind
    from core.masks import MaskChoice
    from core.request import RunRequest, Step
    from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What the core offers, known once it has been imported."""

    views: tuple[View, ...]
    mask_kinds: Mapping[str, MaskKind]
    models: tuple[Listed, ...]
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """A finished run together with what was asked, so that a picture never mixes two texts.

    trouble: one sentence where its results are no finite numbers. brought: it is the other text of
    an example, kept for as long as no other example comes.
    """

    model: LoadedModel
    inputs: Inputs
    request: RunRequest
    trace: Trace
    tokenise_ms: float
    run_ms: float
    trouble: str = ""
    brought: bool = False


SEARCHING = "Beam search"
"""How the worker's text begins while one runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """What the worker is doing. fraction 0–1, None when that is not known."""

    text: str
    fraction: float | None = None
    lane: str = "run"


Where = Literal[
    "input", "model", "decoding", "result", "against", "export", "kept", "prepare", "read"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One sentence about what went wrong, and where the person is looking. "result": at a run
    that was made, and whose numbers mean little; "against": at the other text to compare with;
    "export": at a file or the clipboard; "kept": at a text to keep;
    "prepare" and "read": at a picture or the read-out."""

    text: str
    where: Where = "input"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why this text under these masks was not run, in one sentence."""

    text: str
    inputs: Inputs
    masks: Mapping[str, MaskChoice]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All fields. source: the model asked for; model: the one that is there.

    answer: the last good run, which may be older than `inputs`. steps: the tokens generated so
    far; fills: the masks filled so far; tree: the other continuations, `steps` being the current
    branch's; search: a finished beam search, `steps` being one of its hypotheses; checked:
    what verifying steps found; together: whether to show those as one run over all positions;
    what_if: runs on pooled heads; ending: why there are no more tokens. refused: why what was
    asked last has no run; it stays so whatever else went wrong since. examples and recent: for the
    menus. kept: runs of other texts to compare with. fronts: group of views -> the one last shown
    in it. asked: a word whose probability every list tells. note: what to look for, or what is
    gone; example: the one that the text is of, and the note about.
    """

    abilities: Abilities | None = None
    source: str = ""
    device: str = "cpu"
    model: LoadedModel | None = None
    inputs: Inputs = field(default_factory=Inputs)
    masks: Mapping[str, MaskChoice] = field(default_factory=lambda: MappingProxyType({}))
    answer: Answer | None = None
    kept: tuple[Answer, ...] = ()
    selection: Selection = field(default_factory=Selection)
    view: str = "attention"
    fronts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    display: Display = field(default_factory=Display)
    narrowing: Narrowing = field(default_factory=Narrowing)
    asked: str = ""
    decode: DecodeChoice = field(default_factory=DecodeChoice)
    steps: tuple[Step, ...] = ()
    fills: tuple[Fill, ...] = ()
    tree: Tree = field(default_factory=Tree)
    search: BeamSearch | None = None
    checked: Checked | None = None
    together: bool = False
    what_if: WhatIf | None = None
    ending: str = ""
    playing: bool = False
    busy: Busy | None = None
    refused: Refusal | None = None
    problem: Problem | None = None
    note: str = ""
    example: Example | None = None
    recent: tuple[str, ...] = ()
    draw_ms: float = 0.0

    @property
    def models(self) -> tuple[Listed, ...]:
        """Every model there is to choose without looking for a folder."""
        built_in = self.abilities.models if self.abilities is not None else ()
        return (*built_in, *RANDOM_MODELS)

    def title(self, source: str) -> str:
        """What a source is called on screen. The titles of built-in models come with the core:
        until then "builtin:x" is X."""
        for listed in self.models:
            if listed.source == source:
                return listed.title
        kind, _, name = source.partition(":")
        if kind == "builtin" and self.abilities is None:
            return name.capitalize()
        return Path(source).name or source

    @property
    def step(self) -> Step | None:
        """The decoding step that is looked at; None for the prompt itself."""
        index = self.selection.step
        return self.steps[index] if index is not None and index < len(self.steps) else None

    @property
    def fill(self) -> Fill | None:
        """The filled mask that is looked at; None for the text itself."""
        index = self.selection.step
        return self.fills[index] if index is not None and index < len(self.fills) else None

    @property
    def moves(self) -> tuple[Step, ...] | tuple[Fill, ...]:
        """What was decoded: a decoder's steps or an encoder's fills; `selection.step` counts
        them."""
        return self.fills or self.steps

    @property
    def searching(self) -> bool:
        """Whether a beam search runs whose hypotheses are not there yet."""
        busy = self.busy
        search = busy is not None and busy.lane == "decode" and busy.text.startswith(SEARCHING)
        return search and self.search is None

    @property
    def all_at_once(self) -> Trace | None:
        """The run over all positions that is shown in place of the last step."""
        checked = self.checked
        current = checked is not None and checked.steps is self.steps
        if checked is None or not (self.together and current):
            return None
        return checked.difference.full if self.selection.step == len(self.steps) - 1 else None

    @property
    def trace(self) -> Trace | None:
        """The run that is looked at: that of the step or fill, or of the text."""
        move = self.step or self.fill
        if self.all_at_once is not None:
            return self.all_at_once
        if move is not None:
            return move.trace
        return self.answer.trace if self.answer is not None else None

    @property
    def old(self) -> bool:
        """Whether what is asked was refused or cancelled: what is shown, if anything, is of
        another text or mask."""
        return self.refused is not None and not self.answered

    @property
    def answered(self) -> bool:
        """Whether the answer is that to the present inputs and masks."""
        answer = self.answer
        if answer is None or answer.inputs != self.inputs:
            return False
        return answer.request.masks == tuple(sorted(self.masks.items()))


_NAMES = frozenset(f.name for f in fields(State))


class Store(QObject):
    """Holds the `State`; says which fields changed."""

    changed = Signal(frozenset)

    def __init__(self, state: State | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state if state is not None else State()

    @property
    def state(self) -> State:
        return self._state

    def update(self, **changes: Any) -> None:
        """Replace fields; listeners hear once, and only of fields that are different."""
        unknown = set(changes) - _NAMES
        if unknown:
            raise AttributeError(f"the store has no {', '.join(sorted(unknown))}")
        different = {
            name: value for name, value in changes.items() if getattr(self._state, name) != value
        }
        if different:
            self._state = replace(self._state, **different)
            self.changed.emit(frozenset(different))

    def settle(self, where: Where) -> None:
        """It went well this time: what went wrong there before is told no more."""
        if self._state.problem is not None and self._state.problem.where == where:
            self.update(problem=None)

    def select(self, selection: Selection | None = None, /, **changes: int | str | None) -> None:
        """Look elsewhere: at another selection, or at another part of it. Never runs the model."""
        where = self._state.selection if selection is None else selection
        self.update(selection=replace(where, **changes))  # type: ignore[arg-type]

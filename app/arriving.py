"""What a model that was loaded brings with it into the store; free of Qt.

A model of the same architecture takes over what is there; another one gets what its own
architecture was last given, or what was written while it was on its way.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.choices import Architecture, Inputs, Narrowing
from app.examples import Example, masks_of, without_own
from app.looking import fitted

if TYPE_CHECKING:
    from app.by_architecture import ByArchitecture
    from app.store import State
    from core.loaded import LoadedModel

MOST_RECENT = 8
TEXTS = {"text", "pair", "target"}
"""The fields of `Inputs` that are written."""
OF_EXAMPLES: dict[str, Any] = {"strategy": "greedy", "order": "confident"}
"""How examples are decoded, whatever was chosen before: what their notes say is of the likeliest
token of the model's own distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A model on its way.

    before: the text that stood there when the first model was chosen that has not come yet.
    example: what is to be read with it. gone: a device that was remembered and is not there, by
    its name or empty. said: what went wrong on the way to it, a sentence each. instead: its title
    where it comes in place of `wished`, a source and a device. tried: source and device of what
    failed before. stands_in: the model of its architecture that was last used cannot be opened now.
    anew: even where it was only left and is still in memory.
    """

    source: str
    device: str
    before: Inputs
    example: Example | None = None
    gone: str = ""
    said: tuple[str, ...] = ()
    instead: str = ""
    wished: tuple[str, str] | None = None
    tried: frozenset[tuple[str, str]] = frozenset()
    stands_in: bool = False
    anew: bool = False

    @property
    def to_say(self) -> str:
        """While it is on its way, and still once it is there; empty where all went well."""
        return " ".join(filter(None, (self._no_device, *self.said, self._instead)))

    @property
    def _no_device(self) -> str:
        used = ": the CPU is used" if self.device == "cpu" else ""
        return f"There is no {self.gone.upper()} here any more{used}." if self.gone else ""

    @property
    def _instead(self) -> str:
        if not self.instead or self.wished is None or self.wished == (self.source, self.device):
            return ""
        on = f" on the {self.device.upper()}" if self.device != self.wished[1] else ""
        return f"{self.instead} is opened{on} instead."

    def on(self, device: str) -> Load:
        """The same on another device, which is wished for by now."""
        wished = (self.wished[0], device) if self.wished is not None else None
        return replace(self, device=device, wished=wished)

    def failing(self, text: str) -> Load:
        """As it is once it has failed. text: why, in one sentence; it is said once."""
        said = self.said if text in self.said else (*self.said, text)
        return replace(self, said=said, instead="")


def arrived(
    load: Load, model: LoadedModel, state: State, known: ByArchitecture, expected: Architecture
) -> tuple[Inputs, dict[str, Any]]:
    """The text to be kept for the model before, and fields of the store, where `state` is still
    that of the model before. expected: the architecture whose choices stand there before the first
    model. Raises CoreError for an example with a mask that cannot be."""
    architecture = model.spec.architecture
    kept, inputs = _texts(load, architecture, state, known)
    changes: dict[str, Any] = {
        "model": model,
        "inputs": inputs,
        "masks": known.masks_for(model, state),
        "selection": fitted(known.place_for(model, state, inputs), model.spec),
        "note": "",
        "example": None,
        "recent": _with(load.source, state.recent),
    }
    if architecture != _there(state, expected):
        changes |= known.choices_of(architecture, state)
    if load.example is not None:
        changes |= of_example(load.example, model)
        changes["decode"] = replace(changes.get("decode", state.decode), **OF_EXAMPLES)
    changes["selection"] = replace(changes["selection"], query=None, key=None)
    return kept, changes


def of_example(example: Example, model: LoadedModel) -> dict[str, Any]:
    """Fields of the store. Raises CoreError for a mask that cannot be."""
    return {
        "inputs": example.inputs,
        "masks": without_own(masks_of(example.mask, model.spec.sites)),
        "selection": fitted(example.selection(), model.spec),
        "note": example.note,
        "narrowing": Narrowing(),
        "example": example,
        "view": example.view,
    }


def keep_at_the_end(
    load: Load | None, state: State, known: ByArchitecture, expected: Architecture
) -> None:
    """Into `known`: what was given to the open model, and what was written or chosen for one that
    will not come any more. load: of a model on its way; expected: the architecture of the first
    one."""
    there = _there(state, expected)
    coming = known.of_source(load.source, state.models) if load is not None else None
    if load is not None:
        before = load.before
    else:
        before = state.inputs if state.model is not None else known.text(expected)
    if state.model is not None and coming in (None, there):
        known.keep(state)
        return
    known.keep(replace(state, inputs=before))
    if state.model is None:
        known.keep_choices(expected, state)
    own = known.text(coming or there)
    if (written := _written(state, before, own)) != own:
        known.texts[coming or there] = written


def _there(state: State, expected: Architecture) -> Architecture:
    return state.model.spec.architecture if state.model is not None else expected


def _texts(
    load: Load, architecture: Architecture, state: State, known: ByArchitecture
) -> tuple[Inputs, Inputs]:
    """Of the model before, and of this one: what was written while one of another architecture was
    on its way is for that one."""
    if state.model is not None and state.model.spec.architecture == architecture:
        return state.inputs, state.inputs
    return load.before, _written(state, load.before, known.text(architecture))


def _written(state: State, before: Inputs, own: Inputs) -> Inputs:
    """`own` with what was written since `before`, and how it is to be padded and read."""
    now = state.inputs
    given = {f.name for f in fields(now) if getattr(now, f.name) != getattr(before, f.name)}
    if state.model is not None and now.text.split() == before.text.split():
        given.discard("text")  # a blank alone is not written: Space also plays
    if given & TEXTS:
        given |= TEXTS  # they belong together
    return replace(own, **{name: getattr(now, name) for name in given})


def _with(source: str, recent: tuple[str, ...]) -> tuple[str, ...]:
    """The folders opened last, the latest first."""
    if not Path(source).exists():
        return recent  # built in, random, or of the hub
    return (source, *(path for path in recent if path != source))[:MOST_RECENT]

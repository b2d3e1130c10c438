"""What a model that was loaded brings with it into the store; free of Qt.

A model of the same architecture takes over what is there; another one gets what its own
architecture was last given, or what was written while it was on its way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.choices import Inputs
from app.examples import Example, masks_of
from app.looking import fitted

if TYPE_CHECKING:
    from app.by_architecture import ByArchitecture
    from app.store import State
    from core.loaded import LoadedModel

MOST_RECENT = 8


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
    load: Load, model: LoadedModel, state: State, known: ByArchitecture
) -> tuple[Inputs, dict[str, Any]]:
    """The text to be kept for the model before, and fields of the store, where `state` is still
    that of the model before. Raises CoreError for an example with a mask that cannot be."""
    kept, inputs = _texts(load, model, state, known)
    changes: dict[str, Any] = {
        "model": model,
        "inputs": inputs,
        "masks": known.masks_for(model, state),
        "selection": fitted(known.place_for(model, state, inputs), model.spec),
        "note": "",
        "example": None,
        "recent": _with(load.source, state.recent),
    }
    if load.example is not None:
        changes |= of_example(load.example, model)
    changes["selection"] = replace(changes["selection"], query=None, key=None)
    return kept, changes


def of_example(example: Example, model: LoadedModel) -> dict[str, Any]:
    """Fields of the store. Raises CoreError for a mask that cannot be."""
    return {
        "inputs": example.inputs,
        "masks": masks_of(example.mask, model.spec.sites),
        "selection": fitted(example.selection(), model.spec),
        "note": example.note,
        "example": example,
        "view": example.view,
    }


def _texts(
    load: Load, model: LoadedModel, state: State, known: ByArchitecture
) -> tuple[Inputs, Inputs]:
    """Of the model before, and of this one: what was written while one of another architecture was
    on its way is for that one."""
    now, architecture = state.inputs, model.spec.architecture
    if state.model is None:
        written = now != load.before
    elif state.model.spec.architecture == architecture:
        return now, now
    else:
        written = _words(now) != _words(load.before)
    return load.before, now if written else known.text(architecture)


def _words(inputs: Inputs) -> tuple[list[str], str, str]:
    """A blank alone is not written: Space also plays."""
    return inputs.text.split(), inputs.pair, inputs.target


def _with(source: str, recent: tuple[str, ...]) -> tuple[str, ...]:
    """The folders opened last, the latest first."""
    if not Path(source).exists():
        return recent  # built in, random, or of the hub
    return (source, *(path for path in recent if path != source))[:MOST_RECENT]

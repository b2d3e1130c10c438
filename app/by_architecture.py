"""What was last given to each architecture and looked at with it; free of Qt.

Among models of one architecture text, masks, place and the choices of decoding stay; each
architecture has its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from app.choices import (
    FIRST_INPUTS,
    RANDOM_MODELS,
    Architecture,
    DecodeChoice,
    Inputs,
    Listed,
    Narrowing,
)
from app.mask_memory import read_masks, write_masks
from app.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.store import State
    from core.loaded import LoadedModel
    from core.masks import MaskChoice


@dataclass(slots=True, kw_only=True)
class ByArchitecture:
    """texts: what was last typed. masks: what was last chosen, as `app.mask_memory` writes it.
    sources: the model last used. places: where its attention was last looked at. decodings and
    narrowings: how it last wrote on or filled masks, from which distributions. failed: source and
    device of what could not be opened and may be later."""

    texts: dict[Architecture, Inputs] = field(default_factory=dict)
    masks: dict[Architecture, str] = field(default_factory=dict)
    sources: dict[Architecture, str] = field(default_factory=dict)
    places: dict[Architecture, Selection] = field(default_factory=dict)
    decodings: dict[Architecture, DecodeChoice] = field(default_factory=dict)
    narrowings: dict[Architecture, Narrowing] = field(default_factory=dict)
    failed: set[tuple[str, str]] = field(default_factory=set)

    def text(self, architecture: Architecture) -> Inputs:
        return self.texts.get(architecture, FIRST_INPUTS[architecture])

    def of_source(
        self, source: str, models: Iterable[Listed] = RANDOM_MODELS
    ) -> Architecture | None:
        """The architecture that one of `models` has, or another was last used for; None where
        nothing is known."""
        by_source: dict[str, Architecture] = {s: a for a, s in self.sources.items()}
        by_source |= {m.source: m.architecture for m in models if m.architecture}
        return by_source.get(source)

    def source_on(self, device: str, architecture: Architecture) -> str | None:
        """The model last used, unless it was just found that it cannot be opened there now."""
        source = self.sources.get(architecture)
        return source if source is not None and (source, device) not in self.failed else None

    def used(
        self, source: str, device: str, architecture: Architecture, *, stands_in: bool
    ) -> None:
        """stands_in: for the one last used, which is remembered all the same."""
        self.failed.discard((source, device))
        if not (stands_in and architecture in self.sources):
            self.sources[architecture] = source

    def forget_source(self, source: str) -> None:
        """It can be opened nowhere."""
        self.sources = {a: s for a, s in self.sources.items() if s != source}

    def keep(self, state: State) -> None:
        """What is given to the present model."""
        if state.model is not None:
            architecture = state.model.spec.architecture
            self.texts[architecture] = state.inputs
            self.masks[architecture] = write_masks(state.masks)
            self.places[architecture] = state.selection
            self.keep_choices(architecture, state)

    def keep_choices(self, architecture: Architecture, state: State) -> None:
        """How one decodes with this architecture, which may have no model yet."""
        self.decodings[architecture] = state.decode
        self.narrowings[architecture] = state.narrowing

    def choices_of(self, architecture: Architecture, state: State) -> dict[str, Any]:
        """Fields of the store: how one decodes with this architecture; as fast as now."""
        decode = self.decodings.get(architecture, DecodeChoice())
        return {
            "decode": replace(decode, speed=state.decode.speed),
            "narrowing": self.narrowings.get(architecture, Narrowing()),
        }

    def masks_for(self, model: LoadedModel, state: State) -> dict[str, MaskChoice]:
        """For the next model, where state is still that of the one before."""
        architecture, sites = model.spec.architecture, model.spec.sites
        if _same(model, state):
            return {site: choice for site, choice in state.masks.items() if site in sites}
        return read_masks(self.masks.get(architecture, ""), sites)

    def place_for(self, model: LoadedModel, state: State, inputs: Inputs) -> Selection:
        """The same, for the place that is looked at. inputs: what the next model reads."""
        architecture = model.spec.architecture
        if _same(model, state):
            return state.selection
        if architecture in self.places:
            return self.places[architecture]
        if architecture == "encoder-decoder":
            # Where nothing is written yet, a decoder has but its start token to look at.
            site = ("decoder", "cross") if inputs.target else ("encoder", "self")
            return replace(state.selection, stack=site[0], part=site[1])
        return state.selection


def _same(model: LoadedModel, state: State) -> bool:
    before = state.model
    return before is not None and before.spec.architecture == model.spec.architecture

"""The whole model and its special tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.spec.heads import Heads
from core.spec.rules import Rules
from core.spec.stack import StackSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialIds:
    """Token ids with a meaning, None where the model has none.

    forced_first and forced_last: what the configuration makes the first and the last generated
    token. suppressed: tokens that are never generated.
    """

    pad: int | None = None
    mask: int | None = None
    decoder_start: int | None = None
    end: tuple[int, ...] = ()
    forced_first: int | None = None
    forced_last: int | None = None
    suppressed: tuple[int, ...] = ()


Architecture = Literal["encoder", "decoder", "encoder-decoder"]
EarlyStopping = Literal[True, False, "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """The whole model. At least one of encoder and decoder is present.

    shared_embedding: encoder and decoder read one token table. rules: what it does not write
    after what text. repetition_penalty: the checkpoint's own, where no other is chosen.
    renormalised: whether a beam's probabilities sum to 1 again without the tokens it may not take.
    early_stopping: whether a search ends with as many finished texts as there are beams, or only
    where none could become better at any length. dtype: as stored in the checkpoint. notes:
    sentences for the person (assumed values, what was left out).
    """

    family: str
    name: str
    encoder: StackSpec | None = None
    decoder: StackSpec | None = None
    heads: Heads = field(default_factory=Heads)
    special: SpecialIds = field(default_factory=SpecialIds)
    rules: Rules = field(default_factory=Rules)
    repetition_penalty: float = 1.0
    shared_embedding: bool = False
    renormalised: bool = False
    early_stopping: EarlyStopping = False
    dtype: str = "float32"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.encoder is None and self.decoder is None:
            raise ValueError(f"{self.family}: a model needs an encoder, a decoder or both")

    @property
    def architecture(self) -> Architecture:
        if self.encoder is not None and self.decoder is not None:
            return "encoder-decoder"
        return "encoder" if self.encoder is not None else "decoder"

    def stack(self, name: str) -> StackSpec:
        """The stack called "encoder" or "decoder"; KeyError when the model has none."""
        found = self.encoder if name == "encoder" else self.decoder if name == "decoder" else None
        if found is None:
            raise KeyError(f"{self.name} has no {name}")
        return found

    @property
    def stacks(self) -> tuple[StackSpec, ...]:
        return tuple(s for s in (self.encoder, self.decoder) if s is not None)

    @property
    def main_stack(self) -> StackSpec:
        """The stack whose end feeds the vocabulary head."""
        return self.decoder if self.decoder is not None else self.stacks[0]

    @property
    def rereads(self) -> bool:
        """Whether the decoder is fed the encoder's own text, one to the right, to judge it at its
        end (classifiers of BART's and T5's form)."""
        return self.architecture == "encoder-decoder" and self.heads.classes is not None

    @property
    def sites(self) -> tuple[str, ...]:
        """The attention sites: "encoder.self", "decoder.self", "decoder.cross"."""
        found = [f"{s.name}.self" for s in self.stacks]
        if self.architecture == "encoder-decoder":
            found.append("decoder.cross")
        return tuple(found)

"""What a person chose, as plain data: no Qt, no torch; the window is up before torch is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Architecture = Literal["encoder", "decoder", "encoder-decoder"]
ARCHITECTURES: tuple[Architecture, ...] = ("encoder", "decoder", "encoder-decoder")
ARCHITECTURE_NAMES: dict[Architecture, str] = {
    "encoder": "Encoder-only",
    "decoder": "Decoder-only",
    "encoder-decoder": "Encoder–decoder",
}

Side = Literal["right", "left"]
Limits = Literal["fixed", "auto"]
PictureSize = Literal["100", "125", "150", "200"]
"""How large pictures are drawn, in per cent of the usual size of their texts."""
Sentences = Literal["all", "AA", "AB", "BA", "BB"]
"""Which sentence's queries and which sentence's keys of a pair are shown."""
SENTENCES: dict[Sentences, tuple[int, int] | None] = {
    "all": None,
    "AA": (0, 0),
    "AB": (0, 1),
    "BA": (1, 0),
    "BB": (1, 1),
}
HeadOrder = Literal[
    "layer",
    "entropy",
    "distance",
    "self",
    "previous",
    "next",
    "first",
    "special",
    "induction",
    "copying",
]
HEAD_ORDERS: tuple[HeadOrder, ...] = get_args(HeadOrder)
"""What a table of heads is sorted by; after "layer", its columns."""
HEAD_ORDER_NAMES: dict[HeadOrder, str] = {
    "layer": "Layer and head",
    "entropy": "Entropy",
    "distance": "Mean distance",
    "self": "Weight on itself",
    "previous": "Weight on the previous token",
    "next": "Weight on the next token",
    "first": "Weight on the first token",
    "special": "Weight on other special tokens",
    "induction": "Induction",
    "copying": "Copying",
}
ThemeChoice = Literal["system", "light", "dark"]
Strategy = Literal["greedy", "sample", "beam"]
FillOrder = Literal["confident", "left-to-right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What the model is to read. pad_to 0: no padding. Padding goes to `pad_side`.

    pair and target are written in one line each.
    """

    text: str = ""
    pair: str = ""
    target: str = ""
    add_special: bool = True
    pad_to: int = 0
    pad_side: Side = "right"


def one_line(text: str) -> str:
    """Spaces in place of line ends, of whatever kind."""
    return " ".join(text.splitlines())


FIRST_INPUTS: dict[Architecture, Inputs] = {
    "encoder": Inputs(text="The cat sat on the [MASK]."),
    "decoder": Inputs(text="Once upon a time"),
    # For the translator that ships with the project: a first token gives the direction.
    "encoder-decoder": Inputs(text="<2en>我爱AI。"),
}
"""What stands in the editors the first time an architecture is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """How a distribution is narrowed: temperature, top-k (0: all), top-p (1: all), min-p (0: all)
    and the repetition penalty (1: none; None: the checkpoint's own)."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeChoice:
    """How text is continued. speed: steps a second while playing. beams and length_penalty: for
    beam search. order: of an encoder's masks."""

    strategy: Strategy = "greedy"
    seed: int = 0
    max_new_tokens: int = 20
    speed: int = 3
    beams: int = 4
    length_penalty: float = 1.0
    order: FillOrder = "confident"


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """How things are shown. limits "fixed": the colour scale is 0–1; "auto": fitted to the map.
    drop_sinks: attention without first token, special tokens, punctuation. sentences: of a pair.
    heads_by: the order of tables of heads, largest first unless heads_reversed."""

    theme: ThemeChoice = "system"
    picture_size: PictureSize = "100"
    raw_labels: bool = False
    limits: Limits = "fixed"
    drop_sinks: bool = False
    sentences: Sentences = "all"
    heads_by: HeadOrder = "layer"
    heads_reversed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A model to choose. group: the heading it stands under."""

    source: str
    title: str
    architecture: Architecture | None = None
    description: str = ""
    group: str = "Built in"


def untrained(source: str) -> bool:
    """Whether a model's weights are drawn at random."""
    return source.startswith("random:")


RANDOM_MODELS: tuple[Listed, ...] = (
    Listed(
        source="random:encoder",
        title="Random encoder",
        architecture="encoder",
        description="BERT's form with random weights: what attention looks like before training",
        group="Random weights",
    ),
    Listed(
        source="random:decoder",
        title="Random decoder",
        architecture="decoder",
        description="GPT-2's form with random weights",
        group="Random weights",
    ),
    Listed(
        source="random:encoder-decoder",
        title="Random encoder–decoder",
        architecture="encoder-decoder",
        description="A small encoder–decoder with random weights",
        group="Random weights",
    ),
    Listed(
        source="random:vanilla",
        title="The 2017 Transformer, untrained",
        architecture="encoder-decoder",
        description="N = 6, d = 512, 8 heads, sinusoidal positions; random weights",
        group="Random weights",
    ),
)

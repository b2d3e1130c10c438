"""The views: one file each, found by discovery; a view turns a trace into a `Figure`.

A view is a pure function of what was computed and where the person looks; no Qt. A new view is one
new module here with a `VIEW`; modules whose name starts with an underscore are shared parts. torch
is not imported here or by a view's import: the window lists its views before torch is there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.branches import Tree
from app.choices import HeadOrder
from app.figure import Figure
from app.groups import GROUPS
from app.selection import Selection

if TYPE_CHECKING:  # these import torch
    from core.analysis.sharing import Shared
    from core.decoding import BeamSearch, Fill
    from core.request import Sampling, ShouldStop, Step
    from core.trace import Trace


def _no_sampling() -> Sampling:
    from core.request import Sampling

    return Sampling()


def _angle_brackets(token: int) -> str:
    return f"⟨{token}⟩"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """How things are shown, beside what is looked at.

    raw_labels: tokens in the tokenizer's own spelling. sampling: narrows every list over the
    vocabulary. top: how many candidates a list holds. asked: tokens that every list over the
    vocabulary tells the rank of. step or fill: the decoding step or filled mask that `trace`
    belongs to, None for the text; steps: all of them; tree: the other continuations, and the
    present one with its steps; search: a finished beam search; searching: whether one runs and none
    is there yet; shared: runs of the same text on fewer key/value heads. limits: "fixed" colour
    scales, or "auto" from the values shown. pieces: token id -> readable label, of what the model
    predicts; source_pieces: of what an encoder reads, where that is numbered otherwise. missing:
    head name -> one sentence why there is none. drop_sinks: attention without the first token,
    special tokens and punctuation, the rest rescaled. sentences: of a pair, show attention from one
    sentence (0 is A, 1 is B) to one sentence only. heads_by: what a table of heads is sorted by,
    largest first unless heads_reversed. kept: runs of other texts to compare with. compact: for a
    narrow place beside the picture, without what has to be prepared.
    """

    raw_labels: bool = False
    sampling: Sampling = field(default_factory=_no_sampling)
    top: int = 10
    asked: tuple[int, ...] = ()
    step: Step | None = None
    fill: Fill | None = None
    steps: tuple[Step, ...] | tuple[Fill, ...] = ()
    tree: Tree = field(default_factory=Tree)
    search: BeamSearch | None = None
    searching: bool = False
    shared: tuple[Shared, ...] = ()
    limits: Literal["fixed", "auto"] = "fixed"
    pieces: Callable[[int], str] = _angle_brackets
    source_pieces: Callable[[int], str] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    drop_sinks: bool = False
    sentences: tuple[int, int] | None = None
    heads_by: HeadOrder = "layer"
    heads_reversed: bool = False
    kept: tuple[Trace, ...] = ()
    compact: bool = False

    def pieces_of(self, stack: str) -> Callable[[int], str]:
        """Token id -> label, in the vocabulary a stack reads."""
        own = self.source_pieces if stack == "encoder" else None
        return self.pieces if own is None else own


Draw = Callable[["Trace", Selection, ViewOptions], Figure]
Prepare = Callable[["Trace", Selection, ViewOptions, "ShouldStop | None"], None]
Ready = Callable[["Trace", Selection, ViewOptions], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A picture one may ask for.

    summary: what it shows, in one sentence without full stop. group: one of `app.groups.GROUPS`;
    order: place in it. looks: which of "site", "layer" and "head" of the selection it heeds; the
    controls of the others rest while it is in front. draw: pure, a few milliseconds once what it
    needs is there.

    Dear views also have `prepare`, which may run off the window's thread and leaves its result
    remembered in the trace, and `ready`, which says at once whether it still has to. `draw` alone
    gives the same picture, only slower. `prepare` hands its `should_stop` on to the core; where
    that is a `core.progress.Watch`, loops over layers and heads tell it how far they are.
    """

    key: str
    title: str
    summary: str
    group: str
    order: int
    draw: Draw
    looks: frozenset[str] = frozenset({"site", "layer", "head"})
    prepare: Prepare | None = None
    ready: Ready | None = None


def views() -> tuple[View, ...]:
    """All views, group by group in the order of `GROUPS`."""
    names = [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]
    found: list[View] = [importlib.import_module(f"{__name__}.{name}").VIEW for name in names]
    places = {group.key: place for place, group in enumerate(GROUPS)}
    for one in found:
        if one.group not in places:
            raise ValueError(
                f"the view {one.key!r} is in no group that exists: {one.group!r}; "
                f"there are {', '.join(places)}"
            )
    return tuple(sorted(found, key=lambda one: (places[one.group], one.order, one.key)))


def view(key: str) -> View:
    """The view with this key; KeyError naming those there are."""
    known = {v.key: v for v in views()}
    if key not in known:
        raise KeyError(f"there is no view {key!r}; there are {', '.join(known)}")
    return known[key]

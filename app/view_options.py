"""From the store's state to what a view's `draw` takes, and to the picture it makes of that."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from app.checking import shown
from app.choices import SENTENCES
from app.labels import labeller
from core.errors import CoreError

if TYPE_CHECKING:  # the window's first paint needs neither a figure nor numpy
    from app.figure import Figure
    from app.store import State
    from app.views import View, ViewOptions
    from core.text import Tokenizer

SHOWN_BY = frozenset(
    {
        "answer",
        "selection",
        "steps",
        "fills",
        "tree",
        "search",
        "together",
        "what_if",
        "display",
        "narrowing",
        "asked",
        "kept",
    }
)
"""The fields a picture depends on."""

RUN_BY = frozenset({"answer", "selection", "steps", "fills", "checked", "together"})
"""The fields that tell which run is looked at: what `State.trace` depends on."""


def enlargement(state: State) -> float:
    """How much larger than usual pictures are drawn."""
    return int(state.display.picture_size) / 100


def options_of(state: State) -> ViewOptions:
    """Needs a model in the state; imports the core's types, which are there by then."""
    from app.sampling import sampling_of
    from app.views import ViewOptions

    model = state.answer.model if state.answer is not None else state.model
    if model is None:
        raise ValueError("there are no view options without a model")
    narrowing, raw = state.narrowing, state.display.raw_labels
    common = ViewOptions(
        raw_labels=raw,
        sampling=sampling_of(narrowing, model.spec),
        step=state.step,
        fill=state.fill,
        steps=state.moves,
        tree=state.tree.holding(state.steps, state.search),
        search=state.search,
        searching=state.searching,
        shared=shown(state),
        limits=state.display.limits,
        drop_sinks=state.display.drop_sinks,
        sentences=SENTENCES[state.display.sentences],
        heads_by=state.display.heads_by,
        heads_reversed=state.display.heads_reversed,
        kept=tuple(kept.trace for kept in state.kept if kept.model is model),
        missing=model.missing,
    )
    if model.tokenizer is None:
        return common
    from core.text.meant import tokens_meant

    return replace(
        common,
        asked=tokens_meant(model.tokenizer.target, state.asked),
        pieces=_pieces(model.tokenizer.target, raw),
        source_pieces=_pieces(model.tokenizer, raw),
    )


def options_or_none(state: State) -> ViewOptions | None:
    """None where `options_of` fails, for whatever reason: `drawn` then says so in the picture."""
    try:
        return options_of(state)
    except Exception:
        return None


def drawn(view: View, state: State, **changes: Any) -> Figure:
    """The view's picture of the run that is looked at; changes: other options than the state's.

    A picture that fails must not take the window along: it is a sentence, and what nobody foresaw
    is printed too.
    """
    from app.figure import Figure, Words

    assert state.trace is not None
    try:
        options = replace(options_of(state), **changes)
        return view.draw(state.trace, state.selection, options)
    except CoreError as error:
        told = str(error)
    except Exception as error:
        traceback.print_exception(error, file=sys.stderr)
        told = repr(error)
    text = f"{view.title} cannot be drawn: {told.rstrip('.')}."
    return Figure(title=view.title, panels=(Words(title=view.title, text=text),))


@lru_cache(maxsize=4)
def _pieces(tokenizer: Tokenizer, raw: bool) -> Callable[[int], str]:
    """The same tokens are named at every draw."""
    return lru_cache(maxsize=1 << 16)(labeller(tokenizer, raw))

"""Which prediction is looked at: the position whose answer is taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.selection import Selection
from app.views._tokens import last_position, pinned_query, token_name
from core.analysis.comparison import words

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.trace import Trace


def answer_position(trace: Trace, selection: Selection, options: ViewOptions) -> int:
    """The pinned position of the stack that predicts, else the first mask, else the last position:
    in an encoder that of the last word, for no model learns to tell the [SEP] after it."""
    chosen = pinned_answer(trace, selection, options)
    if chosen is not None:
        return chosen
    stack, mask = trace.spec.main_stack.name, trace.spec.special.mask
    tokens = trace.tokens[stack]
    if mask is not None and mask in tokens.ids:
        return tokens.ids.index(mask)
    there = words(tokens) if trace.spec.architecture == "encoder" else []
    return there[-1] if there else last_position(trace, stack)


def pinned_answer(trace: Trace, selection: Selection, options: ViewOptions) -> int | None:
    """The pinned position, where it is one of the stack that predicts."""
    if selection.stack != trace.spec.main_stack.name:
        return None
    return pinned_query(trace, selection, options)


def answer_name(trace: Trace, position: int, token: int, options: ViewOptions) -> str:
    """For titles: what is predicted where."""
    stack = trace.spec.main_stack.name
    place = "in place of" if trace.spec.architecture == "encoder" else "after"
    where = token_name(trace, stack, position, options)
    return f"“{options.pieces(token)}” {place} {where}"


def no_prediction(trace: Trace, options: ViewOptions) -> str:
    """Why there is no prediction to take apart."""
    return options.missing.get("vocab", f"{trace.spec.name} has no output over the vocabulary.")

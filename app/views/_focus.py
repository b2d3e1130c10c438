"""Which one position is looked at, pinned or not; and which prediction is taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.selection import Selection
from app.views._tokens import last_position, pinned_query, token_name
from core.analysis.comparison import words

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.trace import Trace


def followed(trace: Trace, selection: Selection, options: ViewOptions) -> int:
    """The pinned position of the selected stack, else the one that every view begins with."""
    chosen = pinned_query(trace, selection, options)
    return first_choice(trace, selection.stack) if chosen is None else chosen


def first_choice(trace: Trace, stack: str) -> int:
    """Where a view of one position begins: at the first mask, else at a decoder's last token, else
    at the first word, for what stands at [CLS] and [SEP] is no word's and no model learns to tell
    them."""
    tokens, mask = trace.tokens[stack], trace.spec.special.mask
    if mask is not None and mask in tokens.ids:
        return tokens.ids.index(mask)
    there = words(tokens) if stack == "encoder" else []
    return there[0] if there else last_position(trace, stack)


def answer_position(trace: Trace, selection: Selection, options: ViewOptions) -> int:
    """The pinned position of the stack that predicts, else the one that every view begins with."""
    chosen = pinned_answer(trace, selection, options)
    return first_choice(trace, trace.spec.main_stack.name) if chosen is None else chosen


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

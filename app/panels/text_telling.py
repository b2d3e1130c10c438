"""What is said of the text that was given, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.counting import counted
from app.store import Answer, State

if TYPE_CHECKING:
    from core.text import Tokenizer


def warnings(tokenizer: Tokenizer, text: str, pair: str) -> tuple[str, ...]:
    """What the model reads otherwise than it looks."""
    from core.errors import CoreError

    try:
        return tokenizer.warnings(text, pair or None)
    except CoreError:  # the run says so
        return ()


def unpadded(answer: Answer) -> str:
    """That the text is too long for its padding; empty where it is not."""
    trace, wanted = answer.trace, answer.inputs.pad_to
    count = len(trace.tokens["encoder" if trace.spec.encoder is not None else "decoder"])
    if not wanted or count <= wanted:
        return ""
    return f"Nothing is padded to {wanted}: the text already takes {counted(count, 'token')}."


def wrong_input(state: State) -> str:
    """What is wrong with what was given, told beside it; empty where nothing is."""
    if state.refused is not None and state.old:
        return state.refused.text
    problem = state.problem
    return problem.text if problem is not None and problem.where == "input" else ""

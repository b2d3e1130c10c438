"""What a checkpoint's settings let come next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.views._bars import ruled
from app.views._tokens import last_position

if TYPE_CHECKING:
    from torch import Tensor

    from core.decoding.rules import Past
    from core.request import Step
    from core.trace import Trace


def allowed(trace: Trace, logits: Tensor, past: Past, step: Step | None) -> Tensor | None:
    """[vocab], what the checkpoint lets follow `past`, where `step` was taken; None where it lets
    all, RequestError where none."""
    from core.decoding import prompt

    fixed = prompt.fixed_after(trace.spec, len(past.read)) if step is None else step.fixed
    return prompt.allowed(trace.spec, logits, fixed, past)


def narrows(trace: Trace, place: int, logits: Tensor, step: Step | None = None) -> bool:
    """Whether the list of what may come after `place` of a decoder, with logits [vocab], is not
    the model's own. step: the one whose run it is."""
    from core.decoding import rules
    from core.errors import RequestError

    if trace.spec.decoder is None:
        return False
    past = rules.past(trace, 0 if step is None else step.index, place + 1)
    taken = step if place == last_position(trace, "decoder") else None
    try:
        return bool(ruled(logits, allowed(trace, logits, past, taken)))
    except RequestError:  # every token is ruled out
        return True

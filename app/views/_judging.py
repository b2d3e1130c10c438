"""What is said of the heads that judge the whole text, wherever they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.views._tokens import labels

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.trace import Trace


def alone(trace: Trace) -> str:
    """One line in place of the sentence-pair head's numbers where they would mean nothing."""
    pair = trace.spec.heads.pair
    if pair is None or 1 in trace.tokens["encoder"].sequence:
        return ""
    return f"“{pair.question}” is not judged: there is no second sentence."


def judged_place(trace: Trace) -> int:
    """Of the token whose states these heads read, padding left out; of a mean, of the first one."""
    tokens, classes = trace.tokens[trace.spec.main_stack.name], trace.spec.heads.classes
    if classes is not None:
        return classes.place(tokens.ids, tokens.padding)
    return tokens.padding.index(False)


def sees_itself(trace: Trace, options: ViewOptions) -> str:
    """One sentence where a mask keeps the text from the token that these heads read; else nothing.
    Where a second stack is read too, or the mean of all tokens, none does."""
    stack, classes = trace.spec.main_stack, trace.spec.heads.classes
    tokens, place = trace.tokens[stack.name], judged_place(trace)
    others = [i for i, padded in enumerate(tokens.padding) if not padded and i != place]
    mean = classes is not None and classes.of == "mean"
    if not others or mean or trace.spec.architecture == "encoder-decoder":
        return ""
    for layer in range(stack.layers):
        if trace.allowed(f"{stack.name}.self", layer)[place][others].any():
            return ""
    name = labels(tokens, options.raw_labels)[place]
    what = "the text" if tokens.special[place] else "the rest of the text"
    judged = f"what is judged from it does not depend on {what}"
    return f"Under this mask “{name}” sees only itself: {judged}."

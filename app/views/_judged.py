"""What the heads say that judge a whole text or each of its tokens, not the vocabulary's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from app.figure import Floats
from app.views._tokens import labels
from core.analysis.classes import class_values

if TYPE_CHECKING:
    from torch import Tensor

    from app.views import ViewOptions
    from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """One head. values: one a label, in its own order: probabilities or, where `scores`, numbers
    of no scale. logits: of the labels, where the values are one distribution over them."""

    head: Literal["pair", "classes", "replaced"]
    title: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    logits: Tensor | None = None
    scores: bool = False


def judged(trace: Trace, options: ViewOptions) -> list[Judged]:
    """Those heads that the checkpoint holds and whose numbers mean something here."""
    heads, spec = trace.sentence_heads, trace.spec.heads
    found = []
    if spec.pair is not None and not alone(trace):
        logits = heads["pair"]
        found.append(
            Judged(
                head="pair",
                title=spec.pair.question,
                labels=spec.pair.labels,
                values=_softmax(logits.numpy()),
                logits=logits,
            )
        )
    if spec.classes is not None:
        logits, problem = heads["classes"], spec.classes.problem
        titles = {"one": "Class of the text", "several": "Classes of the text"}
        found.append(
            Judged(
                head="classes",
                title=titles.get(problem, "Score of the text"),
                labels=spec.classes.labels,
                values=tuple(class_values(spec.classes, logits).tolist()),
                logits=logits if problem == "one" else None,
                scores=problem == "score",
            )
        )
    if spec.replaced is not None:
        chances = 1 / (1 + np.exp(-heads["replaced"].numpy().astype(np.float64)))
        found.append(
            Judged(
                head="replaced",
                title="Was this token replaced?",
                labels=labels(trace.tokens["encoder"], options.raw_labels),
                values=tuple(chances.tolist()),
            )
        )
    return found


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


def score(value: float) -> str:
    """A number of no scale, in words."""
    return f"{value:z.4f}".replace("-", "−")


def _softmax(logits: Floats) -> tuple[float, ...]:
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return tuple((powers / powers.sum()).tolist())

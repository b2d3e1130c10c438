"""Is the cached path the model's own? Each step against one full forward without a cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.decoding import prompt
from core.decoding.generate import Runs
from core.errors import Cancelled, RequestError
from core.request import ShouldStop, Step
from core.run import last_position, rows_stay
from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Difference:
    """Largest absolute differences between decoding on the cache and the full forward.

    logits: over all steps and the whole vocabulary. pattern: over every layer and head, self- and
    cross-attention, of each step's own row. full: the run over all positions at once.
    """

    steps: int
    logits: float
    pattern: float
    full: Trace


def verify(
    model: Runs, steps: Sequence[Step], *, should_stop: ShouldStop | None = None
) -> Difference:
    """Run the text of the last step at once, from nothing, and compare every step with its row.

    Where a longer text changes earlier rows (`core.run.rows_stay`) each step is compared with a run
    of its own text instead.
    """
    if not steps:
        raise RequestError("there is no step to verify yet; decode a token first")
    last = steps[-1].trace
    request = prompt.with_tokens(last.request, last.tokens["decoder"])
    full = model.run(request, should_stop=should_stop)
    spec = model.spec.stack("decoder")
    sites = [site for site in model.spec.sites if site.startswith("decoder.")]
    logits = pattern = 0.0
    before: Step | None = None
    first = len(steps[0].trace.tokens["decoder"])
    stay = rows_stay(spec, last.request.mask("decoder.self"), first)
    for step in steps:
        if should_stop is not None and should_stop():
            raise Cancelled("the comparison was stopped")
        if not stay:
            own = prompt.with_tokens(step.trace.request, step.trace.tokens["decoder"])
            full = model.run(own, should_stop=should_stop)
        row = last_position(step.trace.tokens["decoder"])
        logits = max(logits, float((full.logits_at(row)[0] - step.logits).abs().max()))
        for site in sites:
            for layer in range(spec.layers):
                # Not remembered: there are as many rows as steps times layers.
                mine = step.trace.derive.pattern(step.trace, site, layer, None, row)
                whole = full.derive.pattern(full, site, layer, None, row)[:, : mine.shape[-1]]
                pattern = max(pattern, float((mine - whole).abs().max()))
        if before is not None:
            before.trace.forget()
        before = step
    return Difference(steps=len(steps), logits=logits, pattern=pattern, full=full)

"""Is the cached path the model's own? Each step against one full forward without a cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.decoding import prompt
from core.decoding.generate import Runs
from core.errors import Cancelled, RequestError
from core.request import ShouldStop, Step
from core.reuse import rows_moved_by
from core.run import last_position
from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """How far stepping and one run over all positions are apart where later tokens change the rows
    of earlier ones.

    why: what lets them, the mask or positions that depend on the length. step: index of the one
    whose token's probability changes most; stepped: that probability, together: the same token's
    in the one run. logits: largest absolute difference over all steps.
    """

    why: Literal["mask", "positions"]
    step: int
    stepped: float
    together: float
    logits: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Difference:
    """Largest absolute differences between decoding on the cache and the full forward.

    logits: over all steps and the whole vocabulary. pattern: over every layer and head, self- and
    cross-attention, of each step's own row. full: the run over all positions at once. parting:
    what that run says otherwise; None where it has to be the same.
    """

    steps: int
    logits: float
    pattern: float
    full: Trace
    parting: Parting | None = None


def verify(
    model: Runs, steps: Sequence[Step], *, should_stop: ShouldStop | None = None
) -> Difference:
    """Run the text of the last step at once, from nothing, and compare every step with its row.

    Where a longer text changes earlier rows (`core.reuse.rows_moved_by`) each step is compared with
    a run of its own text instead, and the run at once is told apart.
    """
    if not steps:
        raise RequestError("there is no step to verify yet; decode a token first")
    last = steps[-1].trace
    request = prompt.with_tokens(last.request, last.tokens["decoder"])
    whole = full = model.run(request, should_stop=should_stop)
    spec = model.spec.stack("decoder")
    sites = [site for site in model.spec.sites if site.startswith("decoder.")]
    logits = pattern = 0.0
    before: Step | None = None
    first = steps[0].trace.tokens["decoder"].real()
    moved = rows_moved_by(spec, last.request.mask("decoder.self"), first)
    for step in steps:
        if should_stop is not None and should_stop():
            raise Cancelled("the comparison was stopped")
        if moved is not None:
            own = prompt.with_tokens(step.trace.request, step.trace.tokens["decoder"])
            full = model.run(own, should_stop=should_stop)
        row = last_position(step.trace.tokens["decoder"])
        logits = max(logits, float((full.logits_at(row)[0] - step.logits).abs().max()))
        for site in sites:
            for layer in range(spec.layers):
                # Not remembered: there are as many rows as steps times layers.
                mine = step.trace.derive.pattern(step.trace, site, layer, None, row)
                other = full.derive.pattern(full, site, layer, None, row)[:, : mine.shape[-1]]
                pattern = max(pattern, float((mine - other).abs().max()))
        if before is not None:
            before.trace.forget()
        before = step
    return Difference(
        steps=len(steps),
        logits=logits,
        pattern=pattern,
        full=whole,
        parting=None if moved is None else _parting(steps, whole, moved),
    )


def _parting(steps: Sequence[Step], whole: Trace, why: Literal["mask", "positions"]) -> Parting:
    """Each step against its row of `whole`."""
    found: list[tuple[float, int]] = []
    logits = 0.0
    for step in steps:
        scores = whole.logits_at(last_position(step.trace.tokens["decoder"]))[0]
        logits = max(logits, float((scores - step.logits).abs().max()))
        found.append((float(scores.softmax(-1)[step.token]), step.index))
    together, index = max(found, key=lambda one: abs(one[0] - steps[one[1]].probability))
    return Parting(
        why=why,
        step=index,
        stepped=steps[index].probability,
        together=together,
        logits=logits,
    )

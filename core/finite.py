"""Whether a run's results are finite numbers, and where they stopped being so.

Looking at every weight would read a checkpoint through, which loading avoids. Almost every NaN and
infinity among the weights reaches the last states, so those are looked at after a run, which costs
next to nothing; only where they are not finite is the run searched for the first value that is not,
and that value's weights.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from core.derive import end_site
from core.model import Transformer
from core.recorder import SITES
from core.trace import Trace

_MOST = 3
_PLACES = {"embed": "in the embedding", "final": "in the last norm"}
_MODULES = {"self": "attention", "cross": "cross", "ffn": "feedforward"}


def trouble(trace: Trace) -> str:
    """One sentence about the first value of a run that is no finite number, and the weights or the
    edit behind it; "" when the results are finite. Layers count from 1 in it."""
    network: Transformer = trace.derive.network
    states = trace.captured[end_site(trace.spec.main_stack)].own
    if not _all_finite(states):
        return _in_the_run(trace, network)
    for name, scores in _scores(trace):
        if not _all_finite(scores):
            return _in_a_head(network, name, scores)
    return ""


def kind(values: Tensor) -> str:
    """What they hold, NaN or infinity; "" where all are finite."""
    if _all_finite(values):
        return ""
    return "NaN" if bool(values.isnan().any()) else "infinity"


def _in_the_run(trace: Trace, network: Transformer) -> str:
    site, found = next(
        (site, found)
        for site, captured in trace.captured.items()
        if (found := kind(captured.values))
    )
    said = f"the results are no finite numbers: {found} stands first in {_described(site)}"
    before = list(trace.captured)
    edits = [s for s in before[: before.index(site) + 1] if s in trace.edited]
    if site in edits:
        return f"{said}, where an edit put it"
    faulty = _faulty(network, _modules(network, site))
    if faulty:
        return f"{said}, because {faulty}"
    if edits:
        return f"{said}, after the edit of {_described(edits[-1])}"
    dtype = str(trace.captured[site].own.dtype).removeprefix("torch.")
    wider = "" if dtype == "float32" else "; float32 holds more"
    return (
        f"{said}; its weights are finite, so the numbers outgrew {dtype} or met a division by "
        f"zero{wider}"
    )


def _in_a_head(network: Transformer, name: str, scores: Tensor) -> str:
    modules: list[nn.Module | None] = [getattr(network.heads, name)]
    what = f"the {name} head"
    if name == "vocab":
        count = int((~scores.isfinite()).any(0).sum())
        what = f"the scores of {count:,} of {scores.shape[-1]:,} tokens"
        modules.append(network.stack(network.spec.main_stack.name).embedding.token)
    else:
        modules.append(network.heads.pooler)
    said = f"the results are no finite numbers: {kind(scores)} stands first in {what}"
    faulty = _faulty(network, modules)
    dtype = str(next(network.parameters()).dtype).removeprefix("torch.")
    return (
        f"{said}, because {faulty}"
        if faulty
        else f"{said}; its weights are finite, so the numbers outgrew {dtype}"
    )


def _scores(trace: Trace) -> Iterator[tuple[str, Tensor]]:
    """What the heads said so far; nothing is computed for this."""
    count = len(trace.tokens[trace.spec.main_stack.name])
    if trace.remembers(("logits",)):
        yield "vocab", trace.logits
    else:
        rows = [p for p in range(count) if trace.remembers(("logits", p))]
        if rows:
            yield "vocab", trace.logits_at(*rows)
    for name in ("pair", "classes", "replaced"):
        if trace.remembers(("heads", name)):
            yield name, trace.sentence_heads[name]


def _described(site: str) -> str:
    stack, *middle, part, name = site.split(".")
    key = f"{part}.{name}"
    meaning = SITES[key.replace("cross.", "self.") if key not in SITES else key][1]
    place = f"in layer {int(middle[0]) + 1}" if middle else _PLACES[part]
    return f"{key} ({meaning}) {place} of the {stack}"


def _modules(network: Transformer, site: str) -> list[nn.Module | None]:
    """What a recorded value is computed with."""
    name, *middle, part, _ = site.split(".")
    stack = network.stack(name)
    if not middle:
        return [stack.embedding if part == "embed" else stack.final_norm]
    block = stack.block(int(middle[0]))
    if part in ("norm", "resid"):
        return [block.residual]
    return [getattr(block, _MODULES[part]), stack.bias]


def _faulty(network: Transformer, modules: list[nn.Module | None]) -> str:
    """Which weights of these hold NaN or infinity, by the checkpoint's names, as half a sentence;
    "" where none does."""
    names = {id(p): name for name, p in network.named_parameters()}
    found: dict[str, str] = {}
    for module in modules:
        for parameter in module.parameters() if module is not None else ():
            name = names[id(parameter)]
            what = kind(parameter)
            if what:
                found[network.sources.get(name, name)] = what
    if not found:
        return ""
    shown = [f"{name} holds {what}" for name, what in list(found.items())[:_MOST]]
    more = f" and {len(found) - _MOST} more weights do so" if len(found) > _MOST else ""
    return " and ".join(shown) + more


def _all_finite(values: Tensor) -> bool:
    return bool(torch.isfinite(values).all())

"""An opened checkpoint -> a network with its weights.

Everything is decided from names and shapes before a tensor is read: the family, the heads the file
holds, each parameter's source. The network is built without memory and given the file's own
(memory-mapped) tensors, so loading float32 weights makes no second copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import torch

from core.checkpoints.config import Config
from core.checkpoints.convert import Matched, Move, Rule, check, match, original, some
from core.checkpoints.files import Checkpoint
from core.checkpoints.generation import followed, unfollowed
from core.checkpoints.places import Places, count, places_of, skeleton, with_heads
from core.checkpoints.recognise import refuse_parts
from core.checkpoints.tied import (
    OUTPUT,
    equal,
    named_by_output,
    really_tied,
    untie,
    with_vocab,
    without_words,
)
from core.device import check_fits
from core.errors import Cancelled, CheckpointError, UnsupportedModel
from core.families import family_of
from core.families.unnamed import name_class
from core.model import Transformer
from core.request import ShouldStop
from core.spec import ModelSpec

Progress = Callable[[float, float, str], None]
"""(done, of how much, what is being done)."""

HEAD_NAMES = {
    "vocab": "vocabulary",
    "pair": "sentence-pair",
    "classes": "classification",
    "replaced": "replaced-token",
}

PLAIN = ("float32", "float16", "bfloat16", "float64")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """missing: head -> one sentence that says which tensors the file does not hold."""

    network: Transformer
    spec: ModelSpec
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """Every parameter's source, checked; nothing is read yet. network: without its weights, places:
    where they go."""

    spec: ModelSpec
    network: Transformer
    places: Places
    moves: tuple[Move, ...]
    missing: Mapping[str, str]
    copies: tuple[Move, ...]


def plan(checkpoint: Checkpoint) -> Plan:
    """Decide what the checkpoint is; CheckpointError or UnsupportedModel in one sentence."""
    config = checkpoint.config
    family = family_of(config)
    name_class(config, family, checkpoint.shapes)
    _refuse_quantised(config)
    refuse_parts(checkpoint.shapes, checkpoint.weights)
    spec = describe(config)
    rules, held, where = family.rules(spec), checkpoint.shapes, checkpoint.weights
    matched = match(held, rules, family.prefixes, experts=_experts(spec), where=where)
    every = without_words(untie(family.adapt(spec, matched), matched), config)
    network = skeleton(every)
    places = places_of(network)
    spec, missing = _keep_heads(every, matched, rules, places, checkpoint.files[0].path.name)
    if spec.heads != every.heads:
        places = with_heads(network, spec, places)
    matched, idle = _without_idle_heads(named_by_output(spec, matched), places)
    check(matched, rules, {n: p.shape for n, p in places.items()}, held, where)
    notes = [*config.notes, *(f"{where} also holds {why}, which is not shown" for why in idle)]
    unheeded = unfollowed(spec, config)
    notes += [unheeded] if unheeded is not None else []
    stored = _stored(checkpoint, matched.moves)
    return Plan(
        spec=replace(spec, dtype=stored, notes=tuple(dict.fromkeys(notes))),
        network=network,
        places=places,
        moves=matched.moves,
        missing=missing,
        copies=matched.copies,
    )


def _refuse_quantised(config: Config) -> None:
    said = config.read("quantization_config", "compression_config")
    if not said:
        return
    known = ""
    if isinstance(said, Mapping):
        sizes = (size for size in ("4bit", "8bit") if said.get(f"load_in_{size}"))
        known = said.get("quant_method") or next(sizes, "")
    raise UnsupportedModel(
        f"{config.path} says the weights are quantised{f' ({known})' if known else ''}; supported "
        "are float32, float16 and bfloat16"
    )


def check_config(config: Config, device: torch.device, dtype: torch.dtype) -> None:
    """What a configuration alone tells: whether the model is supported, and fits there. Heads do
    not count, as the file may lack them."""
    family_of(config)
    _refuse_quantised(config)
    places = places_of(skeleton(describe(config)))
    body = {name: place for name, place in places.items() if not name.startswith("heads.")}
    check_fits(count(body), dtype, device)


def describe(config: Config) -> ModelSpec:
    """What the family reads in a configuration; CheckpointError where it makes no sense."""
    try:
        return followed(family_of(config).spec(config), config)
    except (ValueError, TypeError, ArithmeticError, AttributeError, LookupError) as error:
        raise CheckpointError(f"{config.path} describes no possible model: {error}") from None


def build(
    checkpoint: Checkpoint,
    plan: Plan,
    *,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Built:
    """Read the tensors and give them to the network."""
    spec, network, places, moves = plan.spec, plan.network, plan.places, plan.moves
    check_fits(count(places), dtype, device)
    _check_copies(checkpoint, plan)
    if really_tied(checkpoint, spec, moves):
        spec = with_vocab(spec, tied=True)
        moves = tuple(move for move in moves if OUTPUT not in move.targets)
        places = with_heads(network, spec, places)
    network.spec = spec
    stored, kept = checkpoint.dtypes, str(dtype).removeprefix("torch.")
    network.sources = {target: move.source for move in moves for target in move.targets}
    network.missing = plan.missing
    left, here = places.keys() - network.sources.keys(), device.type == "cpu"
    if left:
        raise RuntimeError(f"no weights are given to {', '.join(sorted(left))}")
    for done, move in enumerate(moves):
        if should_stop is not None and should_stop():
            raise Cancelled("loading was cancelled")
        if progress is not None:
            progress(done, len(moves), "Loading weights")
        mine = [places[target] for target in move.targets]
        as_it_is = here and stored[move.source] == kept
        tensor = checkpoint.read(move.source, mapped=as_it_is)
        if not as_it_is:  # before it is split: one large copy is faster than several
            tensor = tensor.to(device=device, dtype=dtype)
        parts = move.change.apply(tensor, [place.shape for place in mine])
        for place, part in zip(mine, parts, strict=True):
            place.put(part)
    if progress is not None:
        progress(len(moves), len(moves), "Loading weights")
    return Built(network=network, spec=spec, missing=plan.missing)


# --- what the file holds ------------------------------------------------------------------------


def _keep_heads(
    spec: ModelSpec, matched: Matched, rules: Sequence[Rule], places: Places, where: str
) -> tuple[ModelSpec, dict[str, str]]:
    """The spec without the heads of which the file holds nothing, and what each lacks."""
    missing = heads_without(spec)
    heads, targets = spec.heads, matched.targets
    names = [name for name in places if name.startswith("heads.")]
    for head, label in HEAD_NAMES.items():
        own = [n for n in names if n.startswith(f"heads.{head}.")]
        if own and targets.isdisjoint(own):
            lost = some([original(n, rules, matched.prefix) for n in own])
            missing[head] = f"{where} has no {label} head: it does not hold {lost}"
            heads = replace(heads, **{head: None})
    return replace(spec, heads=heads), missing


def heads_without(spec: ModelSpec) -> dict[str, str]:
    """Head -> one sentence, for those this kind of model has not."""
    return {
        head: f"{spec.family} as configured has no {label} head"
        for head, label in HEAD_NAMES.items()
        if getattr(spec.heads, head) is None
    }


def _without_idle_heads(matched: Matched, places: Places) -> tuple[Matched, list[str]]:
    """Tensors of heads that this model does not use (a pooler without a head) are left aside."""
    held = {name.split(".", 2)[1] for name in places if name.startswith("heads.")}
    heads = [m for m in matched.moves if m.targets[0].startswith("heads.")]
    idle = [m for m in heads if all(_is_idle(t, held) for t in m.targets)]
    kept = tuple(m for m in matched.moves if m not in idle) if idle else matched.moves
    whys = [why for _, why in matched.aside if why]
    whys += [m.source for m in idle if not m.targets[0].startswith("heads.pooler.")]
    return replace(matched, moves=kept), whys


def _is_idle(target: str, held: set[str]) -> bool:
    return target.startswith("heads.") and target.split(".", 2)[1] not in held


def _check_copies(checkpoint: Checkpoint, plan: Plan) -> None:
    """A second copy of a tensor must say the same as the first."""
    sources = {t: m.source for m in plan.moves for t in m.targets}
    for copy in plan.copies:
        first = sources.get(copy.targets[0])
        if first is not None and not equal(checkpoint.read(first), checkpoint.read(copy.source)):
            raise CheckpointError(
                f"{checkpoint.weights} holds two different tensors, {first} and {copy.source}, "
                "where this kind of model has only one"
            )


def _stored(checkpoint: Checkpoint, moves: Sequence[Move]) -> str:
    """The type most weights are stored in; all are plain numbers."""
    counts: Counter[str] = Counter()
    shapes, dtypes = checkpoint.shapes, checkpoint.dtypes
    for move in moves:
        dtype = dtypes[move.source]
        # A GGUF file's own types were looked at when it was opened.
        if dtype not in PLAIN and checkpoint.metadata is None:
            raise UnsupportedModel(
                f"{checkpoint.weights} stores {move.source} as {dtype}; supported are "
                f"{', '.join(PLAIN[:-1])} and {PLAIN[-1]}"
            )
        counts[dtype] += prod(shapes[move.source])
    return counts.most_common(1)[0][0]


def _experts(spec: ModelSpec) -> int:
    counts = {
        b.feedforward.experts.count
        for stack in spec.stacks
        for b in stack.blocks
        if b.feedforward.experts is not None
    }
    return max(counts, default=0)

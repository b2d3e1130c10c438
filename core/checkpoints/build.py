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
from torch import Tensor, nn

from core.checkpoints.config import Config
from core.checkpoints.convert import Matched, Move, Rule, check, match, original, some
from core.checkpoints.files import Checkpoint
from core.device import check_fits
from core.errors import Cancelled, CheckpointError, UnsupportedModel
from core.families import family_of
from core.heads import HeadBank
from core.model import Transformer
from core.request import ShouldStop
from core.spec import Heads, ModelSpec

Progress = Callable[[float, float, str], None]
"""(done, of how much, what is being done)."""

OUTPUT = "heads.vocab.weight.weight"
HEAD_NAMES = {
    "vocab": "vocabulary",
    "pair": "sentence-pair",
    "classes": "classification",
    "replaced": "replaced-token",
}


_LOOKED_AT = 1024
"""Values of each tensor looked at for NaN: norms and biases whole, of a matrix the first rows. All
of them would read a mapped file through."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """missing: head -> one sentence that says which tensors the file does not hold."""

    network: Transformer
    spec: ModelSpec
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """Every parameter's source, checked; nothing is read yet. network: without its weights."""

    spec: ModelSpec
    network: Transformer
    moves: tuple[Move, ...]
    missing: Mapping[str, str]
    copies: tuple[Move, ...]


def plan(checkpoint: Checkpoint) -> Plan:
    """Decide what the checkpoint is; CheckpointError or UnsupportedModel in one sentence."""
    config = checkpoint.config
    family = family_of(config)
    quantised = config.read("quantization_config")
    if quantised is not None:
        method = quantised.get("quant_method", "some way") if isinstance(quantised, dict) else "?"
        raise UnsupportedModel(
            f"{config.path} says the weights are quantised ({method}); supported are float32, "
            "float16 and bfloat16"
        )
    spec = describe(config)
    rules, held, where = family.rules(spec), checkpoint.shapes, checkpoint.weights
    matched = match(held, rules, family.prefixes, experts=_experts(spec), where=where)
    spec = _untie(family.adapt(spec, matched), matched)
    spec, missing = _keep_heads(spec, matched, rules, checkpoint.files[0].path.name)
    network = skeleton(spec)
    expected = shapes_of(network)
    matched, idle = _without_idle_heads(_named_by_output(spec, matched), expected)
    check(matched, rules, expected, held, where)
    notes = [*config.notes, *(f"{where} also holds {why}, which is not shown" for why in idle)]
    spec = replace(spec, dtype=_stored(checkpoint), notes=tuple(dict.fromkeys(notes)))
    return Plan(
        spec=spec, network=network, moves=matched.moves, missing=missing, copies=matched.copies
    )


def describe(config: Config) -> ModelSpec:
    """What the family reads in a configuration; CheckpointError where it makes no sense."""
    try:
        return family_of(config).spec(config)
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
    spec, network, moves = plan.spec, plan.network, plan.moves
    _check_copies(checkpoint, plan)
    if _really_tied(checkpoint, plan):
        assert spec.heads.vocab is not None
        spec = _with_vocab(spec, tied=True)
        moves = tuple(move for move in moves if OUTPUT not in move.targets)
        network = skeleton(spec)
    network.spec = spec
    no_number: str | None = None
    shapes, modules = shapes_of(network), dict(network.named_modules())
    check_fits(sum(prod(s) for s in shapes.values()), dtype, device)
    for done, move in enumerate(moves):
        if should_stop is not None and should_stop():
            raise Cancelled("loading was cancelled")
        if progress is not None:
            progress(done, len(moves), "Loading weights")
        tensor = checkpoint.read(move.source, keep=dtype)
        if no_number is None and tensor.reshape(-1)[:_LOOKED_AT].float().isnan().any():
            no_number = move.source
        parts = move.change.apply(tensor, [shapes[t] for t in move.targets])
        for target, part in zip(move.targets, parts, strict=True):
            parent, _, leaf = target.rpartition(".")
            # Not by setattr, which searches every registry of a module for an old value.
            modules[parent]._parameters[leaf] = nn.Parameter(
                part.to(device=device, dtype=dtype), requires_grad=False
            )
    if progress is not None:
        progress(len(moves), len(moves), "Loading weights")
    left = shapes.keys() - {target for move in moves for target in move.targets}
    if left:
        raise RuntimeError(f"no weights were given to {', '.join(sorted(left))}")
    if no_number is not None:
        note = f"{checkpoint.weights} holds NaN (no number) in {no_number}, so no result means much"
        spec = replace(spec, notes=(*spec.notes, note))
        network.spec = spec
    return Built(network=network.eval(), spec=spec, missing=plan.missing)


def shapes_of(network: nn.Module) -> dict[str, tuple[int, ...]]:
    """Parameter -> shape; a parameter with two names is listed once."""
    return {name: tuple(p.shape) for name, p in network.named_parameters()}


def skeleton(spec: ModelSpec) -> Transformer:
    """The network without memory for its weights."""
    with torch.device("meta"):
        return Transformer(spec)


# --- what the file holds ------------------------------------------------------------------------


def _untie(spec: ModelSpec, matched: Matched) -> ModelSpec:
    """A separate output matrix in the file counts, whatever the configuration says; whether it
    differs from the embedding is seen when both are read."""
    if spec.heads.vocab is None or OUTPUT not in matched.targets or not spec.heads.vocab.tied:
        return spec
    return _with_vocab(spec, tied=_table(spec) not in matched.targets)


def _named_by_output(spec: ModelSpec, matched: Matched) -> Matched:
    """A tied matrix stored only as the output matrix is the embedding."""
    if spec.heads.vocab is None or not spec.heads.vocab.tied or OUTPUT not in matched.targets:
        return matched
    moves = tuple(
        replace(m, targets=(_table(spec),)) if m.targets == (OUTPUT,) else m for m in matched.moves
    )
    return replace(matched, moves=moves)


def _keep_heads(
    spec: ModelSpec, matched: Matched, rules: Sequence[Rule], where: str
) -> tuple[ModelSpec, dict[str, str]]:
    """The spec without the heads of which the file holds nothing, and what each lacks."""
    with torch.device("meta"):
        bank = HeadBank(spec.heads, spec.main_stack.d_model)
    names = [f"heads.{name}" for name, _ in bank.named_parameters()]
    missing = heads_without(spec)
    heads = spec.heads
    for head, label in HEAD_NAMES.items():
        own = [n for n in names if n.startswith(f"heads.{head}.")]
        if own and matched.targets.isdisjoint(own):
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


def _without_idle_heads(
    matched: Matched, expected: Mapping[str, tuple[int, ...]]
) -> tuple[Matched, list[str]]:
    """Tensors of heads that this model does not use (a pooler without a head) are left aside."""
    idle = [m for m in matched.moves if all(_is_idle(t, expected) for t in m.targets)]
    kept = tuple(m for m in matched.moves if m not in idle)
    whys = [why for _, why in matched.aside if why]
    whys += [m.source for m in idle if not m.targets[0].startswith("heads.pooler.")]
    return replace(matched, moves=kept), whys


def _is_idle(target: str, expected: Mapping[str, tuple[int, ...]]) -> bool:
    head = target.split(".")[1]
    return target.startswith("heads.") and not any(n.startswith(f"heads.{head}.") for n in expected)


def _table(spec: ModelSpec) -> str:
    """The parameter an output matrix is tied to."""
    name = "encoder" if spec.shared_embedding else spec.main_stack.name
    return f"{name}.embedding.token.weight"


def _with_vocab(spec: ModelSpec, *, tied: bool) -> ModelSpec:
    assert spec.heads.vocab is not None
    heads: Heads = replace(spec.heads, vocab=replace(spec.heads.vocab, tied=tied))
    return replace(spec, heads=heads)


def _really_tied(checkpoint: Checkpoint, plan: Plan) -> bool:
    """True when the file's output matrix is the embedding once more, as .bin files have it."""
    sources = {t: m.source for m in plan.moves for t in m.targets}
    table = _table(plan.spec)
    if OUTPUT not in sources or table not in sources or not _same_shape(plan.spec):
        return False
    return _equal(checkpoint.read(sources[OUTPUT]), checkpoint.read(sources[table]))


def _same_shape(spec: ModelSpec) -> bool:
    vocab = spec.heads.vocab
    return vocab is not None and (vocab.d_transform or spec.main_stack.d_model) == (
        spec.main_stack.embedding.width
    )


def _check_copies(checkpoint: Checkpoint, plan: Plan) -> None:
    """A second copy of a tensor must say the same as the first."""
    sources = {t: m.source for m in plan.moves for t in m.targets}
    for copy in plan.copies:
        first = sources.get(copy.targets[0])
        if first is not None and not _equal(checkpoint.read(first), checkpoint.read(copy.source)):
            raise CheckpointError(
                f"{checkpoint.weights} holds two different tensors, {first} and {copy.source}, "
                "where this kind of model has only one"
            )


def _equal(first: Tensor, second: Tensor) -> bool:
    if first.data_ptr() == second.data_ptr() and first.shape == second.shape:
        return True
    return torch.equal(first, second)


def _stored(checkpoint: Checkpoint) -> str:
    """The type most weights are stored in."""
    counts: Counter[str] = Counter()
    for file in checkpoint.files:
        shapes = file.shapes
        for name, dtype in file.dtypes.items():
            counts[dtype] += prod(shapes[name])
    found = counts.most_common(1)[0][0] if counts else "float32"
    if found.startswith(("int", "uint", "bool", "float8")):
        raise UnsupportedModel(
            f"{checkpoint.weights} is stored as {found}; supported are float32, float16 "
            "and bfloat16"
        )
    return found


def _experts(spec: ModelSpec) -> int:
    counts = {
        b.feedforward.experts.count
        for stack in spec.stacks
        for b in stack.blocks
        if b.feedforward.experts is not None
    }
    return max(counts, default=0)

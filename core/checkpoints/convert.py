"""A checkpoint's tensor names -> the network's, strictly.

A family's rename table is a tuple of `Rule`s, read in order. In a name `{i}` stands for a layer,
`{e}` for an expert, a final `*` for "weight" or "bias" and a final `**` for anything. Every tensor
of the checkpoint must match a rule, every parameter of the network must be given exactly once, all
shapes must agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from core.checkpoints.changes import Change, Columns, Keep, Shape
from core.errors import CheckpointError

KEEP = Keep()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """source: a name in the checkpoint. targets: names in the network it provides.

    alias: a second spelling or copy, used only where the first is not in the file. spare: an alias
    that nothing reads beside the first, so that it may differ. aside: why the tensor is not needed
    (then there are no targets); "" when that is not worth a word.
    """

    source: str
    targets: tuple[str, ...] = ()
    change: Change = KEEP
    alias: bool = False
    spare: bool = False
    aside: str = ""


def rename(source: str, target: str) -> Rule:
    return Rule(source=source, targets=(target,))


def alias(source: str, target: str) -> Rule:
    return Rule(source=source, targets=(target,), alias=True)


def spare(source: str, target: str) -> Rule:
    return Rule(source=source, targets=(target,), alias=True, spare=True)


def transpose(source: str, *targets: str) -> Rule:
    return Rule(source=source, targets=targets, change=Columns())


def fused(source: str, *targets: str, change: Change) -> Rule:
    return Rule(source=source, targets=targets, change=change)


def leave(source: str, why: str = "") -> Rule:
    """A tensor that is understood and not needed."""
    return Rule(source=source, aside=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A tensor of the checkpoint and the parameters it becomes."""

    source: str
    targets: tuple[str, ...]
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What the table says about a checkpoint's names, before shapes are looked at.

    aside: (tensor, why) for those left aside. copies: aliases of what another tensor gives.
    prefix: the wrapper in front of most names.
    """

    moves: tuple[Move, ...]
    aside: tuple[tuple[str, str], ...]
    copies: tuple[Move, ...]
    prefix: str

    @property
    def targets(self) -> frozenset[str]:
        return frozenset(t for move in self.moves for t in move.targets)


_OLD_NAMES = (
    (re.compile(r"(LayerNorm|layer_norm|layernorm)\.gamma$"), r"\1.weight"),
    (re.compile(r"(LayerNorm|layer_norm|layernorm)\.beta$"), r"\1.bias"),
)


def match(
    names: Iterable[str],
    rules: Sequence[Rule],
    prefixes: Sequence[str],
    *,
    experts: int,
    where: str,
) -> Matched:
    """Find the rule of every tensor; CheckpointError names the tensors that have none.

    prefixes: wrappers such as "bert." that may stand in front of any name. experts: how many
    targets an `{e}` on the right alone stands for.
    """
    table = Table.of(tuple(rules))
    moves: list[Move] = []
    aliases: list[tuple[Rule, Move]] = []
    aside: list[tuple[str, str]] = []
    unknown: list[str] = []
    found_prefixes: dict[str, int] = {}
    for name in names:
        hit, prefix = _find(table, name, prefixes)
        found_prefixes[prefix] = found_prefixes.get(prefix, 0) + 1
        if hit is None:
            unknown.append(name)
            continue
        rule, values = hit
        if not rule.targets:
            aside.append((name, rule.aside))
            continue
        move = Move(source=name, targets=_render(rule, values, experts), change=rule.change)
        if rule.alias:
            aliases.append((rule, move))
        else:
            moves.append(move)
    if unknown:
        raise CheckpointError(
            f"{where} holds {some(sorted(unknown))}, which this kind of model does not have"
        )
    given = {target for move in moves for target in move.targets}
    copies: list[Move] = []
    for rule, move in aliases:
        if given.isdisjoint(move.targets):
            moves.append(move)
        elif rule.spare:
            aside.append((move.source, ""))
        else:
            copies.append(move)
        given.update(move.targets)
    prefix = max(found_prefixes, key=lambda p: found_prefixes[p], default="")
    return Matched(moves=tuple(moves), aside=tuple(aside), copies=tuple(copies), prefix=prefix)


def check(
    matched: Matched,
    rules: Sequence[Rule],
    expected: Mapping[str, Shape],
    held: Mapping[str, Shape],
    where: str,
) -> None:
    """CheckpointError unless the moves give every expected parameter once, in its shape.

    expected: parameter -> shape. held: checkpoint tensor -> shape. where: the file, for messages.
    """
    given: dict[str, str] = {}
    for move in matched.moves:
        for target in move.targets:
            if target in given:
                raise CheckpointError(
                    f"{where} holds the same weights twice, as {given[target]} and {move.source}"
                )
            if target not in expected:
                raise CheckpointError(
                    f"{where} holds {move.source}, which the configuration has no place for"
                )
            given[target] = move.source
    missing = [target for target in expected if target not in given]
    if missing:
        words = [f"{original(t, rules, matched.prefix)} {list(expected[t])}" for t in missing]
        raise CheckpointError(f"{where} lacks {some(words)}; nothing was loaded")
    for move in matched.moves:
        wanted = move.change.source_shape([expected[t] for t in move.targets])
        if held[move.source] != wanted:
            raise CheckpointError(
                f"{where}: {move.source} has the shape {list(held[move.source])}, but the "
                f"configuration asks for {list(wanted)}"
            )


def original(target: str, rules: Sequence[Rule], prefix: str = "") -> str:
    """The name a parameter of the network has in the checkpoint, for messages."""
    for rule in rules:
        for template in rule.targets:
            found = _pattern(template).fullmatch(target)
            if found is not None:
                name = _fill(rule.source, found.groupdict())
                # Heads stand outside the wrapper; a pooler belongs to what is wrapped.
                outside = target.startswith("heads.") and not target.startswith("heads.pooler")
                return name if outside else prefix + name
    return target


Hit = tuple[Rule, dict[str, str]]


class Table:
    """Rules to look names up in. One pattern of all sources finds the first rule that fits, as
    trying them in turn would, at a fraction of the time."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        sources = [_pattern(rule.source) for rule in rules]
        bare = (_NAMED.sub("(", source.pattern) for source in sources)
        self._sources = re.compile("|".join(f"({source})" for source in bare))
        # A source is a group, followed by the groups in it.
        self._by_group: dict[int, tuple[Rule, tuple[str, ...]]] = {}
        group = 1
        for rule, source in zip(rules, sources, strict=True):
            self._by_group[group] = rule, tuple(source.groupindex)
            group += 1 + source.groups

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, rules: tuple[Rule, ...]) -> Table:
        return cls(rules)

    def find(self, name: str) -> Hit | None:
        """The first rule for a name, and what stands for its layer, expert and rest there."""
        found = self._sources.fullmatch(name)
        if found is None or found.lastindex is None:
            return None
        group = found.lastindex  # the outer one, as it closes last
        rule, names = self._by_group[group]
        return rule, {key: found[group + place] for place, key in enumerate(names, 1)}


_NAMED = re.compile(r"\(\?P<\w+>")
_OUTER = ("model.", "base_model.model.", "_forward_module.", "0.auto_model.")
"""Names that training loops, PEFT, Lightning and sentence-transformers keep a whole model under."""


def _find(table: Table, name: str, prefixes: Sequence[str]) -> tuple[Hit | None, str]:
    """The rule of a name, with what stands before it taken off: a parallel or compiled module, the
    family's wrapper, and where that does not do, what others keep the whole model under."""
    # A compiled part of a model has its mark in the middle of its names.
    inner = name.removeprefix("module.").replace("_orig_mod.", "").removeprefix("module.")
    hit, bare, prefix = _behind(table, inner, prefixes)
    while hit is None:
        outer = next((outer for outer in _OUTER if inner.startswith(outer)), None)
        if outer is None:
            return None, ""
        inner = inner.removeprefix(outer)
        hit, bare, prefix = _behind(table, inner, prefixes)
    return hit, name.removesuffix(bare) if name.endswith(bare) else prefix


def _behind(table: Table, name: str, prefixes: Sequence[str]) -> tuple[Hit | None, str, str]:
    """The rule of a name behind the first wrapper it begins with, or of all of it; the name behind
    the wrapper, and the wrapper."""
    bare, found = name, ""
    for prefix in prefixes:
        if name.startswith(prefix):
            bare, found = name[len(prefix) :], prefix
            break
    current = bare
    if bare.endswith((".gamma", ".beta")):
        for old, new in _OLD_NAMES:
            current = old.sub(new, current)
    hit = table.find(current)
    if hit is None and current != name:
        hit = table.find(name)
    return hit, bare, found


@cache
def _pattern(template: str) -> re.Pattern[str]:
    text = re.escape(template).replace(r"\{i\}", r"(?P<i>\d+)").replace(r"\{e\}", r"(?P<e>\d+)")
    text = text.replace(r"\*\*", ".+")
    return re.compile(text.replace(r"\*", "(?P<rest>weight|bias)"))


def _fill(template: str, values: Mapping[str, str]) -> str:
    text = template
    for key in ("i", "e"):
        if key in values:
            text = text.replace(f"{{{key}}}", values[key])
    return text.replace("*", values.get("rest", "*"))


def _render(rule: Rule, values: Mapping[str, str], experts: int) -> tuple[str, ...]:
    if "{e}" in rule.targets[0] and "e" not in values:
        return tuple(
            _fill(target, {**values, "e": str(e)})
            for e in range(experts)
            for target in rule.targets
        )
    return tuple(_fill(target, values) for target in rule.targets)


def some(words: Sequence[str], most: int = 4) -> str:
    """The first few, and how many more."""
    shown = ", ".join(words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"

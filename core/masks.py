"""How mask kinds combine, and how a choice becomes what an attention obeys.

Padding is hidden on top of every choice unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from core.arguments import check_named, check_pairs, whole_numbers
from core.errors import RequestError
from core.mask_kinds import KINDS, Context
from core.spec import AttentionSpec

OWN = "model"
"""The key of the model's own mask, as its AttentionSpec states it."""

How = Literal["and", "or"]

ENDLESS = 2**31
"""More tokens than any text has, and no more than a tensor of positions can be compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskChoice:
    """What a person chose for one attention site.

    key: a kind of `KINDS`, or "model" for the model's own mask. params: (name, value) pairs.
    also: further choices joined by `how` ("and" / "or"). blocked: (query, key) index pairs painted
    by hand. hide_padding: padding keys are invisible (turn off to see what goes wrong). Both are
    of the whole, not of one among `also`.
    """

    key: str = OWN
    params: tuple[tuple[str, int], ...] = ()
    also: tuple[MaskChoice, ...] = ()
    how: How = "and"
    blocked: tuple[tuple[int, int], ...] = ()
    hide_padding: bool = True

    def __and__(self, other: MaskChoice) -> MaskChoice:
        return _join(self, other, "and")

    def __or__(self, other: MaskChoice) -> MaskChoice:
        return _join(self, other, "or")

    def describe(self) -> str:
        """For example "causal & sliding_window(window=4)"."""
        params = ", ".join(f"{name}={value}" for name, value in self.params)
        text = f"{self.key}({params})" if params else self.key
        sign = " & " if self.how == "and" else " | "
        joined = (f"({c.describe()})" if c.also else c.describe() for c in self.also)
        text = sign.join([text, *joined])
        if self.blocked:
            cells = "1 cell" if len(self.blocked) == 1 else f"{len(self.blocked)} cells"
            text += f" − {cells}"
        return text


def _join(first: MaskChoice, second: MaskChoice, how: How) -> MaskChoice:
    if first.blocked or second.blocked:
        raise RequestError("combine mask kinds first, then paint cells on the result")
    if first.also and first.how != how:
        raise RequestError("a mask choice is joined by all “and” or all “or”, not by both")
    hide = (any if how == "and" else all)((first.hide_padding, second.hide_padding))
    return replace(first, also=(*first.also, second), how=how, hide_padding=hide)


def choose(choice: str | MaskChoice | None, **params: int) -> MaskChoice:
    """A MaskChoice from "causal" or "sliding_window:window=3", checked; RequestError for what does
    not exist. A parameter that is not named has its default."""
    if isinstance(choice, MaskChoice):
        if params:
            raise RequestError(f"{min(params)} goes with the name of a mask, not with a MaskChoice")
        return choice
    if not isinstance(choice, str | None):
        raise RequestError(
            f"a mask is a name or a MaskChoice, not {type(choice).__name__}; see core.masks.KINDS"
        )
    key, _, tail = (choice or OWN).partition(":")
    given = [*params.items(), *(_parameter(part) for part in tail.split(",") if part)]
    check(made := MaskChoice(key=key, params=tuple(sorted(given, key=itemgetter(0)))))
    return made


def _parameter(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value)
    except ValueError:
        raise RequestError(
            f"the mask parameter {text!r} is not understood; write it as name=number"
        ) from None


def check(choice: object, site: str | None = None) -> None:
    """RequestError for what is no MaskChoice, or unless its kind exists, its parameters are in
    range and it is one for the attention site where that is given."""
    if not isinstance(choice, MaskChoice):
        raise RequestError(f"{choice!r} is no MaskChoice; core.masks.choose makes one of a name")
    if choice.how not in get_args(How):
        raise RequestError(f"masks are joined by 'and' or 'or', not by {choice.how!r}")
    _check_kind(choice)
    part = None if site is None else site.split(".")[1]
    if part is not None and choice.key != OWN and part not in KINDS[choice.key].sites:
        fitting = [key for key, found in KINDS.items() if part in found.sites]
        raise RequestError(
            f"the mask {choice.key!r} compares tokens of one text, and {site} looks from one "
            f"into another; for it there are {', '.join([OWN, *fitting])}"
        )
    check_pairs("blocked is", choice.blocked, "a query and a key")
    places = [place for cell in choice.blocked for place in cell]
    if min(whole_numbers(places, "the blocked query or key"), default=0) < 0:
        raise RequestError(f"a painted cell has the place {min(places)}; places count from 0")
    if not isinstance(choice.hide_padding, bool):
        raise RequestError(f"hide_padding is {choice.hide_padding!r}; it must be True or False")
    if not isinstance(choice.also, tuple | list):
        raise RequestError(f"also is {choice.also!r}; it must be a tuple of MaskChoices")
    for also in choice.also:
        check(also, site)
        if also.blocked:
            raise RequestError(f"paint cells on the whole, not on the joined {also.describe()}")


def _check_kind(choice: MaskChoice) -> None:
    if choice.key not in (OWN, *KINDS):
        raise RequestError(f"there is no mask {choice.key!r}; there are {', '.join([OWN, *KINDS])}")
    known = {} if choice.key == OWN else {p.name: p for p in KINDS[choice.key].parameters}
    check_named(f"the mask {choice.key!r} has", choice.params, "a parameter's name and a number")
    for name, value in choice.params:
        if name not in known:
            raise RequestError(
                f"the mask {choice.key!r} has no parameter {name!r}; it has "
                f"{', '.join(known) or 'none'}"
            )
        if not (least := known[name].least) <= value <= ENDLESS:
            bound = f"at least {least}" if value < least else f"at most {ENDLESS}"
            raise RequestError(f"{name} of the mask {choice.key!r} is {value}; it must be {bound}")


def beyond_text(choice: MaskChoice, tokens: int) -> list[str]:
    """Half a sentence for each parameter that counts more leading tokens than the text has (padding
    not counted) and so acts like their number."""
    found = [said for also in choice.also for said in beyond_text(also, tokens)]
    if choice.key == OWN:
        return found
    kind, given = KINDS[choice.key], dict(choice.params)
    beyond = [
        f"{p.label} {asked} of the mask {kind.label!r} is more than the tokens of the text "
        f"and acts like {tokens}"
        for p in kind.parameters
        if p.leading and (asked := given.get(p.name, p.default)) > tokens
    ]
    return beyond + found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mask:
    """What an attention obeys.

    allowed: bool, broadcastable to [batch, head, query, key]; None when nothing is hidden.
    is_causal: exactly key ≤ query with as many queries as keys, so that no tensor is needed.
    dead: queries that may see nothing ([…, query, 1] bool), None when there is none.
    """

    allowed: Tensor | None = None
    is_causal: bool = False
    dead: Tensor | None = None

    def to(self, device: torch.device) -> Mask:
        if self.allowed is None:
            return self
        dead = None if self.dead is None else self.dead.to(device)
        return Mask(allowed=self.allowed.to(device), is_causal=self.is_causal, dead=dead)


OPEN = Mask()
CAUSAL = Mask(is_causal=True)


def from_allowed(allowed: Tensor) -> Mask:
    """A Mask from a bool tensor, noticing when nothing is hidden and which queries are dead."""
    if bool(allowed.all()):
        return OPEN
    dead = ~allowed.any(dim=-1, keepdim=True)
    return Mask(allowed=allowed, dead=dead if bool(dead.any()) else None)


def allowed(choice: MaskChoice, context: Context, spec: AttentionSpec) -> Tensor:
    """[query, key] bool for a choice at one attention."""
    result = _joined(choice, context, spec)
    if choice.hide_padding:
        result = result & ~context.k_padding[None, :]
    if choice.blocked:
        result = result.clone()
        queries, keys = result.shape
        for query, key in choice.blocked:
            row = query - context.q_start
            if 0 <= row < queries and 0 <= key < keys:
                result[row, key] = False
    return result


def build(choice: MaskChoice, context: Context, spec: AttentionSpec) -> Mask:
    """The Mask for one attention; plain causal and open cases take no memory."""
    if _plain(choice, context):
        own_causal = choice.key == OWN and spec.causal and spec.window is None
        queries, keys = context.q.shape[0], context.k.shape[0]
        if own_causal or choice.key == "causal":
            if queries == keys and context.q_start == 0:
                return CAUSAL
            if queries == 1 and context.q_start == keys - 1:
                return OPEN
        own_open = choice.key == OWN and not spec.causal and spec.window is None
        if own_open or choice.key == "bidirectional":
            return OPEN
    return from_allowed(allowed(choice, context, spec)[None, None])


def look_ahead(choice: MaskChoice, spec: AttentionSpec) -> int:
    """How far an appended token changes earlier rows: 0 never, n when only rows of a text of fewer
    than n tokens, padding not counted (a prefix), `ENDLESS` always."""
    reaches = [_reach(choice, spec), *(look_ahead(part, spec) for part in choice.also)]
    return min(reaches) if choice.how == "and" else max(reaches)


def _reach(choice: MaskChoice, spec: AttentionSpec) -> int:
    if choice.key in ("causal", "sliding_window") or (choice.key == OWN and spec.causal):
        return 0
    if choice.key == "prefix":
        return dict(choice.params).get("prefix", KINDS["prefix"].parameters[0].default)
    return ENDLESS


def _plain(choice: MaskChoice, context: Context) -> bool:
    return not choice.also and not choice.blocked and not bool(context.k_padding.any())


def _joined(choice: MaskChoice, context: Context, spec: AttentionSpec) -> Tensor:
    """The predicates of a choice, joined."""
    result = _predicate(choice, context, spec)
    for part in choice.also:
        other = _joined(part, context, spec)
        result = result & other if choice.how == "and" else result | other
    return result


def _predicate(choice: MaskChoice, context: Context, spec: AttentionSpec) -> Tensor:
    q, k = context.q[:, None], context.k[None, :]
    if choice.key == OWN:
        return own(spec, q, k)
    _check_kind(choice)
    found = KINDS[choice.key]
    params: Mapping[str, Any] = {p.name: p.default for p in found.parameters} | dict(choice.params)
    return found.predicate(q, k, context, **params)


def own(spec: AttentionSpec, q: Tensor, k: Tensor) -> Tensor:
    """The model's own mask on broadcast positions: open, causal, with or without a window."""
    if spec.causal:
        result = k <= q
        if spec.window is not None:
            result = result & (k > q - spec.window)
        return result
    if spec.window is not None:
        return (q - k).abs() < spec.window
    return torch.ones_like(q == k)


def context_of(
    *,
    q_padding: Tensor,
    k_padding: Tensor,
    q_segments: Tensor | None = None,
    k_segments: Tensor | None = None,
    q_start: int = 0,
) -> Context:
    """A Context from padding flags [query] (from q_start on) and [key]; True is padding."""
    return Context(
        q=positions(q_padding)[q_start:],
        k=positions(k_padding),
        q_segments=(torch.zeros_like(q_padding) if q_segments is None else q_segments)[q_start:],
        k_segments=torch.zeros_like(k_padding) if k_segments is None else k_segments,
        k_padding=k_padding,
        q_start=q_start,
    )


def positions(padding: Tensor) -> Tensor:
    """Positions from padding flags […, position]: count of real tokens so far, minus one. Left
    padding gets -1, right padding repeats the last real position."""
    return (~padding.bool()).long().cumsum(-1) - 1

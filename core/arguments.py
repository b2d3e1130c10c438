"""What a script passes in, checked: one sentence in place of a TypeError from deep inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from numbers import Real
from operator import index
from typing import Any, SupportsIndex, TypeGuard

from core.errors import RequestError

SEEDS = 2**63
"""torch takes no larger seed."""


def whole_numbers(values: Iterable[SupportsIndex], name: str = "the token id") -> list[int]:
    """Token ids (or another `name`) as Python's own numbers; RequestError for what is none."""
    if not isinstance(values, Iterable):
        raise RequestError(f"token ids are given in a list, not as a {type(values).__name__}")
    found = []
    for value in values:
        if getattr(value, "ndim", 0):
            raise RequestError("token ids are given in a flat list, for one text")
        try:
            found.append(index(value))
        except TypeError:
            raise RequestError(f"{name} {value!r} is no whole number") from None
    return found


def whole_number(value: Any, name: str) -> int:
    """One of them."""
    return whole_numbers([value], name)[0]


def check_pairs(what: str, said: object, of: str) -> None:
    """RequestError for what are no pairs `of` something, such as "an axis and an index"."""
    if not _listed(said) or not all(_listed(pair) and len(pair) == 2 for pair in said):
        raise RequestError(f"{what} {said!r}; it must be pairs of {of}")


def check_named(what: str, said: Any, of: str) -> None:
    """The same for pairs of a name and a whole number, which may name nothing twice."""
    check_pairs(what, said, of)
    names = [name for name, _ in said]
    if not all(isinstance(name, str) for name in names):
        raise RequestError(f"{what} {said!r}; it must be pairs of {of}")
    for name, number in said:
        whole_number(number, f"the {name}")
        if names.count(name) > 1:
            raise RequestError(f"{what} {said!r}, which names {name} twice")


def _listed(said: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(said, Sequence) and not isinstance(said, str)


def check_number(name: str, said: object) -> None:
    """RequestError for what is no real number."""
    if not isinstance(said, Real):
        raise RequestError(f"{name} is {said!r}; it must be a number")


def check_finite(name: str, said: Any) -> None:
    """RequestError for what is no finite number."""
    check_number(name, said)
    if not isfinite(said):
        raise RequestError(f"{name} is {said}; it must be a finite number")


def check_text(name: str, said: object, *, needed: bool = False) -> None:
    """RequestError for what is neither a text nor, unless it is `needed`, None."""
    if not isinstance(said, str) and (needed or said is not None):
        raise RequestError(
            f"{name} is a {type(said).__name__}; it must be a str (token ids are given as ids=)"
        )


def check_either(
    text: object, pair: object, target: object, ids: object, target_ids: object
) -> None:
    """RequestError unless all is given as texts, or all as token ids."""
    if (text is None) == (ids is None):
        raise RequestError("give either a text or token ids")
    if text is not None and target_ids is not None:
        raise RequestError("target_ids go with ids; beside a text, give the target as a text")
    if ids is not None and (pair is not None or target is not None):
        word = "target" if target is not None else "pair"
        instead = "give target_ids" if target is not None else "put its ids into ids"
        raise RequestError(f"{word} goes with a text; beside token ids, {instead}")

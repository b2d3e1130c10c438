"""What a script passes in, checked: one sentence in place of a TypeError from deep inside."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from numbers import Real
from operator import index
from typing import Any, SupportsIndex

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

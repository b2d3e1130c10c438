"""Changes made to recorded values on their way: a head ablated, a pattern painted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from torch import Tensor

from core.arguments import check_named, check_number
from core.errors import RequestError

Mode = Literal["set", "scale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change made to a value on its way: ablate a head, paint a pattern.

    site: as printed by `core.recorder.Site`. at: (axis word, index) pairs, counted from 0; axes not
    named are taken whole. mode "set" writes `value`, "scale" multiplies by it.
    """

    site: str
    at: tuple[tuple[str, int], ...] = ()
    value: float = 0.0
    mode: Mode = "set"


def check(edit: object) -> None:
    """RequestError for what is no edit; whether its site and places are there shows in the run."""
    if not isinstance(edit, Edit):
        raise RequestError(f"{edit!r} is no edit; a value is changed with core.Edit")
    if not isinstance(edit.site, str):
        raise RequestError(f"the site of an edit is {edit.site!r}; it must be a str")
    if edit.mode not in get_args(Mode):
        raise RequestError(
            f"the mode of the edit of {edit.site} is {edit.mode!r}; "
            f"there are {', '.join(get_args(Mode))}"
        )
    check_number(f"the value of the edit of {edit.site}", edit.value)
    check_named(f"the edit of {edit.site} is at", edit.at, "an axis and an index")


def apply(edit: Edit, value: Tensor, words: tuple[str, ...]) -> Tensor:
    """`value` [batch, …] changed, with one axis word for each dimension behind the batch's.

    RequestError where the value has no such axis, or ends before the index.
    """
    where = dict(edit.at)
    unknown = set(where) - set(words)
    if unknown:
        raise RequestError(
            f"the edit of {edit.site} names {', '.join(sorted(unknown))}, "
            f"but that value has the axes {' '.join(words)}"
        )
    index: list[slice | int] = [slice(None)]
    for size, word in zip(value.shape[1:], words, strict=True):
        place = where.get(word)
        if place is not None and not 0 <= place < size:
            raise RequestError(
                f"the edit of {edit.site} names {word} {place}, but there are {size}, from 0"
            )
        index.append(slice(None) if place is None else place)
    changed = value.clone()
    part = tuple(index)
    changed[part] = edit.value if edit.mode == "set" else changed[part] * edit.value
    return changed

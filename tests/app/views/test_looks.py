"""A view says truly which of site, layer and head it heeds: the others change nothing in it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from app.selection import Selection
from app.views import View, ViewOptions, views
from tests.traces import KINDS, trace_of

CHANGES: dict[str, dict[str, Any]] = {
    "site": {"part": "cross"},
    "layer": {"layer": 2},
    "head": {"head": 3},
}


def same(first: object, second: object) -> bool:
    """Equal to the last number; figures hold arrays, which == does not compare."""
    if isinstance(first, np.ndarray):
        return isinstance(second, np.ndarray) and np.array_equal(first, second, equal_nan=True)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if is_dataclass(first) and type(first) is type(second):
        return all(same(getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    return first == second


def heeded(one: View) -> set[str]:
    found = set()
    for kind in ("encoder", "rotary decoder", "translator"):
        trace = trace_of(kind)
        here = Selection(stack="encoder" if kind == "encoder" else "decoder", query=2)
        options = ViewOptions(kept=(trace_of(kind, length=6),))
        before = one.draw(trace, here, options)
        for name, change in CHANGES.items():
            if name == "site" and kind != "translator":
                continue
            there = replace(here, **change)
            stacks = [there] if name != "site" else [there, replace(here, stack="encoder")]
            if not all(same(before, one.draw(trace, s, options)) for s in stacks):
                found.add(name)
    return found


@pytest.mark.parametrize("one", views(), ids=lambda one: one.key)
def test_what_it_heeds(one: View) -> None:
    assert heeded(one) == one.looks, sorted(heeded(one))


def test_there_are_kinds_to_tell_by() -> None:
    assert {"encoder", "rotary decoder", "translator"} <= set(KINDS)

"""Chosen masks as one line of text and back, to be remembered; free of Qt.

What cannot be read is left out, one attention site at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # settings are read before the core, and with it torch, is imported
    from core.masks import MaskChoice

MOST_CELLS = 4096
"""A mask with more painted cells is remembered without them."""

_MOST_KINDS = 4
_MOST = 1_000_000  # of a parameter or an index


def write_masks(masks: Mapping[str, MaskChoice]) -> str:
    """Masks by attention site as text; empty where each is the model's own."""
    from core.masks import MaskChoice

    found = {s: _table(c) for s, c in sorted(masks.items()) if c != MaskChoice()}
    return json.dumps(found) if found else ""


def read_masks(text: str, sites: tuple[str, ...]) -> dict[str, MaskChoice]:
    """The masks of `write_masks` at those of `sites` that it has a sound one for."""
    from core.errors import RequestError

    try:
        tables = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    found = {}
    for site in sites if isinstance(tables, dict) else ():
        if site in tables:
            try:
                found[site] = _choice(tables[site], site.partition(".")[2])
            except (RequestError, AttributeError, KeyError, TypeError, ValueError):
                continue
    return found


def _table(choice: MaskChoice) -> dict[str, Any]:
    return {
        "key": choice.key,
        "params": dict(choice.params),
        "also": [{"key": c.key, "params": dict(c.params)} for c in choice.also],
        "how": choice.how,
        "blocked": choice.blocked if len(choice.blocked) <= MOST_CELLS else (),
        "hide_padding": choice.hide_padding,
    }


def _choice(table: dict[str, Any], part: str) -> MaskChoice:
    """Raises RequestError, or what Python raises for something of another shape."""
    from core.masks import MaskChoice, check

    also, how, cells, hide = (table[name] for name in ("also", "how", "blocked", "hide_padding"))
    if how not in ("and", "or") or not isinstance(hide, bool):
        raise ValueError("neither “and” nor “or”, or neither true nor false")
    if len(also) >= _MOST_KINDS or len(cells) > MOST_CELLS:
        raise ValueError("too many kinds or cells")
    kinds = [_kind(one, part) for one in (table, *also)]
    choice = MaskChoice(
        key=kinds[0][0],
        params=kinds[0][1],
        also=tuple(MaskChoice(key=key, params=params) for key, params in kinds[1:]),
        how=how,
        blocked=tuple(sorted((_number(query), _number(key)) for query, key in cells)),
        hide_padding=hide,
    )
    check(choice)
    return choice


def _kind(table: dict[str, Any], part: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    from core.mask_kinds import KINDS
    from core.masks import OWN

    key = table["key"]
    if key != OWN and part not in KINDS[key].sites:
        raise ValueError(f"{key} is no mask of {part}-attention")
    return key, tuple((name, _number(value)) for name, value in table["params"].items())


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
        raise ValueError(f"{value!r} is no number from 0 to {_MOST}")
    return value

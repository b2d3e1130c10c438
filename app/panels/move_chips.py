"""Chips of what was decoded; one move more costs one chip more, however many there are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.labels import groups_of, labels_of
from app.panels.chips import Chip
from app.panels.token_chips import fill_chip, step_chip

if TYPE_CHECKING:
    from core.decoding import Fill
    from core.request import Step
    from core.tokens import Tokens

_SHARE = 4  # a character has at most four bytes, so a new token touches three labels before it
_AROUND = 16  # tokens that are enough to find where characters begin


class MoveChips:
    """Remembers the chips it made, and makes only those that are new."""

    def __init__(self) -> None:
        self._steps: tuple[Step, ...] = ()
        self._raw = False
        self._chips: tuple[Chip, ...] = ()

    def of(self, steps: tuple[Step, ...], raw: bool) -> tuple[Chip, ...]:
        """One chip a step."""
        more = raw == self._raw and bool(self._steps) and steps[:-1] == self._steps
        kept = self._chips[: max(0, len(steps) - _SHARE)] if more else ()
        self._chips = (*kept, *_of_steps(steps, len(kept), raw)) if steps else ()
        self._steps, self._raw = steps, raw
        return self._chips


def of_fills(fills: tuple[Fill, ...], raw: bool) -> tuple[Chip, ...]:
    """One chip a filled mask; there are few."""
    return tuple(fill_chip(fill, labels_of(fill.tokens, raw)[fill.position]) for fill in fills)


def _of_steps(steps: tuple[Step, ...], start: int, raw: bool) -> tuple[Chip, ...]:
    """The chips of steps `start` and later."""
    new = steps[start:]
    tokens = steps[-1].tokens
    around = tokens if start == 0 else _end_of(tokens, max(_AROUND, len(new) + _SHARE))
    labels = labels_of(around, raw)[-len(new) :]
    first = len(tokens) - len(around)
    groups = [first + group for group in groups_of(around)[-len(new) :]]
    return tuple(
        step_chip(step, text, group) for step, text, group in zip(new, labels, groups, strict=True)
    )


def _end_of(tokens: Tokens, count: int) -> Tokens:
    cut = {
        name: getattr(tokens, name)[-count:]
        for name in ("ids", "pieces", "spans", "segments", "sequence", "special", "padding")
    }
    return replace(tokens, **cut)

"""Tokens of a run as chips: what a person reads of each token, and what its tooltip says."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from app.labels import groups_of, labels_of
from app.panels.chips import Chip

if TYPE_CHECKING:
    from core.decoding import Fill
    from core.request import Step
    from core.tokens import Tokens


def chips_of(tokens: Tokens, *, mask: int | None, raw: bool, click: str) -> tuple[Chip, ...]:
    """click: what clicking a word does, for the tooltip; empty where it does nothing."""
    labels = labels_of(tokens, raw)
    groups = groups_of(tokens)
    positions = tokens.positions
    found = []
    for i, label in enumerate(labels):
        kind = _kind(tokens, i, mask)
        found.append(
            Chip(
                label=label,
                kind=kind,
                segment_b=tokens.sequence[i] == 1,
                tooltip=_tooltip(tokens, i, label, positions[i], kind, click),
                group=groups[i],
            )
        )
    return tuple(found)


def step_chip(step: Step, label: str, group: int = -1) -> Chip:
    """A generated token with its probability. group: as in `groups_of`."""
    fixed = step.token == step.fixed
    chosen = "set by the checkpoint" if fixed else "chosen"
    how = "taken by hand" if step.forced else chosen
    return Chip(
        label=label,
        kind="generated",
        below=_share(step.probability),
        tooltip=f"step {step.index + 1}: “{label}” (id {step.token}) {how}, "
        f"{_chance(step, fixed=fixed)}",
        group=group,
    )


def fill_chip(fill: Fill, label: str) -> Chip:
    """A filled mask with its probability."""
    how = "taken by hand" if fill.forced else "filled"
    return Chip(
        label=label,
        kind="generated",
        below=_share(fill.probability),
        tooltip=f"fill {fill.index + 1}: the mask at position {fill.position} {how} with "
        f"“{label}” (id {fill.token}), {_chance(fill)}",
    )


def _chance(move: Step | Fill, *, fixed: bool = False) -> str:
    """The probability the chip carries, and the one drawn from where it is another. fixed: the
    checkpoint lets no other token come there."""
    text = f"the model's own probability {_four(move.probability)}"
    taken = next((c for c in move.candidates if c.token == move.token), None)
    if taken is not None and taken.ruled_out:
        return f"{text}; ruled out by the checkpoint's settings"
    if taken is None or fixed or abs(taken.kept - taken.probability) <= 5e-7:
        return text
    narrowed = "after penalty, temperature and cut-offs"
    return f"{text}; {narrowed} {_four(taken.kept)}" if taken.kept else f"{text}; cut off"


def _four(probability: float) -> str:
    """As the lists say it: never nothing unless it is."""
    return "<0.0001" if 0 < probability < 0.00005 else f"{probability:.4f}"


def _share(probability: float) -> str:
    """Never 0 % or 100 % unless it is exactly so."""
    if probability in (0, 1):
        return f"{probability:.0%}"
    if probability < 0.0005:
        return "<0.1%"
    return ">99.9%" if probability >= 0.9995 else f"{probability:.1%}"


def _kind(tokens: Tokens, i: int, mask: int | None) -> str:
    if tokens.padding[i]:
        return "padding"
    if mask is not None and tokens.ids[i] == mask:
        return "masked"
    return "special" if tokens.special[i] else "word"


def _tooltip(
    tokens: Tokens, i: int, label: str, position: int | None, kind: str, click: str
) -> str:
    where = "no position (padding)" if position is None else f"position {position}"
    parts = [f"“{label}”", where, f"id {tokens.ids[i]}"]
    if tokens.sequence[i] is not None and tokens.pair is not None:
        parts.append(f"sentence {'AB'[tokens.sequence[i] or 0]}")
    span = tokens.spans[i]
    if span is not None:
        parts.append(f"characters {span[0]}–{span[1]}")
    text = " · ".join(parts)
    if kind == "masked":
        return text + "\nClick to bring the word back." if click else text
    return f"{text}\n{click}" if click and kind == "word" else text


def word_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole word that characters start to end belong to; a Chinese character stands alone."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end or not all(_of_a_word(c) for c in text[start:end]):
        return start, end
    while start > 0 and _of_a_word(text[start - 1]):
        start -= 1
    while end < len(text) and _of_a_word(text[end]):
        end += 1
    return start, end


def of_the_piece(text: str, span: tuple[int, int], piece: str) -> tuple[int, int]:
    """Where exactly the mask stands; a span may hold the space before it too."""
    start = text.index(piece, span[0])
    return start, start + len(piece)


def _of_a_word(character: str) -> bool:
    wide = unicodedata.east_asian_width(character) in "WF"
    mark = unicodedata.category(character).startswith("M")
    return (character.isalnum() and not wide) or mark

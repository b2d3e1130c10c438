"""The stages inside a head as panels: scores in numbers, weights, weighted values, the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.figure import Axis, Bar, Bars, Cell, Floats, Heatmap, WordGrid
from app.views._tokens import KEY
from app.views._vectors import coordinates, symmetric, two_decimals

if TYPE_CHECKING:
    from core.analysis.inside import Attending
    from core.analysis.projections import Projections

ALL_KEYS = 8
"""So few keys are all shown, seen or masked."""
SEEN, MASKED = 5, 1
"""Of more, so many of either kind are named; two lines tell of the others."""
PRODUCTS = 3  # of a score, named under the pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The keys that are shown, in the order of the text. looked: the pinned one, else the one with
    the largest weight, whose k and v are shown. seen_left, masked_left: how many of either kind are
    not shown."""

    places: tuple[int, ...]
    looked: int
    axis: Axis
    seen_left: int
    masked_left: int

    @property
    def row(self) -> int | None:
        """Where the looked-at key stands among those shown."""
        return self.places.index(self.looked) if self.looked in self.places else None

    @property
    def others(self) -> str:
        return f"{self.seen_left} others"


def choose(found: Attending, query: int, pin: int | None, names: tuple[str, ...]) -> Keys:
    """Those with the largest weights and, of the masked ones, the nearest; and the pinned one."""
    seen = np.flatnonzero(found.allowed)
    masked = np.flatnonzero(~found.allowed)
    if len(found.weights) > ALL_KEYS:
        near = masked[np.argsort(np.abs(masked - query), kind="stable")]
        room = SEEN + MASKED - min(len(masked), MASKED)
        shown_seen = _most(seen[np.argsort(-found.weights[seen], kind="stable")], room, pin)
        shown_masked = _most(near, max(MASKED, SEEN + MASKED - len(shown_seen)), pin)
    else:
        shown_seen, shown_masked = seen.tolist(), masked.tolist()
    places = tuple(sorted([*shown_seen, *shown_masked]))
    return Keys(
        places=places,
        looked=int(np.argmax(found.weights)) if pin is None else pin,
        axis=Axis(
            title=KEY,
            labels=tuple(f"{i} {names[i]}" for i in places),
            spoken=tuple(f"key “{names[i]}” ({i})" for i in places),
            numbers=places,
            marks=tuple((row, "masked key") for row, i in enumerate(places) if i in shown_masked),
        ),
        seen_left=len(seen) - len(shown_seen),
        masked_left=len(masked) - len(shown_masked),
    )


def _most(order: np.ndarray, room: int, pin: int | None) -> list[int]:
    """The first `room` of them with the pinned one; one more where it alone would be left."""
    room += len(order) == room + 1
    found: list[int] = order[:room].tolist()
    if pin is not None and pin not in found and pin in order:
        found = [*found[: room - 1], pin]
    return found


def projections(made: Projections, key: str) -> Heatmap:
    """q of the query, k and v of one key, each below the steps that make it."""
    steps = [(step, letter) for letter in "qkv" for step in getattr(made, letter)]
    wide = max(len(step.values) for step, _ in steps)
    values = np.full((len(steps), wide), np.nan, np.float32)
    for row, (step, _) in enumerate(steps):
        values[row, : len(step.values)] = step.values
    return Heatmap(
        title=_shapes(made),
        values=values,
        rows=Axis(
            title="Step",
            labels=tuple(_step_name(step.name, letter) for step, letter in steps),
            notes=tuple(
                step.formula if letter == "q" else f"{step.formula}, of key {key}"
                for step, letter in steps
            ),
        ),
        columns=coordinates("Coordinate (of the head)", wide),
        limits=symmetric(np.nan_to_num(values)),
        scale="diverging",
    )


def _step_name(name: str, letter: str) -> str:
    """In few letters: the matrix, what is done to the product, the vector itself."""
    if name == letter:
        return letter
    return "normed" if name == "normalised" else f"·W_{letter.upper()}"


def _shapes(made: Projections) -> str:
    q, v = len(made.q[-1].values), len(made.v[-1].values)
    if made.reads != made.source:
        return f"1  {made.reads} → q, {made.source} → k, v [{made.d_source}→{v}]"
    into = f"q, k, v [{q}]" if q == v else f"q, k [{q}], v [{v}]"
    return f"1  {made.reads} [{made.d_reads}] → {into}"


def products(found: Attending, keys: Keys) -> Heatmap:
    values = found.products[list(keys.places)]
    dots = found.dots[list(keys.places), None]
    return Heatmap(
        title="2  q ⊙ k: rows sum to q·k",
        values=values,
        rows=keys.axis,
        columns=coordinates("Coordinate (d_head)", found.q.size),
        limits=symmetric(values),
        scale="diverging",
        value_name="product",
        row=keys.row,
        details=(
            ("q", np.broadcast_to(found.q, values.shape)),
            ("k", found.k[list(keys.places)]),
            ("q·k", np.broadcast_to(dots, values.shape)),
        ),
    )


def scores(found: Attending, keys: Keys) -> WordGrid:
    """Each key's way from q·k to what the softmax reads, in numbers."""
    steps: list[tuple[str, Floats]] = [("q·k", found.dots)]
    if found.scale != 1:
        steps.append((f"q·k {scaling(found)}", found.scaled))
    if found.capped is not None:
        steps.append((f"cap {found.softcap:g}", found.capped))
    if found.bias is not None:
        steps += [("bias", found.bias), ("+ bias", found.scores)]
    if len(steps) > 1:  # what softmax reads has one name everywhere
        steps[-1] = ("score", steps[-1][1])
    names = tuple(name for name, _ in steps)
    return WordGrid(
        title=f"3  score = {formula(found)}, masked [{len(found.dots)}]",
        cells=tuple(
            (
                *(
                    _cell(float(values[i]), i, _making(found, i) if name == "q·k" else "")
                    for name, values in steps
                ),
                _after_mask(found, i),
            )
            for i in keys.places
        ),
        rows=keys.axis,
        columns=Axis(
            title="Step", labels=(*names, "mask"), spoken=(*names, "score after the mask")
        ),
        row=keys.row,
    )


def scaling(found: Attending) -> str:
    """The factor as the textbook has it, where this model's is the textbook's."""
    usual = np.isclose(found.scale, found.q.size**-0.5, rtol=1e-6)
    return f"/ √{found.q.size}" if usual else f"× {found.scale:.4g}"


def formula(found: Attending) -> str:
    text = "q·k" if found.scale == 1 else f"q·k {scaling(found)}"
    if found.softcap is not None:
        text = f"{found.softcap:g}·tanh({text} / {found.softcap:g})"
    return text if found.bias is None else f"{text} + bias"


def _cell(value: float, key: int, note: str) -> Cell:
    return Cell(
        text=two_decimals(value),
        strength=None,
        note=note,
        value=value,
        picks=(("key", key),),
    )


def _after_mask(found: Attending, key: int) -> Cell:
    if found.allowed[key]:
        return _cell(float(found.scores[key]), key, "seen")
    return Cell(
        text="−∞",
        strength=None,
        note="masked: its weight is 0 whatever the score",
        value=float("-inf"),
        picks=(("key", key),),
    )


def _making(found: Attending, key: int) -> str:
    """The largest products of one q·k and the rest: they add up to it."""
    row = found.products[key]
    largest = np.argsort(-np.abs(row), kind="stable")[:PRODUCTS].tolist()
    parts = [
        f"{two_decimals(float(found.q[i]))} · {two_decimals(float(found.k[key][i]))} ({i})"
        for i in largest
    ]
    rest = float(row.sum() - row[largest].sum())
    return f"= {' + '.join(parts)} + {two_decimals(rest)} from the other coordinates"


def weights(found: Attending, keys: Keys) -> Bars:
    bars = [
        Bar(
            label=name,
            value=float(found.weights[i]),
            note="" if found.allowed[i] else "masked",
            state="" if found.allowed[i] else "masked",
            picks=(("key", i),),
        )
        for i, name in zip(keys.places, keys.axis.labels, strict=True)
    ]
    if keys.seen_left:
        rest = float(found.weights.sum() - found.weights[list(keys.places)].sum())
        bars.append(Bar(label=keys.others, value=max(0.0, rest)))
    if keys.masked_left:
        bars.append(Bar(label=f"{keys.masked_left} masked", value=0.0, state="masked"))
    return Bars(
        title=f"4  α = softmax(score) [{len(found.weights)}]",
        bars=tuple(bars),
        value_name="weight",
    )


def weighted(found: Attending, keys: Keys) -> Heatmap:
    rows = [found.weighted[list(keys.places)]]
    names = list(keys.axis.labels)
    if keys.seen_left:
        rows.append((found.context - rows[0].sum(axis=0))[None])
        names.append(keys.others)
    values = np.concatenate([*rows, found.context[None]])
    no_token = (None,) * (len(names) + 1 - len(keys.places))
    return Heatmap(
        title=f"5  Σ α·v = context [{found.context.size}]",
        values=values,
        rows=Axis(
            title=KEY,
            labels=(*names, "Σ α·v"),
            spoken=(*keys.axis.spoken, *names[len(keys.places) :], "Σ α·v"),
            numbers=(*keys.places, *no_token),
            marks=keys.axis.marks,
        ),
        columns=coordinates("Coordinate (d_value)", found.context.size),
        limits=symmetric(values),
        scale="diverging",
    )


def output(found: Attending, head: int, heads: int, letter: str) -> Heatmap:
    """letter: what the attention's output is called inside a layer."""
    rows = [(f"head {head + 1}", found.head_out)]
    bias = np.zeros_like(found.out) if found.out_bias is None else found.out_bias
    if heads > 1:
        rows.append(("others", found.out - bias - found.head_out))
    if found.out_bias is not None:
        rows.append(("b", found.out_bias))
    rows.append((f"{letter}: sum", found.out))
    values = np.stack([row for _, row in rows]).astype(np.float32)
    more = "" if found.out_bias is None else " + b"
    return Heatmap(
        title=f"6  {letter} = Σ context·W_O{more} [{found.out.size}]",
        values=values,
        rows=Axis(title="Part", labels=tuple(name for name, _ in rows)),
        columns=coordinates("Coordinate (d_model)", found.out.size),
        limits=symmetric(values),
        scale="diverging",
    )

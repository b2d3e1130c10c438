"""All states of all layers in two dimensions: principal components fitted on them together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.analysis.states import norms

if TYPE_CHECKING:
    from core.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projection:
    """points[path, layer + 1, 2]: coordinates along the two components. explained: the share of all
    variance along each. positions: the token of each path. directions: whether the states were
    scaled to length 1 first."""

    points: Floats
    explained: tuple[float, float]
    positions: tuple[int, ...] = ()
    directions: bool = False

    @property
    def nbytes(self) -> int:
        return self.points.nbytes


def principal_components(states: Floats) -> Projection:
    """[layer + 1, position, d_model] with at least two coordinates, one fit for all layers.

    The sign of a component is that which makes its largest coefficient positive, so that the same
    text gives the same picture. NaN throughout where a state is no finite number.
    """
    layers, positions, width = states.shape
    if not np.isfinite(states).all():
        nowhere = np.full((positions, layers, 2), np.nan, np.float32)
        return Projection(points=nowhere, explained=(0.0, 0.0))
    flat = states.reshape(-1, width).astype(np.float64)
    centred = flat - flat.mean(axis=0)
    if len(flat) >= width:
        values, vectors = np.linalg.eigh(centred.T @ centred)
        axes = vectors[:, ::-1][:, :2]
    else:  # fewer states than coordinates: the smaller product has the same spectrum
        values, sides = np.linalg.eigh(centred @ centred.T)
        axes = centred.T @ sides[:, ::-1][:, :2]
        lengths = np.linalg.norm(axes, axis=0)
        axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 1e-9)
    if axes.shape[1] < 2:
        axes = np.pad(axes, ((0, 0), (0, 2 - axes.shape[1])))
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    spread = np.append(np.maximum(values[::-1], 0), [0, 0])
    total = float(spread.sum())
    first, second = (float(v) / total if total > 0 else 0.0 for v in spread[:2])
    points = (centred @ axes).reshape(layers, positions, 2).transpose(1, 0, 2)
    return Projection(
        points=np.ascontiguousarray(points, dtype=np.float32), explained=(first, second)
    )


def key(stack: str) -> tuple[str, str]:
    """Under which a trace remembers its projection."""
    return "projection", stack


def projection(trace: Trace, stack: str) -> Projection:
    """The hidden states of a stack, padding left out; remembered.

    Where the layers read a normalised stream (pre-norm), the states are scaled to length 1: their
    lengths grow from layer to layer, and a first token's may be many times the others', so that
    lengths alone would set both components.
    """
    return trace.remembered(key(stack), lambda: _projection(trace, stack))


def _projection(trace: Trace, stack: str) -> Projection:
    real = [i for i, padding in enumerate(trace.tokens[stack].padding) if not padding]
    states = trace.hidden(stack)[:, real].numpy()
    directions = trace.spec.stack(stack).final_norm is not None
    if directions:
        lengths = norms(states)[..., None]
        states = np.divide(states, lengths, out=np.zeros_like(states), where=lengths > 0)
    found = principal_components(states)
    return replace(found, positions=tuple(real), directions=directions)

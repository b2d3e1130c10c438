"""The largest flow through a small dense network, by Dinic's algorithm on whole matrices."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Capacities = NDArray[np.int64]
Nodes = NDArray[np.intp]


def largest_flow(capacities: Capacities, source: int, sink: int) -> int:
    """The most that can flow from a node to another one. capacities[from, to]: whole numbers, 0
    where there is no edge; their sum must be below 2 ** 62.

    Exact. Each round fills all shortest ways that are left (Dinic 1970).
    """
    left = capacities.copy()
    total = 0
    while (levels := _levels(left > 0, source, sink)) is not None:
        pairs = list(pairwise(levels))
        flows = _blocking([left[np.ix_(*pair)] for pair in pairs])
        for (above, below), flow in zip(pairs, flows, strict=True):
            left[np.ix_(above, below)] -= flow
            left[np.ix_(below, above)] += flow.T
        total += int(flows[-1].sum())
    return total


def _levels(open_: NDArray[np.bool_], source: int, sink: int) -> list[Nodes] | None:
    """The nodes on ways of the least length, by their distance from the source; None where no way
    is left."""
    levels = [np.array([source])]
    seen = np.zeros(len(open_), dtype=bool)
    seen[source] = True
    while not seen[sink]:
        following = np.flatnonzero(open_[levels[-1]].any(axis=0) & ~seen)
        if not following.size:
            return None
        seen[following] = True
        levels.append(following)
    levels[-1] = np.array([sink])
    for depth in range(len(levels) - 2, 0, -1):
        leads_on = open_[np.ix_(levels[depth], levels[depth + 1])].any(axis=1)
        levels[depth] = levels[depth][leads_on]
    return levels


def _blocking(capacities: list[Capacities]) -> list[Capacities]:
    """A flow on every way of which some edge is full; capacities[depth][above, below].

    In waves (Tarjan 1986): all there is is pushed down, level by level; a node that cannot pass on
    what it holds is blocked and gives it back, until nothing is held anywhere between.
    """
    depths = range(len(capacities))
    flows = [np.zeros_like(part) for part in capacities]
    held = [np.zeros(len(part), dtype=np.int64) for part in capacities]
    held.append(np.zeros(capacities[-1].shape[1], dtype=np.int64))
    held[0][:] = capacities[0].sum()
    blocked = [np.zeros(len(part), dtype=bool) for part in held]
    while True:
        for depth in depths:
            rows = np.flatnonzero((held[depth] > 0) & ~blocked[depth])
            if not rows.size:
                continue
            room = capacities[depth][rows] - flows[depth][rows]
            room[:, blocked[depth + 1]] = 0
            pushed = _filled(held[depth][rows][:, None], room, axis=1)
            flows[depth][rows] += pushed
            held[depth][rows] -= pushed.sum(axis=1)
            held[depth + 1] += pushed.sum(axis=0)
            if depth:
                blocked[depth][rows] |= held[depth][rows] > 0
        if not any(held[depth].any() for depth in depths[1:]):
            return flows
        for depth in reversed(depths[1:]):
            columns = np.flatnonzero(held[depth] > 0)
            if not columns.size:
                continue
            there = flows[depth - 1][:, columns]
            returned = _filled(held[depth][columns][None], there, axis=0)
            flows[depth - 1][:, columns] -= returned
            held[depth][columns] -= returned.sum(axis=0)
            held[depth - 1] += returned.sum(axis=1)


def _filled(amount: Capacities, room: Capacities, axis: int) -> Capacities:
    """How much of an amount goes where there is room, the first places first."""
    before = np.cumsum(room, axis=axis) - room
    filled: Capacities = np.clip(amount - before, 0, room)
    return filled

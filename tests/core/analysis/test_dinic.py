"""Largest flows, against networkx's and against the smallest cut."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pytest

from core.analysis.dinic import largest_flow


def network(seed: int, nodes: int, share: float) -> np.ndarray:
    """Any graph, ways back and round in circles included."""
    rng = np.random.default_rng(seed)
    capacities = rng.integers(1, 2**30, size=(nodes, nodes))
    capacities[rng.random((nodes, nodes)) > share] = 0
    np.fill_diagonal(capacities, 0)
    return capacities


def smallest_cut(capacities: np.ndarray, source: int, sink: int) -> int:
    nodes = len(capacities)
    best = None
    for choice in product((False, True), repeat=nodes):
        inside = np.array(choice)
        if inside[source] and not inside[sink]:
            cut = int(capacities[np.ix_(inside, ~inside)].sum())
            best = cut if best is None else min(best, cut)
    assert best is not None
    return best


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_it_equals_the_smallest_cut(seed: int, share: float) -> None:
    capacities = network(seed, 7, share)
    assert largest_flow(capacities, 0, 6) == smallest_cut(capacities, 0, 6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("nodes", "share"), [(40, 0.1), (40, 0.5), (90, 1.0)])
def test_it_equals_the_flow_that_networkx_finds(seed: int, nodes: int, share: float) -> None:
    capacities = network(100 + seed, nodes, share)
    before = capacities.copy()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for i, j in np.argwhere(capacities).tolist():
        graph.add_edge(i, j, capacity=int(capacities[i, j]))
    assert largest_flow(capacities, 3, 8) == nx.maximum_flow_value(graph, 3, 8)
    assert (capacities == before).all()


@pytest.mark.parametrize("seed", range(4))
def test_through_layers_it_turns_back_where_it_must(seed: int) -> None:
    """Layers of which each lets through about as much as the next: greedy flows get stuck there."""
    rng = np.random.default_rng(seed)
    count, layers = 12, 6
    size = count * layers
    capacities = np.zeros((size, size), dtype=np.int64)
    graph = nx.DiGraph()
    for above in range(layers - 1):
        part = rng.integers(0, 50, size=(count, count)) ** 3
        here, below = above * count, (above + 1) * count
        capacities[here : here + count, below : below + count] = part
    for i, j in np.argwhere(capacities).tolist():
        graph.add_edge(i, j, capacity=int(capacities[i, j]))
    for sink in range(size - count, size):
        assert largest_flow(capacities, 2, sink) == nx.maximum_flow_value(graph, 2, sink)


def test_where_no_way_leads_nothing_flows() -> None:
    capacities = np.zeros((4, 4), dtype=np.int64)
    capacities[0, 1] = capacities[2, 3] = 5
    assert largest_flow(capacities, 0, 3) == 0
    capacities[1, 2] = 2
    assert largest_flow(capacities, 0, 3) == 2

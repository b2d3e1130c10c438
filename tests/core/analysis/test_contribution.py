from __future__ import annotations

import numpy as np
import pytest

from core.analysis.contribution import contribution
from core.edits import Edit
from core.errors import Cancelled
from core.masks import MaskChoice
from tests.core.analysis.by_hand import array
from tests.traces import KINDS, network, trace_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", [0, 3, None])
def test_against_the_vectors_themselves(kind: str, head: int | None) -> None:
    trace, made = trace_of(kind, length=6, target=5), network(kind)
    for site in trace.spec.sites:
        stack, part = site.split(".")
        block = made.stack(stack).block(1)
        module = block.attention if part == "self" else block.cross
        matrix = array(module.out.weight)  # [d_model, head * d_value]
        v = array(trace[f"{stack}.1.{part}.v"])
        maps = array(trace.pattern(site, 1))
        heads = range(4) if head is None else [head]
        group = 4 // len(v)
        found = contribution(trace, site, 1, head)
        queries, keys = maps.shape[1:]
        for i, j in np.ndindex(queries, keys):
            total = np.zeros(16)
            for h in heads:
                total += matrix[:, 4 * h : 4 * h + 4] @ (maps[h, i, j] * v[h // group, j])
            assert found.norms[i, j] == pytest.approx(np.linalg.norm(total), abs=1e-4)
        sizes = [np.mean([np.linalg.norm(v[h // group, j]) for h in heads]) for j in range(keys)]
        assert found.values == pytest.approx(sizes, abs=1e-5)
        assert found.weights == pytest.approx(maps[list(heads)].mean(axis=0), abs=1e-6)
        shares = found.norms / found.norms.sum(axis=1, keepdims=True)
        assert found.shares == pytest.approx(shares, abs=1e-6)


def test_a_query_that_sees_nothing_gets_nothing() -> None:
    blocked = tuple((2, key) for key in range(5))
    trace = trace_of("encoder", length=5, masks=(("encoder.self", MaskChoice(blocked=blocked)),))
    for head in (1, None):
        found = contribution(trace, "encoder.self", 0, head)
        assert not found.shares[2].any()
        assert found.shares[1].sum() == pytest.approx(1)


EDITS = (
    Edit(site="encoder.1.self.context", at=(("head", 0),)),
    Edit(site="encoder.1.self.context", at=(("head", 2), ("query", 3)), value=0.5, mode="scale"),
    Edit(site="encoder.1.self.context", at=(("head", 3), ("d_head", 1)), value=9.0),
    Edit(site="encoder.1.self.out", at=(("position", 4),), value=2.0, mode="scale"),
    Edit(site="encoder.1.self.out", at=(("d_model", 5),), value=1.0),
)


@pytest.mark.parametrize("head", [0, 2, 3, None])
def test_what_an_edit_keeps_from_arriving_adds_nothing(head: int | None) -> None:
    trace = trace_of("encoder", length=6, edits=EDITS)
    matrix = array(network("encoder").stack("encoder").block(1).attention.out.weight)
    v, maps = array(trace["encoder.1.self.v"]), array(trace.pattern("encoder.self", 1))
    found = contribution(trace, "encoder.self", 1, head)
    for i, j in np.ndindex(6, 6):
        total = np.zeros(16)
        for h in range(4) if head is None else [head]:
            brought = maps[h, i, j] * v[h, j]
            if h == 0:
                brought *= 0
            if (h, i) == (2, 3):
                brought *= 0.5
            if h == 3:
                brought[1] = 0
            total += matrix[:, 4 * h : 4 * h + 4] @ brought
        total *= 2 if i == 4 else 1
        total[5] = 0
        assert found.norms[i, j] == pytest.approx(np.linalg.norm(total), abs=1e-4)
    assert bool(found.shares.any()) == (head != 0)


def test_edits_elsewhere_change_nothing_here() -> None:
    plain = contribution(trace_of("encoder", length=6), "encoder.self", 0, None)
    found = contribution(trace_of("encoder", length=6, edits=EDITS), "encoder.self", 0, None)
    assert np.array_equal(plain.norms, found.norms)


def test_a_weight_that_an_edit_makes_negative_has_a_length_all_the_same() -> None:
    turned = Edit(site="encoder.1.self.pattern", at=(("head", 0),), value=-1.0, mode="scale")
    plain = contribution(trace_of("encoder", length=6), "encoder.self", 1, 0)
    found = contribution(trace_of("encoder", length=6, edits=(turned,)), "encoder.self", 1, 0)
    assert (found.weights <= 0).all()
    assert found.norms == pytest.approx(plain.norms, abs=1e-6)
    assert found.shares == pytest.approx(plain.shares, abs=1e-6)


@pytest.mark.parametrize("head", [0, 2, None])
def test_edits_of_whole_heads_are_heeded_without_a_query_at_a_time(head: int | None) -> None:
    """What goes query by query asks at once whether to stop; this never does."""
    trace = trace_of("encoder", length=6, edits=EDITS[:2])
    matrix = array(network("encoder").stack("encoder").block(1).attention.out.weight)
    reaching = np.ones((4, 6, 1))
    reaching[0], reaching[2, 3] = 0, 0.5
    weights = (array(trace.pattern("encoder.self", 1)) * reaching)[..., None]
    brought = weights * array(trace["encoder.1.self.v"])[:, None]  # [head, query, key, d_head]
    heads = range(4) if head is None else [head]
    total = sum(brought[h] @ matrix[:, 4 * h : 4 * h + 4].T for h in heads)
    found = contribution(trace, "encoder.self", 1, head, lambda: True)
    assert found.norms == pytest.approx(np.linalg.norm(total, axis=-1), abs=1e-4)


@pytest.mark.parametrize("head", [0, None])
def test_one_query_after_the_other_stops_when_asked(head: int | None) -> None:
    trace = trace_of("encoder", length=6, edits=EDITS)
    with pytest.raises(Cancelled, match="was stopped"):
        contribution(trace, "encoder.self", 1, head, lambda: True)

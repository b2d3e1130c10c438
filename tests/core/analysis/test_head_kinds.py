from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

from core.analysis.head_kinds import KINDS, QUERIES, HeadKinds, head_kinds
from core.remembered import Memory
from core.request import RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace
from tests.traces import KINDS as MODELS
from tests.traces import network, sentence, trace_of


class Fixed:
    """A `Derive` with the maps given, the same in every layer."""

    def __init__(self, maps: torch.Tensor, allowed: torch.Tensor) -> None:
        self.maps, self.mask = maps, allowed

    def pattern(self, trace: Trace, site: str, layer: int, head: Any, query: Any) -> torch.Tensor:
        return self.maps

    def allowed(self, trace: Trace, site: str, layer: int) -> torch.Tensor:
        return self.mask


def fixed(tokens: Tokens, *maps: np.ndarray, causal: bool = False) -> Trace:
    """A trace of four heads with these maps (the last one repeated)."""
    every = [*maps, *[maps[-1]] * (4 - len(maps))]
    count = len(tokens)
    allowed = torch.ones(count, count, dtype=torch.bool)
    kind = "decoder" if causal else "encoder"
    trace = trace_of(kind, source=tokens)
    made = Fixed(torch.tensor(np.stack(every)).float(), allowed.tril() if causal else allowed)
    return replace(trace, derive=made, _memory=Memory())


def test_the_kinds_of_heads_made_by_hand() -> None:
    """Each map is its kind exactly, so that the number is 1 and the name is right."""
    count = 12
    ids = [5, 6, 7, 8, 9, 10, 5, 6, 7, 8, 9, 10]
    tokens = replace(Tokens.of_ids(ids), special=(True, *[False] * 10, True))
    eye = np.eye(count)
    previous = np.roll(eye, -1, axis=1)
    previous[0] = eye[0]
    after = np.roll(eye, 1, axis=1)
    first, last = np.tile(eye[0], (count, 1)), np.tile(eye[-1], (count, 1))
    induction = first.copy()
    for i in range(6, 12):
        induction[i] = eye[i - 5]
    expected = {"self": eye, "previous": previous, "next": after, "first": first, "special": last}
    for name, heads in expected.items():
        found = head_kinds(fixed(tokens, heads), "encoder.self")
        assert found.weights[list(KINDS).index(name), 0, 0] == pytest.approx(1)
        assert found.name(0, 0) == (name, pytest.approx(1))
        assert found.entropy[0, 0] == 0
    found = head_kinds(fixed(tokens, induction, causal=True), "decoder.self")
    assert found.weights[5, 1, 2] == pytest.approx(1)
    assert found.name(1, 2)[0] == "induction"  # type: ignore[index]


def test_a_head_that_keeps_its_distance_is_named_after_it() -> None:
    count = 12
    back = np.roll(np.eye(count), -3, axis=1)
    back[:3] = np.eye(count)[:3]
    found = head_kinds(fixed(sentence(count), back, causal=True), "decoder.self")
    assert found.name(0, 0) == ("offset", pytest.approx(1))
    assert found.offset[0, 0] == -3
    assert found.queries[-1, 0, 0] == count - 3


def test_one_query_names_no_head_and_unknown_words_are_not_the_same() -> None:
    ids = [5, 6, 7, 8, 9, 10, 5, 11, 12, 13, 14, 15]
    induction = np.tile(np.eye(12)[0], (12, 1))
    induction[6] = np.eye(12)[1]
    trace = fixed(Tokens.of_ids(ids), induction, causal=True)
    found = head_kinds(trace, "decoder.self")
    at = list(KINDS).index("induction")
    assert found.weights[at, 0, 0] == pytest.approx(1)
    assert found.queries[at, 0, 0] == 1 < QUERIES
    name = found.name(0, 0)
    assert name is not None
    assert name[0] == "first"
    unknown = Tokens.of_ids(ids, ["[UNK]" if i == 5 else str(i) for i in ids])
    found = head_kinds(fixed(unknown, induction, causal=True), "decoder.self")
    assert np.isnan(found.weights[at]).all()


def test_an_even_head_has_no_name_even_on_a_short_text() -> None:
    count = 4
    even = np.tril(np.ones((count, count)))
    even /= even.sum(axis=1, keepdims=True)
    found = head_kinds(fixed(sentence(count), even, causal=True), "decoder.self")
    assert found.weights[3, 0, 0] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert found.name(0, 0) is None
    assert found.weights[:, 0, 0] == pytest.approx(found.even[:, 0, 0], nan_ok=True)
    bits = (0 + 1 + np.log2(3) + 2) / 4
    assert found.entropy[0, 0] == pytest.approx(bits, abs=1e-6)
    assert found.distance[0, 0] == pytest.approx((0 + 0.5 + 1 + 1.5) / 4)


@pytest.mark.parametrize("model", MODELS)
def test_every_number_against_plain_loops(model: str) -> None:
    """With padding, specials and repeated tokens."""
    ids = [1, 7, 8, 7, 9, 7, 8, 3]
    source = replace(Tokens.of_ids(ids), special=(True, *[False] * 6, True))
    source = source.padded(10, pad=0, piece="[PAD]", side="left")
    trace = trace_of(model, source=source, target=6)
    for site in trace.spec.sites:
        stack, part = site.split(".")
        queries = trace.tokens[stack]
        keys = trace.tokens["encoder"] if part == "cross" else queries
        found = head_kinds(trace, site)
        for layer, head in ((0, 0), (2, 3)):
            pattern = trace.pattern(site, layer, head).double().numpy()
            allowed = trace.allowed(site, layer).numpy()
            sums: dict[str, list[float]] = {kind: [] for kind in KINDS}
            bits, far = [], []
            for i in range(len(queries)):
                if queries.padding[i]:
                    continue
                row = pattern[i]
                bits.append(-sum(p * np.log2(p) for p in row if p > 0))
                far.append(sum(p * abs(i - j) for j, p in enumerate(row)))
                mask = trace.spec.special.mask
                for kind, places in targets(queries, keys, part == "cross", i, mask).items():
                    seen = [j for j in places if allowed[i, j]]
                    if seen:
                        sums[kind].append(sum(row[j] for j in seen))
            assert found.entropy[layer, head] == pytest.approx(np.mean(bits), abs=1e-5)
            if part == "self":
                assert found.distance[layer, head] == pytest.approx(np.mean(far), abs=1e-4)
            else:
                assert np.isnan(found.distance[layer, head])
            if part == "self":
                check_offset(found, layer, head, pattern, allowed, queries)
            del sums["offset"]
            for kind, values in sums.items():
                number = found.weights[list(KINDS).index(kind), layer, head]
                expected = np.mean(values) if values else np.nan
                assert number == pytest.approx(expected, abs=1e-5, nan_ok=True), kind


def check_offset(
    found: HeadKinds, layer: int, head: int, pattern: Any, allowed: Any, queries: Tokens
) -> None:
    """The distance of two to eight tokens with the largest mean weight."""
    count, means = len(queries), {}
    for far in (*range(-8, -1), *range(2, 9)):
        row = [
            pattern[i, i + far]
            for i in range(count)
            if 0 <= i + far < count and allowed[i, i + far] and not queries.padding[i]
        ]
        if len(row) * 2 >= queries.real() and row:
            means[far] = np.mean(row)
    if not means:
        assert np.isnan(found.weights[-1, layer, head])
        return
    best = max(means, key=lambda far: means[far])
    assert found.offset[layer, head] == best
    assert found.weights[-1, layer, head] == pytest.approx(means[best], abs=1e-5)


def targets(
    queries: Tokens, keys: Tokens, cross: bool, i: int, mask: int | None
) -> dict[str, list[int]]:
    first = keys.padding.index(False)
    special = [
        j
        for j, s in enumerate(keys.special)
        if s and not keys.padding[j] and j != first and keys.ids[j] != mask
    ]
    if cross:
        return {"first": [first], "special": special}
    count = len(queries)
    repeats = [j for j in range(1, i + 1) if queries.ids[j - 1] == queries.ids[i]]
    near = {"self": [i], "previous": [i - 1] if i else [], "next": [i + 1] if i + 1 < count else []}
    return {**near, "first": [first], "special": special, "induction": repeats}


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("model", MODELS)
def test_padding_moves_no_number(model: str, side: str) -> None:
    """Its id is one of the words', as where a checkpoint pads with its start token."""
    ids = torch.randint(5, 9, (12,), generator=torch.Generator().manual_seed(3)).tolist()
    texts = {"source": replace(Tokens.of_ids([5, *ids]), special=(True, *[False] * 12))}
    if "translator" in model:
        texts["target"] = Tokens.of_ids([1, *ids])
    longer = {name: text.padded(30, pad=5, piece="p", side=side) for name, text in texts.items()}
    made = network(model)
    plain, padded = (run(made, RunRequest(**read)) for read in (texts, longer))
    for site in made.spec.sites:
        for drop in (False, True):
            expected, found = (head_kinds(t, site, drop_sinks=drop) for t in (plain, padded))
            for field in fields(HeadKinds):
                values = getattr(expected, field.name), getattr(found, field.name)
                assert np.allclose(*values, atol=1e-4, equal_nan=True), field.name
            if "self" in site:
                assert np.isfinite(found.weights[5:]).any(axis=(1, 2)).all()

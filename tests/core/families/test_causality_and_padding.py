"""Masks and positions of real families: causality, padding, windows, prefixes, T5's buckets."""

from __future__ import annotations

import pytest
import torch

from core.layers.positions import bucket
from core.masks import choose
from core.model import Transformer
from core.recorder import SILENT
from core.spec import RelativeBuckets
from core.trace import Trace
from tests.core.families.conftest import Build, Case, trace

IDS = [(11 * i) % 70 + 9 for i in range(12)]


def patterns(found: Trace, site: str = "decoder.self") -> torch.Tensor:
    """[layer, head, query, key]."""
    layers = found.spec.stack(site.split(".", maxsplit=1)[0]).layers
    return torch.stack([found.pattern(site, layer) for layer in range(layers)])


def eager(case: Case, ids: list[int], allowed: torch.Tensor | None = None) -> torch.Tensor:
    """The reference's logits, under a mask [query, key] of its own where one is given."""
    inputs: dict[str, torch.Tensor] = {"input_ids": torch.tensor([ids])}
    if allowed is not None:
        lowest = torch.finfo(torch.float32).min
        inputs["attention_mask"] = torch.where(allowed, 0.0, lowest)[None, None]
        inputs["position_ids"] = torch.arange(len(ids))[None]
    with torch.no_grad():
        logits: torch.Tensor = case.model(**inputs).logits[0]
    return logits


def test_capture_keeps_causality(tiny: Build) -> None:
    case = tiny("Llama")
    found = trace(case.network, IDS)
    assert (patterns(found)[..., torch.ones(12, 12, dtype=torch.bool).triu(1)] == 0).all()
    with torch.no_grad():
        bare = case.network.vocab_logits(case.network.decode(torch.tensor([IDS]), rec=SILENT))[0]
    assert (found.logits - bare).abs().max() <= 1e-5
    assert (found.logits - eager(case, IDS)).abs().max() <= 1e-4


@pytest.mark.parametrize("family", ["Gemma 2", "GPT-2"])
def test_a_row_with_nothing_to_attend_to(tiny: Build, family: str) -> None:
    """Left padding before a causal text: the first pads see no key at all."""
    case = tiny(family)
    for length, padded in ((4, 2), (6, 0), (4, 5)):
        ids = IDS[:length]
        alone = trace(case.network, ids)
        found = trace(case.network, ids, padded=padded, side="left")
        for site in found.sites():
            assert found[site].isfinite().all(), site
        assert (found.logits[padded:] - alone.logits).abs().max() <= 1e-4
        seen = patterns(found)
        assert (seen[..., padded:, :padded] == 0).all()
        assert (seen[..., :padded, :] == 0).all()
        assert not found.allowed("decoder.self", 0)[:padded].any()
        assert (seen[..., padded:, padded:] - patterns(alone)).abs().max() <= 1e-4


def test_positions_are_derived_from_padding(tiny: Build) -> None:
    case = tiny("GPT-2")
    ids = [5, 6, 7, 8]
    alone = trace(case.network, ids)
    for side, rows in (("left", slice(2, 6)), ("right", slice(0, 4))):
        found = trace(case.network, ids, padded=2, side=side)
        assert (found.logits[rows] - alone.logits).abs().max() <= 1e-5
        shift = patterns(found)[..., rows, rows] - patterns(alone)
        assert shift.abs().max() <= 1e-5
        positions = found.tokens["decoder"].positions
        assert positions[rows] == (0, 1, 2, 3)
        assert sum(p is None for p in positions) == 2
    assert (alone.logits - eager(case, ids)).abs().max() <= 1e-5


@pytest.mark.parametrize(
    ("window", "counts"), [(4, [1, 2, 3] + [4] * 7), (1, [1] * 10), (10, None)]
)
def test_sliding_window(build: Build, window: int, counts: list[int] | None) -> None:
    from core.families import mistral

    case = build(dict(mistral.FAMILY.tiny[0]) | {"sliding_window": window})
    ids = IDS[:10]
    found = trace(case.network, ids)
    seen = patterns(found)
    for row, count in enumerate(counts or range(1, 11)):
        assert ((seen[..., row, :] > 0).sum(-1) == count).all()
        if row >= count:
            assert (seen[..., row, row - count + 1] > 0).all()
            assert (seen[..., row, row - count] == 0).all()
    if window == 1:
        assert torch.equal(seen, torch.eye(10).expand_as(seen))
    assert (found.logits - eager(case, ids)).abs().max() <= 1e-4
    chosen = (("decoder.self", choose("sliding_window", window=window)),)
    by_hand = trace(case.network, ids, masks=chosen)
    assert torch.equal(patterns(by_hand), seen)


def prefix_mask(size: int, prefix: int) -> torch.Tensor:
    q, k = torch.arange(size)[:, None], torch.arange(size)[None, :]
    return (k <= q) | (k < prefix)


@pytest.mark.parametrize("prefix", [0, 1, 3, 6])
def test_prefix_lm(tiny: Build, prefix: int) -> None:
    case, ids = tiny("Llama"), IDS[:6]
    chosen = (("decoder.self", choose("prefix", prefix=prefix)),)
    found = trace(case.network, ids, masks=chosen)
    visible = (patterns(found) > 0).sum(-1)
    expected = [3, 3, 3, 4, 5, 6] if prefix == 3 else [max(i + 1, prefix) for i in range(6)]
    assert (visible == torch.tensor(expected)).all()
    theirs = eager(case, ids, prefix_mask(6, prefix))
    assert (found.logits[-1] - theirs[-1]).abs().max() <= 1e-4
    same = {0: "causal", 1: "causal", 6: "bidirectional"}.get(prefix)
    if same is not None:
        other = trace(case.network, ids, masks=(("decoder.self", choose(same)),))
        assert torch.equal(found.logits, other.logits)
    padded = trace(case.network, ids, padded=2, masks=chosen)
    assert (patterns(padded)[..., :6, 6:] == 0).all()
    assert (padded.logits[:6] - found.logits).abs().max() <= 1e-5


def test_relative_buckets(tiny: Build) -> None:
    """The numbers of the original implementation, for 32 buckets up to a distance of 128."""
    case = tiny("T5")
    encoder, decoder = case.spec.encoder, case.spec.decoder
    assert encoder is not None
    assert decoder is not None
    q, k = torch.arange(10)[:, None], torch.arange(10)[None, :]

    def buckets(spec: object) -> torch.Tensor:
        assert isinstance(spec, RelativeBuckets)
        return bucket(k - q, spec)

    both = buckets(encoder.blocks[0].attention.positions)
    assert both[0].tolist() == [0, 17, 18, 19, 20, 21, 22, 23, 24, 24]
    assert both[-1].tolist() == [8, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    back = buckets(decoder.blocks[0].attention.positions)
    assert back[-1].tolist() == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert (back[k.expand(10, 10) > q] == 0).all()


def test_every_layer_of_t5_adds_the_same_bias_and_cross_attention_none(tiny: Build) -> None:
    case = tiny("T5")
    found = trace(case.network, IDS[:10], IDS[2:12])

    def raw(site: str, layer: int) -> torch.Tensor:
        q, k = found[f"{site[:7]}.{layer}.{site[8:]}.q"], found[f"{site[:7]}.{layer}.{site[8:]}.k"]
        return q @ k.transpose(-1, -2)  # no 1/√d

    for site in ("encoder.self", "decoder.self"):
        table = weight(case.network, site)
        first = found.scores(site, 0) - raw(site, 0)
        assert (first - (found.scores(site, 1) - raw(site, 1))).abs().max() <= 1e-4
        spec = case.spec.stack(site[:7]).blocks[0].attention.positions
        assert isinstance(spec, RelativeBuckets)
        q, k = torch.arange(10)[:, None], torch.arange(10)[None, :]
        assert (first - table[bucket(k - q, spec)].permute(2, 0, 1)).abs().max() <= 1e-4
    assert torch.equal(found.scores("decoder.cross", 0), raw("decoder.cross", 0))


def weight(network: Transformer, site: str) -> torch.Tensor:
    found: torch.Tensor = network.stack(site[:7]).bias.weight
    return found.detach()

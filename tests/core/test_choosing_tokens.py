"""Tokens are drawn from the narrowed probabilities, which candidates and measures tell."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from core.decoding.filters import probabilities, top
from core.request import DecodeRequest, RunRequest, Sampling
from core.spec import SpecialIds
from core.tokens import Tokens
from tests.core import tiny
from tests.core.decoding_steps import finish, start


def test_the_same_seed_draws_the_same_tokens() -> None:
    network = tiny.decoder()
    texts = []
    for seed in (1, 1, 2):
        sampling = Sampling(temperature=1.5, top_k=20)
        done = finish(start(network, strategy="sample", sampling=sampling, seed=seed))
        texts.append([s.token for s in done.steps])
    assert texts[0] == texts[1] != texts[2]


def test_sampling_follows_the_distribution() -> None:
    """Drawn frequencies agree with the narrowed probabilities (3 standard errors)."""
    logits = torch.tensor([2.0, 1.0, 0.0, -1.0])
    sampling = Sampling(temperature=0.8, top_k=3)
    expected = probabilities(logits, sampling)
    from core.decoding.strategies import choose as pick

    run = RunRequest(source=Tokens.of_ids([1]))
    request = DecodeRequest(run=run, strategy="sample", sampling=sampling)
    drawn = torch.bincount(
        torch.tensor([pick(logits, request, i) for i in range(2000)]), minlength=4
    )
    error = 3 * (expected * (1 - expected) / 2000).sqrt()
    assert ((drawn / 2000 - expected).abs() <= error + 1e-9).all()


def test_filters_cut_where_the_definition_says() -> None:
    logits = torch.log(torch.tensor([0.5, 0.25, 0.15, 0.1]))
    assert torch.allclose(probabilities(logits, Sampling()), logits.exp())
    cut = probabilities(logits, Sampling(top_k=2))
    assert torch.allclose(cut, torch.tensor([2 / 3, 1 / 3, 0, 0]))
    cut = probabilities(logits, Sampling(top_p=0.7))
    assert torch.allclose(cut, torch.tensor([2 / 3, 1 / 3, 0, 0]))
    cut = probabilities(logits, Sampling(top_p=0.8))
    assert torch.allclose(cut, torch.tensor([0.5, 0.25, 0.15, 0]) / 0.9)
    assert probabilities(logits, Sampling(top_p=0.01)).tolist() == [1, 0, 0, 0]
    assert probabilities(logits, Sampling(temperature=0)).tolist() == [1, 0, 0, 0]
    for least in (1e-6, 1e-44, 1e-300):
        assert probabilities(100 * logits, Sampling(temperature=least)).tolist() == [1, 0, 0, 0]
    warm = probabilities(logits, Sampling(temperature=2.0))
    assert torch.allclose(warm, logits.exp().sqrt() / logits.exp().sqrt().sum())
    best = top(logits, Sampling(top_k=1), 3)
    assert [c.token for c in best] == [0, 1, 2]
    assert [c.kept for c in best] == [1, 0, 0]
    assert math.isclose(best[1].probability, 0.25, rel_tol=1e-5)


def test_what_is_never_generated_is_not_among_the_candidates() -> None:
    network = tiny.decoder()
    likeliest = start(network).step().token
    network.spec = replace(network.spec, special=SpecialIds(suppressed=(likeliest,)))
    step = start(network, sampling=Sampling(top_p=0.7)).step()
    kept = {c.token: c.kept for c in step.candidates}
    assert step.token != likeliest
    assert kept.get(likeliest, 0) == 0
    closed = step.logits.clone()
    closed[likeliest] = -math.inf
    expected = probabilities(closed, Sampling(top_p=0.7))
    assert all(abs(k - float(expected[t])) <= 1e-6 for t, k in kept.items())


def test_surprise_and_entropy_are_in_bits() -> None:
    for step in finish(start(tiny.decoder())).steps:
        p = step.logits.double().softmax(-1)
        assert step.surprise == pytest.approx(-math.log2(float(p[step.token])), abs=1e-4)
        assert step.entropy == pytest.approx(float(-(p * p.log2()).sum()), abs=1e-4)

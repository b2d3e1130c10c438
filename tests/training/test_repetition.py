"""Unlikelihood training: what counts as said again, and that it is unlearned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from core.model import Transformer
from training import decoder, shapes
from training.optim import initialise
from training.repetition import greedy_rows, repeated, unlikelihood

VOCAB = 40


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Transformer:
    monkeypatch.setattr(shapes, "D_MODEL", 32)
    monkeypatch.setattr(shapes, "D_HEAD", 4)
    monkeypatch.setattr(shapes, "DECODER_LAYERS", 2)
    monkeypatch.setattr(shapes, "DECODER_FF", 64)
    model = Transformer(shapes.decoder_spec(VOCAB))
    initialise(model, block_std=0.05, seed=0)
    return model


def test_greedy_rows_are_what_the_model_says_without_a_cache(small: Transformer) -> None:
    rows = greedy_rows(small, torch.randint(2, VOCAB, (3, 5)), new=6)
    assert rows.shape == (3, 11)
    logits = small.vocab_logits(small.decode(rows[:, :-1]))
    assert torch.equal(logits[:, 4:].argmax(-1), rows[:, 5:])


@pytest.mark.parametrize(
    ("ids", "marks"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], "........"),
        ([1, 2, 3, 4, 9, 1, 2, 3, 4], ".....####"),
        ([1, 2, 3, 9, 1, 2, 3, 8], "........"),  # three in a row are no crime
        ([7, 7, 7, 7, 7, 7], ".#####"),
        ([1, 2, 1, 2, 1, 2, 1, 2], "..######"),
    ],
)
def test_four_in_a_row_that_stood_before_are_said_again(ids: list[int], marks: str) -> None:
    found = repeated(torch.tensor([ids, list(range(50, 50 + len(ids)))]))
    assert "".join(".#"[int(mark)] for mark in found[0]) == marks
    assert not found[1].any()


def test_unlikelihood_is_the_mean_over_the_unwanted() -> None:
    logits = torch.log(torch.tensor([[[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]]]))
    ids = torch.tensor([[0, 1, 1]])
    unwanted = torch.tensor([[True, False, True]])
    assert unlikelihood(logits, ids, unwanted).item() == pytest.approx(
        -(np.log(0.5) + np.log(0.2)) / 2, rel=1e-5
    )
    assert unlikelihood(logits, ids, torch.zeros_like(unwanted)).item() == 0


def test_a_model_that_runs_in_circles_stops_doing_so(small: Transformer) -> None:
    prompts = torch.randint(2, VOCAB, (8, 4), generator=torch.Generator().manual_seed(1))
    optimizer = torch.optim.AdamW(small.parameters(), lr=3e-3)
    shares = []
    for _ in range(60):
        loss, parts, _ = decoder.own_words(small, prompts)
        shares.append(parts["said_again"])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert shares[0] > 0.5  # untrained, it says one word on and on
    assert shares[-1] < 0.1 * shares[0]


def test_only_a_model_that_goes_on_learning_is_asked_for_its_own_words(tmp_path: Path) -> None:
    for name in decoder.SHARES_FURTHER:
        np.save(tmp_path / f"decoder_{name}.npy", np.arange(2, 302, dtype=np.uint16))
    for further in (False, True):
        batches = decoder.DecoderBatches(tmp_path, vocab=302, further=further)
        rng = np.random.default_rng(1)
        drawn = [batches.draw(rng, 0.9) for _ in range(200)]
        asked = [batch for batch in drawn if batch.targets is None]
        expected = decoder.OWN_WORDS if further else 0
        assert len(asked) / len(drawn) == pytest.approx(expected, abs=0.04)
        for batch in asked:
            rows, length = batch.ids.shape
            assert rows == decoder.ROWS
            assert decoder.PROMPT_SHORTEST <= length <= decoder.PROMPT_LONGEST

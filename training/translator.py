"""`python -m training.translator`: train the translator, Chinese to English and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from core.model import Transformer
from training.command import run
from training.folders import WORK
from training.lists import load_lists
from training.shapes import translator_spec

PAD, START, END, TO_ENGLISH, TO_CHINESE = 0, 1, 2, 4, 5
ROWS, POOL = 256, 8  # POOL batches are drawn at once and sorted by length: little padding
LONGEST = 60
SMOOTHING = 0.1
LOGGED = 256  # positions a step
UNSAID_DIRECTION = 0.35  # of the rows: without <2en> or <2zh>, the source's language decides
GRAMMAR_FIRST, GRAMMAR_LAST = 0.3, 0.15  # share of grammar sentences, at the start and end


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorBatch:
    """source [row, key], target [row, position] (with <s> in front and </s> behind)."""

    source: Tensor
    target: Tensor


class TranslatorBatches:
    """Pairs in both directions, everyday and grammar, in batches of like length."""

    def __init__(self, folder: Path) -> None:
        self.pairs = {
            name: tuple(
                load_lists(folder / f"translator_{name}_{side}.npz") for side in ("zh", "en")
            )
            for name in ("everyday", "grammar")
        }
        self.pool: list[TranslatorBatch] = []

    def draw(self, rng: np.random.Generator, progress: float) -> TranslatorBatch:
        if not self.pool:
            grammar = GRAMMAR_FIRST + (GRAMMAR_LAST - GRAMMAR_FIRST) * progress
            rows = [self.row(rng, grammar) for _ in range(ROWS * POOL)]
            rows.sort(key=lambda row: (len(row[1]), len(row[0])))
            parts = [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]
            self.pool = [collate(parts[i]) for i in rng.permutation(len(parts))]
        return self.pool.pop()

    def row(self, rng: np.random.Generator, grammar: float) -> tuple[list[int], list[int]]:
        zh, en = self.pairs["grammar" if rng.random() < grammar else "everyday"]
        index = int(rng.integers(len(zh)))
        to_english = rng.random() < 0.5
        source, target = (zh[index], en[index]) if to_english else (en[index], zh[index])
        said = [] if rng.random() < UNSAID_DIRECTION else [TO_ENGLISH if to_english else TO_CHINESE]
        return [*said, *source[:LONGEST], END], [START, *target[:LONGEST], END]


def collate(rows: list[tuple[list[int], list[int]]]) -> TranslatorBatch:
    """Pad both sides at the end."""
    sides = []
    for side in (0, 1):
        length = max(len(row[side]) for row in rows)
        sides.append(torch.tensor([row[side] + [PAD] * (length - len(row[side])) for row in rows]))
    return TranslatorBatch(source=sides[0], target=sides[1])


def loss_of(model: Transformer, batch: TranslatorBatch) -> tuple[Tensor, dict[str, float], int]:
    """Smoothed cross-entropy of the next target token; the plain one is logged."""
    source_padding = batch.source == PAD
    memory = model.encode(batch.source, padding=source_padding)
    # The target is padded at its end only, so the causal mask alone hides padding from real rows.
    states = model.decode(batch.target[:, :-1], memory=memory, memory_padding=source_padding)
    wanted = batch.target[:, 1:]
    real = wanted != PAD
    logits = model.vocab_logits(states[real][None])[0].float()
    loss = F.cross_entropy(logits, wanted[real], label_smoothing=SMOOTHING)
    with torch.no_grad():
        # A part is enough to follow the run by.
        some, answers = logits[:LOGGED], wanted[real][:LOGGED]
        plain = F.cross_entropy(some, answers)
        right = (some.argmax(-1) == answers).float().mean()
    return loss, {"loss": plain.item(), "right": right.item()}, int(real.sum())


def main() -> None:
    run(
        name="translator",
        description=__doc__,
        spec=translator_spec(),
        batches=lambda spec: TranslatorBatches(WORK),
        loss_of=loss_of,
        block_std=0.05,
        adamw_lr=1.0e-3,
        muon_lr=2e-3,
        dropout=0.15,
    )


if __name__ == "__main__":
    main()

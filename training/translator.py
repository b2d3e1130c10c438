"""`python -m training.translator`: train the translator, Chinese to English and back."""

from __future__ import annotations

from collections.abc import Iterator
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
POOL = 2048  # rows that are drawn at once and sorted by length: little padding
BATCH_TOKENS = 6000  # of a batch, source and target with their padding: some 250 rows
LONGEST = 60
SMOOTHING = 0.1
LOGGED = 256  # positions a step
UNSAID_DIRECTION = 0.35  # of the rows: without <2en> or <2zh>, the source's language decides
GRAMMAR_FIRST, GRAMMAR_LAST = 0.15, 0.1  # share of grammar sentences, at the start and end
BACK_FIRST, BACK_LAST = 0.4, 0.15  # of the other rows into English: those translated back
Row = tuple[list[int], list[int]]
"""Source with </s> behind, target with <s> in front and </s> behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorBatch:
    """source [row, key], target [row, position] (with <s> in front and </s> behind)."""

    source: Tensor
    target: Tensor


class TranslatorBatches:
    """Pairs in both directions, everyday and grammar, in batches of like length.

    Pairs whose Chinese is a translation (`training.backtranslate`) serve into English only, and
    carry <s> in place of the direction, so that the model can tell them from what people wrote
    (Caswell et al. 2019, "Tagged back-translation").
    """

    def __init__(self, folder: Path) -> None:
        self.pairs = {
            name: tuple(
                load_lists(folder / f"translator_{name}_{side}.npz") for side in ("zh", "en")
            )
            for name in ("everyday", "grammar", "back")
            if (folder / f"translator_{name}_en.npz").exists()
        }
        self.pool: list[TranslatorBatch] = []

    def draw(self, rng: np.random.Generator, progress: float) -> TranslatorBatch:
        if not self.pool:
            rows = [self.row(rng, progress) for _ in range(POOL)]
            rows.sort(key=lambda row: (max(map(len, row)), len(row[1])))
            parts = list(batched(rows))
            self.pool = [collate(parts[i]) for i in rng.permutation(len(parts))]
        return self.pool.pop()

    def row(self, rng: np.random.Generator, progress: float) -> Row:
        to_english = rng.random() < 0.5
        if rng.random() < between(GRAMMAR_FIRST, GRAMMAR_LAST, progress):
            kind = "grammar"
        else:
            back = to_english and "back" in self.pairs
            back = back and rng.random() < between(BACK_FIRST, BACK_LAST, progress)
            kind = "back" if back else "everyday"
        zh, en = self.pairs[kind]
        index = int(rng.integers(len(zh)))
        source, target = (zh[index], en[index]) if to_english else (en[index], zh[index])
        if kind == "back":
            said = [START]
        elif rng.random() < UNSAID_DIRECTION:
            said = []
        else:
            said = [TO_ENGLISH if to_english else TO_CHINESE]
        return [*said, *source[:LONGEST], END], [START, *target[:LONGEST], END]


def between(first: float, last: float, progress: float) -> float:
    """`first` at the start of a run, `last` at its end."""
    return first + (last - first) * progress


def batched(rows: list[Row]) -> Iterator[list[Row]]:
    """The rows in their order, as many at a time as BATCH_TOKENS holds with their padding."""
    start = source = target = 0
    for end, row in enumerate(rows):
        source, target = max(source, len(row[0])), max(target, len(row[1]))
        if end > start and (end - start + 1) * (source + target) > BATCH_TOKENS:
            yield rows[start:end]
            start, source, target = end, len(row[0]), len(row[1])
    yield rows[start:]


def collate(rows: list[Row]) -> TranslatorBatch:
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
        batches=lambda spec, _: TranslatorBatches(WORK),
        loss_of=loss_of,
        block_std=0.05,
        adamw_lr=1.0e-3,
        muon_lr=2e-3,
        dropout=0.15,
    )


if __name__ == "__main__":
    main()

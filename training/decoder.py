"""`python -m training.decoder`: train the decoder to continue stories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.model import Transformer
from training.command import run
from training.folders import WORK
from training.repetition import greedy_rows, repeated, unlikelihood
from training.shapes import decoder_spec

Row = NDArray[np.integer]
LENGTH, ROWS = 256, 16
START, END, FIRST_WORD = 0, 1, 2
# Shares of the running rows: stories, single sentences, written tales, and in a model that has
# learned before, adult prose.
SHARES = {"stories": 0.80, "single": 0.09, "tales": 0.11}
SHARES_FURTHER = {"stories": 0.70, "single": 0.05, "tales": 0.05, "prose": 0.20}
# Share of the rows in which something comes back, until induction heads are there, and afterwards;
# half of them a span of a story, half a list of words drawn blindly, which only copying foretells.
REPEAT_FIRST, REPEAT_LATER, REPEAT_UNTIL = 0.4, 0.12, 0.28
REPEAT_FURTHER = 0.2  # in a model that has them: with 0.08 the copying faded
SPAN_SHORTEST, SPAN_LONGEST = 16, 56
LIST_SHORTEST, LIST_LONGEST = 6, 56
UNSCORED = -100
# Share of the batches in which the model goes on by itself and unlearns to repeat itself.
OWN_WORDS, PROMPT_SHORTEST, PROMPT_LONGEST, OWN_LENGTH = 0.08, 3, 16, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderBatch:
    """ids [row, position]; targets [row, position], UNSCORED where nothing could be foretold, None
    for prompts that the model is to go on from."""

    ids: Tensor
    targets: Tensor | None


class DecoderBatches:
    """Rows of LENGTH + 1 tokens that begin with <s>. further: the model has learned before."""

    def __init__(self, folder: Path, *, vocab: int, further: bool = False) -> None:
        self.vocab = vocab
        self.further = further
        self.shares = SHARES_FURTHER if further else SHARES
        self.streams = {name: np.load(folder / f"decoder_{name}.npy") for name in self.shares}

    def draw(self, rng: np.random.Generator, progress: float) -> DecoderBatch:
        if self.further:
            if rng.random() < OWN_WORDS:
                return self.prompts(rng)
            again = REPEAT_FURTHER
        else:
            again = REPEAT_FIRST if progress < REPEAT_UNTIL else REPEAT_LATER
        rows = np.empty((ROWS, LENGTH + 1), dtype=np.int64)
        targets = np.empty((ROWS, LENGTH), dtype=np.int64)
        for row in range(ROWS):
            unscored = 0
            chance = rng.random()
            if chance < again / 2:
                rows[row], unscored = self.blind_list(rng)
            elif chance < again:
                rows[row] = self.span_again(rng)
            else:
                rows[row] = self.running(rng)
            targets[row] = rows[row, 1:]
            targets[row, :unscored] = UNSCORED
        return DecoderBatch(ids=torch.from_numpy(rows[:, :-1]), targets=torch.from_numpy(targets))

    def prompts(self, rng: np.random.Generator) -> DecoderBatch:
        """The beginnings of rows."""
        length = int(rng.integers(PROMPT_SHORTEST, PROMPT_LONGEST + 1))
        rows = np.stack([self.running(rng)[:length] for _ in range(ROWS)])
        return DecoderBatch(ids=torch.from_numpy(rows.astype(np.int64)), targets=None)

    def running(self, rng: np.random.Generator) -> Row:
        """<s> and a window of one stream."""
        kind = rng.choice(list(self.shares), p=list(self.shares.values()))
        return np.concatenate([[START], self.window(rng, self.streams[kind], LENGTH)])

    def span_again(self, rng: np.random.Generator) -> Row:
        """A span of a story, other text, the same span again."""
        stories = self.streams["stories"]
        size = int(rng.integers(SPAN_SHORTEST, SPAN_LONGEST + 1))
        span = self.window(rng, stories, size)
        gap = self.window(rng, stories, int(rng.integers(0, LENGTH - 2 * size + 1)))
        rest = self.window(rng, stories, LENGTH - 2 * size - len(gap))
        return np.concatenate([[START], span, gap, span, rest])

    def blind_list(self, rng: np.random.Generator) -> tuple[Row, int]:
        """Different tokens in any order, over and over; and how many come for the first time."""
        size = int(rng.integers(LIST_SHORTEST, LIST_LONGEST + 1))
        said = rng.choice(np.arange(FIRST_WORD, self.vocab), size=size, replace=False)
        return np.concatenate([[START], np.resize(said, LENGTH)]), size

    def window(self, rng: np.random.Generator, stream: Row, size: int) -> Row:
        first = int(rng.integers(len(stream) - size))
        return stream[first : first + size]


def loss_of(model: Transformer, batch: DecoderBatch) -> tuple[Tensor, dict[str, float], int]:
    """Cross-entropy of the next token, in nats; of prompts, the unlikelihood of own repetitions."""
    if batch.targets is None:
        return own_words(model, batch.ids)
    logits = model.vocab_logits(model.decode(batch.ids)).float()
    loss = F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=UNSCORED)
    return loss, {"loss": loss.item()}, batch.targets.numel()


def own_words(model: Transformer, prompts: Tensor) -> tuple[Tensor, dict[str, float], int]:
    """What the model says by itself, up to its end, shall not say the same again."""
    rows = greedy_rows(model, prompts, new=OWN_LENGTH)
    said = rows[:, prompts.shape[1] :]
    logits = model.vocab_logits(model.decode(rows[:, :-1])[:, -OWN_LENGTH:]).float()
    unwanted = repeated(said) & ((said == END).cumsum(1) == 0)
    loss = unlikelihood(logits, said, unwanted)
    parts = {"unlikelihood": loss.item(), "said_again": unwanted.float().mean().item()}
    return loss, parts, said.numel()


def main() -> None:
    run(
        name="decoder",
        description=__doc__,
        spec=decoder_spec(),
        batches=lambda spec, further: DecoderBatches(
            WORK, vocab=spec.stack("decoder").embedding.vocab, further=further
        ),
        loss_of=loss_of,
        block_std=0.05,
        adamw_lr=1.5e-3,
        muon_lr=3e-3,
        dropout=0.0,
    )


if __name__ == "__main__":
    main()

"""`python -m training.decoder`: train the decoder to continue stories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.model import Transformer
from training.command import run
from training.folders import WORK
from training.shapes import decoder_spec

LENGTH, ROWS = 128, 32
START, END = 0, 1
# Shares of the rows: running stories, single sentences, written tales, repeated spans.
SHARES = {"stories": 0.72, "single": 0.08, "tales": 0.10, "repeat": 0.10}
SPAN_SHORTEST, SPAN_LONGEST = 16, 56


class DecoderBatches:
    """Rows of LENGTH + 1 tokens that begin with <s>."""

    def __init__(self, folder: Path) -> None:
        names = ("stories", "single", "tales")
        self.streams = {name: np.load(folder / f"decoder_{name}.npy") for name in names}

    def draw(self, rng: np.random.Generator, progress: float) -> Tensor:
        kinds = rng.choice(list(SHARES), size=ROWS, p=list(SHARES.values()))
        rows = [self.repeated(rng) if k == "repeat" else self.running(rng, k) for k in kinds]
        return torch.from_numpy(np.stack(rows).astype(np.int64))

    def running(self, rng: np.random.Generator, kind: str) -> NDArray[np.uint16]:
        """<s> and a window of one stream."""
        return np.concatenate([[START], self.window(rng, self.streams[kind], LENGTH)])

    def repeated(self, rng: np.random.Generator) -> NDArray[np.uint16]:
        """A span of a story, other text, the same span again, so that copying pays."""
        stories = self.streams["stories"]
        size = int(rng.integers(SPAN_SHORTEST, SPAN_LONGEST + 1))
        span = self.window(rng, stories, size)
        gap = self.window(rng, stories, int(rng.integers(0, LENGTH - 2 * size + 1)))
        rest = self.window(rng, stories, LENGTH - 2 * size - len(gap))
        return np.concatenate([[START], span, gap, span, rest])

    def window(
        self, rng: np.random.Generator, stream: NDArray[np.uint16], size: int
    ) -> NDArray[np.uint16]:
        first = int(rng.integers(len(stream) - size))
        return stream[first : first + size]


def loss_of(model: Transformer, batch: Tensor) -> tuple[Tensor, dict[str, float], int]:
    """Cross-entropy of the next token, in nats."""
    logits = model.vocab_logits(model.decode(batch[:, :-1])).float()
    loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    return loss, {"loss": loss.item()}, batch[:, 1:].numel()


def main() -> None:
    run(
        name="decoder",
        description=__doc__,
        spec=decoder_spec(),
        batches=lambda spec: DecoderBatches(WORK),
        loss_of=loss_of,
        block_std=0.05,
        adamw_lr=1.5e-3,
        muon_lr=3e-3,
        dropout=0.0,
    )


if __name__ == "__main__":
    main()

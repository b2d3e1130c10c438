"""`python -m training.encoder`: train the encoder on masked words, sentence pairs, sentiment."""

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
from training.lists import TokenLists, load_lists
from training.shapes import encoder_spec

PAD, CLS, SEP, MASK = 0, 2, 3, 4
SPECIALS = 5
# Rows as long as the model reads, rows of half that, and single sentences: 4,096 tokens a batch.
LONG, MIDDLE, SHORT, BATCH_TOKENS = 128, 64, 32, 4096
# Many masked words first, for more to learn from a row; at the end as many as BERT's 15 %.
MASKED_FIRST, MASKED_LAST = 0.3, 0.15
MIDDLE_SHARE, SHORT_SHARE = 0.3, 0.2  # of the batches
OPINION_SHARE, OPINION_FROM = 0.07, 0.3  # of the batches, after this much of the run
FACTS_SHARE = 0.12  # of the short rows
ALONE_SHARE = 0.25  # of the rows of running text: one text from end to end, as people type it
WHOLE_SHARE = 0.12  # of running text: no word masked, as when a person asks which text follows
# A stranger is from the same book as often as in three books drawn blindly: from elsewhere within
# so many sentences, half a book. Strangers of other books alone are told by their names and style.
NEAR_SHARE, NEAR_LEAST, NEAR_MOST = 1 / 3, 20, 2000
PAIR_WEIGHT = 1.0
NO_PAIR = -100
Row = tuple[list[int], list[int], int]
"""First text, second text (may be empty), and 0 follows, 1 does not, or NO_PAIR."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderBatch:
    """ids, segments, padding [row, position]; masked bool; targets [masked]; pair, label [row]."""

    ids: Tensor
    segments: Tensor
    padding: Tensor
    masked: Tensor
    targets: Tensor
    pair: Tensor
    label: Tensor | None


class EncoderBatches:
    """Long rows of running text, short rows of everyday sentences, and labelled opinions."""

    def __init__(self, folder: Path, *, vocab: int) -> None:
        self.vocab = vocab
        self.stories = load_lists(folder / "encoder_stories.npz")
        self.single = load_lists(folder / "encoder_single.npz")
        self.facts = load_lists(folder / "encoder_facts.npz")
        self.follow = load_lists(folder / "encoder_follow.npz")
        self.opinions = load_lists(folder / "encoder_opinions.npz")

    def draw(self, rng: np.random.Generator, progress: float) -> EncoderBatch:
        if progress > OPINION_FROM and rng.random() < OPINION_SHARE:
            return self.opinion_batch(rng)
        draw = rng.random()
        short = draw < SHORT_SHARE
        length = SHORT if short else MIDDLE if draw < SHORT_SHARE + MIDDLE_SHARE else LONG
        made = [
            self.short_row(rng) if short else self.long_row(rng, length)
            for _ in range(BATCH_TOKENS // length)
        ]
        share = MASKED_FIRST + (MASKED_LAST - MASKED_FIRST) * progress
        whole = 0.0 if short else WHOLE_SHARE
        return self.collate(made, length, rng, masked_share=share, whole_share=whole)

    def long_row(self, rng: np.random.Generator, length: int) -> Row:
        """Running text that fills a row, most often as two texts."""
        if rng.random() >= ALONE_SHARE:
            return running_row(self.stories, rng, length=length, near_share=NEAR_SHARE)
        first = int(rng.integers(len(self.stories) - length))
        return _cut(self.stories, first, length - 2), [], NO_PAIR

    def short_row(self, rng: np.random.Generator) -> Row:
        """One sentence, or two neighbours, or two strangers."""
        draw = rng.random()
        if draw < 0.5:
            lists = self.facts if draw < FACTS_SHARE else self.single
            text = lists[int(rng.integers(len(lists)))]
            return text[: SHORT - 2], [], NO_PAIR
        lists = self.follow if draw < 0.65 else self.stories
        index = int(rng.integers(len(lists) // 2 - 1)) * 2
        following = rng.random() < 0.5
        other = index + 1 if following else int(rng.integers(len(lists)))
        a, b = lists[index][: SHORT - 10], lists[other]
        return a, b[: SHORT - 3 - len(a)], 0 if following else 1

    def opinion_batch(self, rng: np.random.Generator) -> EncoderBatch:
        assert self.opinions.labels is not None
        chosen = rng.integers(len(self.opinions), size=BATCH_TOKENS // SHORT)
        rows: list[Row] = [(self.opinions[int(i)][: SHORT - 2], [], NO_PAIR) for i in chosen]
        labels = self.opinions.labels[chosen]
        return self.collate(rows, SHORT, rng, masked_share=0.0, labels=labels)

    def collate(
        self,
        rows: list[Row],
        length: int,
        rng: np.random.Generator,
        *,
        masked_share: float,
        whole_share: float = 0.0,
        labels: NDArray[np.int64] | None = None,
    ) -> EncoderBatch:
        """Rows padded at the end, a share of their words masked but in whole_share of the rows;
        labels [row] of opinions."""
        ids, segments = laid_out(rows, length)
        padding = ids == PAD
        # The words to predict, never a special token.
        masked = (ids >= SPECIALS) & (rng.random(ids.shape) < masked_share)
        masked &= rng.random((len(rows), 1)) >= whole_share
        targets = ids[masked]
        # Oftener [MASK] than BERT's 80 %: here the word behind one is what people ask for.
        ids[masked] = disguised(targets, self.vocab, rng, hidden=0.9)
        return EncoderBatch(
            ids=torch.from_numpy(ids),
            segments=torch.from_numpy(segments),
            padding=torch.from_numpy(padding),
            masked=torch.from_numpy(masked),
            targets=torch.from_numpy(targets),
            pair=torch.tensor([pair for _, _, pair in rows]),
            label=None if labels is None else torch.from_numpy(labels),
        )


def loss_of(model: Transformer, batch: EncoderBatch) -> tuple[Tensor, dict[str, float], int]:
    """Masked-word loss + sentence-pair loss, or the sentiment loss of a labelled batch."""
    states = model.encode(batch.ids, segments=batch.segments, padding=batch.padding)
    size = int((~batch.padding).sum())
    heads = model.heads.sentence(states)
    if batch.label is not None:
        scores = heads["classes"].float()
        loss = F.cross_entropy(scores, batch.label)
        right = (scores.argmax(-1) == batch.label).float().mean()
        return loss, {"sentiment_loss": loss.item(), "sentiment_right": right.item()}, size
    # Only the masked positions go through the vocabulary projection, the dearest layer.
    logits = model.vocab_logits(states[batch.masked][None])[0].float()
    words = F.cross_entropy(logits, batch.targets)
    right = (logits.argmax(-1) == batch.targets).float().mean()
    parts = {"word_loss": words.item(), "word_right": right.item()}
    loss = words
    if bool((batch.pair != NO_PAIR).any()):
        pair = F.cross_entropy(heads["pair"].float(), batch.pair, ignore_index=NO_PAIR)
        loss = loss + PAIR_WEIGHT * pair
        parts["pair_loss"] = pair.item()
    length = batch.ids.shape[1]
    name = "short" if length <= SHORT else "middle" if length <= MIDDLE else "long"
    return loss, {f"{name}_{key}": value for key, value in parts.items()}, size


def disguised(
    targets: NDArray[np.int64], vocab: int, rng: np.random.Generator, *, hidden: float
) -> NDArray[np.int64]:
    """What stands in place of the words asked for: [MASK] for a share of them, and for either half
    of the others another word or themselves. BERT's share is 0.8 (Devlin et al. 2019, 3.1)."""
    draw = rng.random(targets.shape)
    other = rng.integers(SPECIALS, vocab, size=targets.shape)
    return np.where(draw < hidden, MASK, np.where(draw < (1 + hidden) / 2, other, targets))


def framed(a: list[int], b: list[int]) -> list[int]:
    """[CLS] a [SEP], and b [SEP] where there is a second text."""
    return [CLS, *a, SEP, *b, SEP] if b else [CLS, *a, SEP]


def laid_out(rows: list[Row], length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """ids and segments [row, position] of framed rows, padded at the end."""
    ids = np.full((len(rows), length), PAD, dtype=np.int64)
    segments = np.zeros_like(ids)
    for row, (a, b, _) in enumerate(rows):
        text = framed(a, b)
        ids[row, : len(text)] = text
        segments[row, len(a) + 2 : len(text)] = 1
    return ids, segments


def running_row(
    stories: TokenLists, rng: np.random.Generator, *, length: int, near_share: float = 0.0
) -> Row:
    """Whole sentences of 5 to 10 sixteenths of the length (20 to 40 tokens of 64), then the text
    that follows (0) or other text (1); a share of the other texts is from near by."""
    least, most = length * 5 // 16, length * 5 // 8
    first = int(rng.integers(len(stories) - most))
    end = first + 1
    wanted = rng.integers(least, most + 1)
    while stories.starts[end] - stories.starts[first] < wanted:
        end += 1
    a = _cut(stories, first, most)[: int(stories.starts[end] - stories.starts[first])]
    following = rng.random() < 0.5
    other = end
    if not following:
        near = near_share > 0 and rng.random() < near_share
        known = len(stories) - most
        other = near_by(end, known, rng) if near else int(rng.integers(known))
    return a, _cut(stories, other, length - 3 - len(a)), 0 if following else 1


def near_by(sentence: int, sentences: int, rng: np.random.Generator) -> int:
    """One of the first `sentences`, within half a book of this one, most often in the same book."""
    away = int(rng.integers(NEAR_LEAST, NEAR_MOST))
    return (sentence + (away if rng.random() < 0.5 else -away)) % sentences


def _cut(lists: TokenLists, first: int, length: int) -> list[int]:
    start = int(lists.starts[first])
    found: list[int] = lists.ids[start : start + length].tolist()
    return found


def main() -> None:
    run(
        name="encoder",
        description=__doc__,
        spec=encoder_spec(),
        batches=lambda spec, _: EncoderBatches(WORK, vocab=spec.stack("encoder").embedding.vocab),
        loss_of=loss_of,
        block_std=0.05,
        adamw_lr=1.5e-3,
        muon_lr=3e-3,
        dropout=0.0,
    )


if __name__ == "__main__":
    main()

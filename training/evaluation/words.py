"""The encoder on unseen books: masked words, next sentence; and sentiment on unseen comments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from tokenizers import Tokenizer

from core.model import Transformer
from training.data.sentiment import LABELS, Opinion
from training.data.stories import Book, sentences_of
from training.encoder import (
    CLS,
    LONG,
    MASK,
    MIDDLE,
    PAD,
    SEP,
    SPECIALS,
    disguised,
    laid_out,
    running_row,
)
from training.evaluation.ngram import Fillers
from training.lists import TokenLists, listed

ROWS, BATCH = 5000, 100
MASKED_SHARE = 0.15
Figures = dict[str, float]


def stories_of(books: Sequence[Book], tokenizer: Tokenizer) -> TokenLists:
    """The sentences of the books as token lists."""
    texts = [s for book in books for s in sentences_of(book)]
    return listed([e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)])


@torch.inference_mode()
def masked_words(
    network: Transformer,
    stories: TokenLists,
    fillers: Fillers,
    *,
    length: int = LONG,
    rows: int = ROWS,
) -> Figures:
    """Accuracy on masked words of unseen books, in rows of so many tokens; fillers: of the training
    text, for the baselines."""
    rng, mixing = np.random.default_rng(7), np.random.default_rng(8)
    vocab = network.stack("encoder").spec.embedding.vocab
    first = five = unigram = trigram = trigram_five = mixed = total = 0
    pair_right = pair_total = 0
    for _ in range(rows // BATCH):
        made = [running_row(stories, rng, length=length) for _ in range(BATCH)]
        ids, segments = laid_out(made, length)
        kinds = torch.from_numpy(segments)
        padding = torch.from_numpy(ids == PAD)
        # Next sentence is asked of the whole text, as a person would ask it.
        states = network.encode(torch.from_numpy(ids), segments=kinds, padding=padding)
        said = network.heads.sentence(states)["pair"].argmax(-1)
        pair_right += int((said == torch.tensor([p for _, _, p in made])).sum())
        pair_total += BATCH
        masked = (ids >= SPECIALS) & (rng.random(ids.shape) < MASKED_SHARE)
        targets = ids[masked]
        hidden = np.where(masked, MASK, ids)
        states = network.encode(torch.from_numpy(hidden), segments=kinds, padding=padding)
        logits = network.vocab_logits(states[torch.from_numpy(masked)][None])[0]
        top = logits.topk(5).indices.numpy()
        first += int((top[:, 0] == targets).sum())
        # As BERT counts while it trains: some words stand there as they are, some are others.
        shown = np.array(ids)
        shown[masked] = disguised(targets, vocab, mixing, hidden=0.8)
        states = network.encode(torch.from_numpy(shown), segments=kinds, padding=padding)
        logits = network.vocab_logits(states[torch.from_numpy(masked)][None])[0]
        mixed += int((logits.argmax(-1).numpy() == targets).sum())
        five += int((top == targets[:, None]).any(1).sum())
        unigram += int((targets == fillers.common[0]).sum())
        for (row, column), target in zip(np.argwhere(masked), targets, strict=True):
            guess = fillers.guess(int(hidden[row, column - 1]), int(hidden[row, column + 1]))
            trigram += int(guess[0] == target)
            trigram_five += int(target in guess)
        total += len(targets)
    return {
        "masked word, top 1": first / total,
        "masked word, top 5": five / total,
        "  counted as BERT does, top 1": mixed / total,
        "  unigram baseline, top 1": unigram / total,
        "  trigram baseline, top 1": trigram / total,
        "  trigram baseline, top 5": trigram_five / total,
        "next sentence": pair_right / pair_total,
    }


def half_rows(network: Transformer, stories: TokenLists, fillers: Fillers) -> Figures:
    """The same figures with half as much to read."""
    found = masked_words(network, stories, fillers, length=MIDDLE)
    return {f"  of {MIDDLE} tokens: {name.strip()}": value for name, value in found.items()}


@torch.inference_mode()
def sentiment(
    network: Transformer, tokenizer: Tokenizer, opinions: Sequence[Opinion], name: str
) -> Figures:
    """Accuracy of the classifier, beside always saying the commonest label."""
    right = 0
    for start in range(0, len(opinions), BATCH):
        part = opinions[start : start + BATCH]
        texts = [
            e.ids[: LONG - 2]
            for e in tokenizer.encode_batch([o.text for o in part], add_special_tokens=False)
        ]
        length = max(map(len, texts)) + 2
        ids = torch.tensor([[CLS, *t, SEP] + [PAD] * (length - 2 - len(t)) for t in texts])
        states = network.encode(ids, padding=ids == PAD)
        said = network.heads.sentence(states)["classes"].argmax(-1).tolist()
        right += sum(s == o.label for s, o in zip(said, part, strict=True))
    shares = np.bincount([o.label for o in opinions], minlength=len(LABELS)) / len(opinions)
    return {name: right / len(opinions), "  commonest label": float(shares.max())}

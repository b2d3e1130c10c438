"""The decoder on unseen books: bits per character, and whether greedy text runs in circles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.nn import functional as F

from core.model import Transformer
from training.data.stories import Book
from training.decoder import END, LENGTH, START
from training.evaluation.ngram import KneserNey

EVERY_CHAPTER = 4
STRIDE = 128
NEW_TOKENS = 40
Figures = dict[str, float]
PROMPTS = (
    "Once upon a time", "The little girl", "One day, a boy named Tom", "It was a cold winter night",
    "The old man sat by the fire", "There was once a king who", "My mother said", "The dog ran",
    "In the morning the sun", "She opened the door and", "The horse was", "Far away in the forest",
    "He looked at the sea", "\"Where are you going?\" asked", "The children were playing",
    "Lily found a red ball in the garden. Lily", "Peter and Anna went to the river. Peter",
    "After dinner they", "The doctor came", "I do not know",
)  # fmt: skip


@torch.inference_mode()
def bits_per_character(
    network: Transformer, tokenizer: Tokenizer, books: Sequence[Book], seen: NDArray[np.uint16]
) -> Figures:
    """On every fourth chapter of the unseen books; seen: the training tokens, for the baseline."""
    baseline = KneserNey(seen.astype(np.int64), vocab=tokenizer.get_vocab_size())
    bits = baseline_bits = 0.0
    characters = tokens = 0
    chapters = [chapter for book in books for chapter in book.chapters][::EVERY_CHAPTER]
    for chapter in chapters:
        text = "\n".join(chapter)
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        characters += len(text)
        tokens += len(ids)
        bits -= float(_log2(network, ids).sum())
        # The first words of a chapter follow the end of the one before, as in training.
        context = [END] * (baseline.order - 1)
        baseline_bits -= float(baseline.log2(np.array(context + ids)).sum())
    return {
        "bits per character": bits / characters,
        "  5-gram Kneser-Ney baseline": baseline_bits / characters,
        "nats per token": bits * float(np.log(2)) / tokens,
    }


def _log2(network: Transformer, ids: list[int]) -> torch.Tensor:
    """log2 p of every token; each is scored once, with 128 to 255 tokens before it."""
    rows, keep = [], []
    for start in range(0, len(ids), STRIDE):
        begin = max(0, start - (LENGTH - STRIDE))
        rows.append([START, *ids[begin : start + STRIDE]])
        keep.append((start - begin, len(ids[start : start + STRIDE])))
    found = []
    for first in range(0, len(rows), 32):
        part = rows[first : first + 32]
        length = max(map(len, part))
        batch = torch.tensor([row + [END] * (length - len(row)) for row in part])
        logits = network.vocab_logits(network.decode(batch[:, :-1]))
        log = F.log_softmax(logits, -1).gather(-1, batch[:, 1:, None])[..., 0]
        for row, (skip, count) in zip(log, keep[first : first + 32], strict=True):
            found.append(row[skip : skip + count])
    return torch.cat(found) / float(np.log(2))


@torch.inference_mode()
def continuations(network: Transformer, tokenizer: Tokenizer) -> list[tuple[str, str, bool]]:
    """(prompt, greedy text of 40 tokens, whether it loops) for the twenty prompts."""
    found = []
    for prompt in PROMPTS:
        ids = tokenizer.encode(prompt).ids
        new: list[int] = []
        for _ in range(NEW_TOKENS):
            logits = network.vocab_logits(network.decode(torch.tensor([ids + new]))[:, -1:])
            new.append(int(logits.argmax()))
            if new[-1] == END:
                break
        found.append((prompt, tokenizer.decode(new), loops(new)))
    return found


def loops(ids: Sequence[int], *, times: int = 3) -> bool:
    """Whether some stretch of tokens is said `times` times in a row."""
    for size in range(1, len(ids) // times + 1):
        for start in range(len(ids) - size * times + 1):
            part = ids[start : start + size]
            if all(ids[start + k * size : start + (k + 1) * size] == part for k in range(times)):
                return True
    return False

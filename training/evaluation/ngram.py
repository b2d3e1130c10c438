"""Count baselines: a trigram filler for masked words and a Kneser-Ney model for continuation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


class Fillers:
    """Guesses a masked word from the word on its left and the word on its right."""

    def __init__(self, text: Ids, *, vocab: int) -> None:
        """text: running token ids to count."""
        left, word, right = text[:-2], text[1:-1], text[2:]
        self.vocab = vocab
        self.both = _ranked((left * vocab + right) * vocab + word, vocab)
        self.left = _ranked(left * vocab + word, vocab)
        counts = np.bincount(text, minlength=vocab)
        self.common: list[int] = np.argsort(-counts, kind="stable")[:5].tolist()

    def guess(self, left: int, right: int) -> list[int]:
        """Five words, the likeliest first: by both neighbours, then the left one, then alone."""
        found: dict[int, None] = {}
        for word in (
            *self.both.get(left * self.vocab + right, ()),
            *self.left.get(left, ()),
            *self.common,
        ):
            found[word] = None
        return list(found)[:5]


class KneserNey:
    """Interpolated Kneser-Ney of a given order (Chen & Goodman 1999, section 2.7)."""

    def __init__(self, text: Ids, *, vocab: int, order: int = 5) -> None:
        """vocab ** order must fit in 63 bits."""
        self.order, self.vocab = order, vocab
        grams, counts = np.unique(_grams(text, order, vocab), return_counts=True)
        self.levels: list[_Level] = [_Level(grams, counts, vocab)]
        for size in range(order - 1, 0, -1):
            # Lower orders count how many different words stand in front, not occurrences.
            grams, counts = np.unique(grams % vocab**size, return_counts=True)
            self.levels.append(_Level(grams, counts, vocab))

    def log2(self, text: Ids) -> NDArray[np.float64]:
        """log2 p of each token of `text` after the first order - 1 ones, given those before it."""
        windows = _grams(text, self.order, self.vocab)
        p = np.full(len(windows), 1 / self.vocab)
        for size, level in enumerate(reversed(self.levels), start=1):
            p = level.mix(windows % self.vocab**size, p)
        found: NDArray[np.float64] = np.log2(p)
        return found


class _Level:
    def __init__(self, grams: Ids, counts: Ids, vocab: int) -> None:
        self.grams, self.counts, self.vocab = grams, counts, vocab
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        self.discount = once / (once + 2 * twice) if once and twice else 0.75
        self.heads, first = np.unique(grams // vocab, return_index=True)
        self.totals = np.add.reduceat(counts, first)
        self.kinds = np.diff(np.append(first, len(grams)))

    def mix(self, windows: Ids, lower: NDArray[np.float64]) -> NDArray[np.float64]:
        count = _look_up(self.grams, self.counts, windows)
        head = windows // self.vocab
        total = _look_up(self.heads, self.totals, head)
        kinds = _look_up(self.heads, self.kinds, head)
        known = total > 0
        safe = np.where(known, total, 1)
        mixed = np.maximum(count - self.discount, 0) / safe + self.discount * kinds / safe * lower
        return np.where(known, mixed, lower)


def _grams(text: Ids, order: int, vocab: int) -> Ids:
    found = np.zeros(len(text) - order + 1, dtype=np.int64)
    for offset in range(order):
        found = found * vocab + text[offset : len(text) - order + 1 + offset]
    return found


def _look_up(keys: Ids, values: Ids, wanted: Ids) -> Ids:
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0)


def _ranked(keys: Ids, vocab: int) -> dict[int, list[int]]:
    """context -> its five commonest words; a key is context * vocab + word."""
    grams, counts = np.unique(keys, return_counts=True)
    order = np.lexsort((-counts, grams // vocab))
    found: dict[int, list[int]] = {}
    for gram in grams[order].tolist():
        words = found.setdefault(gram // vocab, [])
        if len(words) < 5:
            words.append(gram % vocab)
    return found

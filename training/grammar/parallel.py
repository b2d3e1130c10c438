"""Drawing parallel sentences by the grammar, with unseen combinations kept aside."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator

from training.grammar.fixed import COURTESIES, TEXTBOOK
from training.grammar.patterns import PATTERNS
from training.grammar.phrase import Phrase
from training.grammar.senses import senses

SENSES_WEIGHT = 8
ASIDE = 40  # one combination in so many is never trained on


def sentences(seed: int) -> Iterator[Phrase]:
    """An endless, repeatable stream of sentences."""
    rng = random.Random(seed)
    patterns = [pattern for pattern, _ in PATTERNS] + [senses]
    weights = [weight for _, weight in PATTERNS] + [SENSES_WEIGHT]
    while True:
        yield rng.choices(patterns, weights)[0](rng)


def is_held_out(sentence: Phrase) -> bool:
    """Whether this combination of words belongs to the evaluation; decided by its own text.

    Both sides decide, so that no held-out sentence is trained on in another translation, and
    textbook sentences and courtesies are never held out.
    """
    fixed = TEXTBOOK + COURTESIES
    if any(sentence.chinese == zh or sentence.english == en for zh, en in fixed):
        return False
    return any(
        zlib.crc32(side.encode()) % ASIDE == 0 for side in (sentence.chinese, sentence.english)
    )


def training_sentences(count: int, *, seed: int = 1) -> list[Phrase]:
    """`count` different sentences to train on."""
    return _distinct(count, seed=seed, held_out=False)


def held_out_sentences(count: int, *, seed: int = 2) -> list[Phrase]:
    """`count` different sentences whose combination of words is never trained on."""
    return _distinct(count, seed=seed, held_out=True)


def _distinct(count: int, *, seed: int, held_out: bool) -> list[Phrase]:
    found: dict[tuple[str, str], Phrase] = {}
    for sentence in sentences(seed):
        if is_held_out(sentence) == held_out:
            found.setdefault((sentence.chinese, sentence.english), sentence)
        if len(found) == count:
            break
    return list(found.values())

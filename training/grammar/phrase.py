"""Parallel phrases: words in both languages that share a label where they mean the same."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNALIGNED = "_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word and its label; words of the two sides with one label translate each other."""

    text: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """The same thing said in Chinese and in English."""

    zh: tuple[Word, ...]
    en: tuple[Word, ...]

    @property
    def chinese(self) -> str:
        """The Chinese side as it is written."""
        text = ""
        for word in self.zh:
            # Two Latin words in a row need the space that Chinese does without.
            latin = text[-1:].isascii() and text[-1:].isalnum() and word.text[:1].isascii()
            text += (" " if latin and word.text[:1].isalnum() else "") + word.text
        return text

    @property
    def english(self) -> str:
        """The English side as it is written, with its first letter large."""
        text = re.sub(r" (?=[.,?!])", "", " ".join(word.text for word in self.en))
        return text[:1].upper() + text[1:]

    def links(self) -> list[tuple[int, int]]:
        """(Chinese word, English word) index pairs that share a label."""
        return [
            (i, j)
            for i, left in enumerate(self.zh)
            for j, right in enumerate(self.en)
            if left.label == right.label and left.label != UNALIGNED
        ]


def words(text: str) -> tuple[Word, ...]:
    """Read "went:go to:_ school:place" (a word without a label is unaligned)."""
    found = []
    for item in text.split():
        word, _, label = item.partition(":")
        found.append(Word(text=word.replace("~", " "), label=label or UNALIGNED))
    return tuple(found)


def phrase(zh: str, en: str) -> Phrase:
    """A phrase from its two written sides; a single word each side is linked without a label."""
    if ":" not in zh + en:
        zh, en = f"{zh.replace(' ', '~')}:w", " ".join(f"{word}:w" for word in en.split())
    return Phrase(zh=words(zh), en=words(en))


def compose(zh: str, en: str, **fills: Phrase) -> Phrase:
    """Fill the slots {name} of both sides; labels of a filling are kept apart by the slot's name.

    Raises KeyError for a slot without a filling.
    """
    return Phrase(
        zh=_fill(zh, {name: fill.zh for name, fill in fills.items()}),
        en=_fill(en, {name: fill.en for name, fill in fills.items()}),
    )


def _fill(pattern: str, fills: dict[str, tuple[Word, ...]]) -> tuple[Word, ...]:
    found: list[Word] = []
    for item in pattern.split():
        if item.startswith("{"):
            slot = item[1:-1]
            for word in fills[slot]:
                label = word.label if word.label == UNALIGNED else f"{slot}.{word.label}"
                found.append(Word(text=word.text, label=label))
        else:
            found.extend(words(item))
    return tuple(found)

"""Sentences of the books that might have been said today: short, and of everyday words only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from training.data.pairs import Pair, near_key_english, tidy_english
from training.data.stories import Book, sentences_of

SHORTEST, LONGEST = 3, 14  # words
KNOWN_TIMES = 2  # a word is an everyday one when the pairs have it so often
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_SPOKEN = re.compile(r'"([A-Z][^"]*[.?!])"')
_BETWEEN = re.compile(r"(?<=[.?!])\s+")
_ODD = re.compile(r'[()\[\]*_#/&:;@<>\d"]')
_SHORTENED = ("Mr.", "Mrs.", "Dr.", "St.")


def everyday_sentences(
    books: Iterable[Book], pairs: Iterable[Pair], held_out: Iterable[Pair]
) -> list[str]:
    """Each once, in alphabetical order; none resembles the English of a held-out pair."""
    times = Counter(word.lower() for pair in pairs for word in _WORD.findall(pair.en))
    known = {word for word, count in times.items() if count >= KNOWN_TIMES}
    kept_apart = {near_key_english(pair.en) for pair in held_out}
    return sorted(
        text
        for text in {text for book in books for text in _said_and_told(book)}
        if _is_everyday(text, known) and near_key_english(text) not in kept_apart
    )


def _said_and_told(book: Book) -> Iterable[str]:
    """What people say in quotes, sentence by sentence, and the sentences without quotes."""
    for chapter in book.chapters:
        for paragraph in map(tidy_english, chapter):
            for spoken in _SPOKEN.findall(paragraph):
                yield from _BETWEEN.split(spoken)
    yield from map(tidy_english, sentences_of(book))


def _is_everyday(text: str, known: set[str]) -> bool:
    words = _WORD.findall(text)
    return (
        SHORTEST <= len(words) <= LONGEST
        and text[0].isupper()
        and text[-1] in ".?!"
        and not text.endswith(_SHORTENED)
        and not _ODD.search(text)
        and all(word.lower() in known for word in words)
    )

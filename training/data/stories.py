"""Public-domain stories, whole books held out for evaluation."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

# Whole books, fixed by name: no sentence of these three is ever trained on.
HELD_OUT = (
    "anna-sewell_black-beauty",
    "e-nesbit_the-railway-children",
    "hugh-lofting_the-story-of-doctor-dolittle",
)
# Long adult prose: a small model learns simple English better without it at first. To one that has
# read the other books many times it is text it does not know yet.
PROSE = (
    "anton-chekhov_short-fiction_constance-garnett",
    "o-henry_short-fiction",
    "sherwood-anderson_winesburg-ohio",
)
_ENDS = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')]))\s+(?=[\"'(A-Z])")
BETWEEN_BOOKS = 2  # the two newline bytes that join one book to the next


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """One book: its name in the source list and its chapters, each a list of paragraphs."""

    name: str
    chapters: tuple[tuple[str, ...], ...]


def read_books(folder: Path) -> list[Book]:
    """Every book of stories.txt, cut at the sizes in bytes that stories_sources.tsv gives.

    Raises ValueError when the sizes do not add up to the file.
    """
    raw = (folder / "stories.txt").read_bytes()
    with (folder / "stories_sources.tsv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    books = []
    start = 0
    for row in rows:
        end = start + int(row["bytes"])
        text = raw[start:end].decode("utf-8")
        chapters = tuple(
            tuple(line.strip() for line in chapter.split("\n") if line.strip())
            for chapter in text.split("\n\n")
        )
        name = row["repo"].partition("/")[2]
        books.append(Book(name=name, chapters=tuple(c for c in chapters if c)))
        start = end + BETWEEN_BOOKS
    if start - BETWEEN_BOOKS != len(raw):
        raise ValueError(f"stories.txt has {len(raw)} bytes, its list {start - BETWEEN_BOOKS}")
    return books


def split_books(books: list[Book]) -> tuple[list[Book], list[Book]]:
    """(children's books to train on, held-out books)."""
    train = [book for book in books if book.name not in HELD_OUT + PROSE]
    held = [book for book in books if book.name in HELD_OUT]
    if len(held) != len(HELD_OUT):
        raise ValueError(f"Expected the held-out books {HELD_OUT}, found {[b.name for b in held]}")
    return train, held


def prose_of(books: list[Book]) -> list[Book]:
    """The adult prose among them, to train on besides."""
    return [book for book in books if book.name in PROSE]


def sentences_of(book: Book) -> list[str]:
    """The sentences of a book in their order; a closing quote stays with its sentence."""
    paragraphs = [paragraph for chapter in book.chapters for paragraph in chapter]
    return [s for paragraph in paragraphs for s in _ENDS.split(paragraph) if s]

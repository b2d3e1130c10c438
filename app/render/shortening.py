"""What a box of a diagram says where it has no room for everything: names before shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator

SHAPE = re.compile(r" [\[:·\d].*")  # from here on a line tells a shape or a number, no name
NUMBERED = re.compile(r"\D*(\d+)")
LIST = re.compile(r"\d+ tokens?: |\d+, ")  # lines that lose their last words first
LAST = re.compile(r"(\d+ tokens?: )?…,? ")  # of a growing text: they lose their first words


def shorter(words: str) -> Iterator[str]:
    """The whole text, then with less and less said of the part, at last its bare name:
    “Self-attention / 8 heads × 32 · 263 k”, “Self-attention / 8 heads × 32”, “Self-attention”."""
    yield words
    name, *more = words.split("\n")
    if len(more) == 1 and (cut := LAST.match(more[0])):
        listed = more[0][cut.end() :].split(" ")
        for first in range(1, len(listed)):
            yield f"{name}\n{cut[0]}{' '.join(listed[first:])}"
    elif len(more) == 1 and LIST.match(more[0]):
        listed = more[0].removesuffix(" …").removesuffix(",").split(" ")
        for count in range(len(listed) - 1, 2, -1):
            yield f"{name}\n{' '.join(listed[:count])} …"
    if more:
        yield "\n".join([name, *(_without_last(line) for line in more)])
    else:
        yield _without_last(name)
    yield name
    yield SHAPE.sub("", name)


def of_frame(words: str) -> str:
    """The name of a frame without the count of those like it: “Encoder layer 1” of 3."""
    return words.partition(" of ")[0]


def number_of(words: str) -> str:
    """What counts a part: 3 of “Q3”; empty where nothing does."""
    found = NUMBERED.fullmatch(words)
    return "" if found is None else found[1]


def _without_last(line: str) -> str:
    """“256 → 512 · 263 k” without its number of weights; “6 tokens: <s> …” without the list."""
    return line.rpartition(" · ")[0] or line.partition(":")[0]

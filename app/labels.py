"""How a token is printed where a person reads it.

A space is shown as ·, so that "·the" begins a word and "the" goes on with one; WordPiece, which
does not spell spaces, marks the piece that goes on instead: "##ing" reads "-ing". Line break, tab
and carriage return read ↵ ⇥ ␍, other characters that cannot be seen ⟨U+200B⟩, bytes that are no
character ⟨F0⟩. A character split over several tokens reads "😀 1/4" … "😀 4/4". Raw labels are the
tokenizer's own spelling, untouched.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from core.spelling import CONTINUATION, Spelling, guess, piece_bytes, readable

if TYPE_CHECKING:
    from core.tokens import Tokens

SPACE = "·"
_MARKS = {" ": SPACE, "\n": "↵", "\t": "⇥", "\r": "␍"}
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}

Share = tuple[str, tuple[int, ...]]
"""A character and the tokens that spell it, in order."""


class Names(Protocol):
    """What `labeller` needs of a tokenizer."""

    @property
    def spelling(self) -> Spelling: ...

    def piece(self, token: int, /) -> str: ...

    def is_special(self, token: int, /) -> bool: ...


@lru_cache(maxsize=1 << 16)
def label(piece: str, raw: bool = False, *, spelling: Spelling | None = None) -> str:
    """One piece on its own; the spelling is guessed from the piece where it is not given."""
    if raw or _named(piece):
        return piece
    kind = spelling or guess(piece)
    if kind == "wordpiece" and piece.startswith(CONTINUATION) and len(piece) > len(CONTINUATION):
        return "-" + _visible(piece.removeprefix(CONTINUATION))
    return _visible(readable(piece_bytes(piece, kind))[0])


@lru_cache(maxsize=64)  # every view and panel asks for the same few, at every draw
def labels_of(tokens: Tokens, raw: bool = False) -> tuple[str, ...]:
    """One label a token; tokens that spell one character together count their parts."""
    if raw:
        return tokens.pieces
    found = [
        _visible(piece) if special else label(piece, spelling=tokens.spelling)
        for piece, special in zip(tokens.pieces, tokens.special, strict=True)
    ]
    held: dict[int, list[Share]] = {}
    for share in _shares(tokens):
        for index in share[1]:
            held.setdefault(index, []).append(share)
    for index, shares in held.items():
        if any(len(owners) > 1 for _, owners in shares):
            found[index] = _with_parts(index, shares)
    return tuple(found)


def labeller(tokenizer: Names, raw: bool = False) -> Callable[[int], str]:
    """Token id -> label, for lists of candidates."""

    def name(token: int) -> str:
        piece = tokenizer.piece(token)
        return (
            piece if tokenizer.is_special(token) else label(piece, raw, spelling=tokenizer.spelling)
        )

    return name


def visible(text: str) -> str:
    """Text as it was written, but that a character nobody can see reads ⟨U+200D⟩."""
    return " ".join(_visible(part) for part in text.split(" "))


def place_words(index: int, position: int | None) -> str:
    """“position 3”; where padding stands before it “index 5, position 3”."""
    if position is None:
        return f"index {index}, padding"
    return f"position {index}" if index == position else f"index {index}, position {position}"


def groups_of(tokens: Tokens) -> tuple[int, ...]:
    """The same number for tokens that share a character, with one another or with one between
    them: they light up together. The number is the place of the first of them."""
    found = list(range(len(tokens)))
    # Generated tokens have no span; their bytes tell.
    joined = {place for _, owners in _shares(tokens) for place in owners[1:]}
    for i in range(1, len(tokens)):
        if i in joined or _overlap(tokens, i - 1, i):
            found[i] = found[i - 1]
    return tuple(found)


def _overlap(tokens: Tokens, one: int, other: int) -> bool:
    """Whether both are of the same characters of one text."""
    first, second = tokens.spans[one], tokens.spans[other]
    if first is None or second is None or tokens.sequence[one] != tokens.sequence[other]:
        return False
    return first[0] < second[1] and second[0] < first[1]


def _shares(tokens: Tokens) -> list[Share]:
    """The characters of tokens that are not text by themselves; special tokens are."""
    shares: list[Share] = []
    run: list[tuple[int, bytes]] = []
    for index, piece in enumerate(tokens.pieces):
        part = None if tokens.special[index] else _broken(piece, tokens.spelling)
        if part is not None:
            run.append((index, part))
        elif run:
            shares += _characters(run)
            run = []
    return shares + _characters(run)


@lru_cache(maxsize=1 << 16)
def _broken(piece: str, spelling: Spelling | None) -> bytes | None:
    """The bytes of a piece that begins or ends within a character; None for any other."""
    if _named(piece):
        return None
    data = piece_bytes(piece, spelling or guess(piece))
    try:
        data.decode()
    except UnicodeDecodeError:
        return data
    return None


def _characters(run: list[tuple[int, bytes]]) -> list[Share]:
    """Consecutive tokens as bytes -> the characters these make."""
    data = b"".join(part for _, part in run)
    owner = [index for index, part in run for _ in part]
    shares: list[Share] = []
    start = 0
    while start < len(data):
        end, text = _next_character(data, start)
        shares.append((text, tuple(dict.fromkeys(owner[start:end]))))
        start = end
    return shares


def _next_character(data: bytes, start: int) -> tuple[int, str]:
    """(end, character) at `start`; one byte where there is no valid character."""
    for end in range(start + 1, min(start + 4, len(data)) + 1):
        try:
            return end, data[start:end].decode()
        except UnicodeDecodeError:
            continue
    return start + 1, readable(data[start : start + 1])[0]


def _with_parts(index: int, shares: list[Share]) -> str:
    """The label of a token that holds a part of a character; shares: all it holds of any."""
    words: list[str] = []
    whole = ""
    for text, owners in shares:
        if len(owners) == 1:
            whole += text
            continue
        words += [_visible(whole)] if whole else []
        words.append(f"{_visible(text)} {owners.index(index) + 1}/{len(owners)}")
        whole = ""
    return " ".join([*words, _visible(whole)] if whole else words)


def _named(piece: str) -> bool:
    """A name given in place of a spelling: ⟨unused id 70⟩."""
    return piece.startswith("⟨") and piece.endswith("⟩") and len(piece) > 2


def _visible(text: str) -> str:
    """Text with marks for what cannot be seen."""
    # A joiner or variation selector inside an emoji belongs to it and is seen through it.
    alone = all(_hidden(character) for character in text)
    shown = "".join(
        _MARKS.get(c) or (f"⟨U+{ord(c):04X}⟩" if _unseen(c, alone) else c) for c in text
    )
    return "◌" + shown if shown and unicodedata.combining(shown[0]) else shown


def _unseen(character: str, alone: bool) -> bool:
    category = unicodedata.category(character)
    if category == "Cf" or "\ufe00" <= character <= "\ufe0f":
        return alone
    return character != " " and category in _UNSEEN


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN or "\ufe00" <= character <= "\ufe0f"

"""Which entries of a vocabulary a person means by a word they type."""

from __future__ import annotations

from core.errors import RequestError
from core.text.tokenizer import Tokenizer

_SPACES = ("▁", "Ġ")


def tokens_meant(tokenizer: Tokenizer, word: str) -> tuple[int, ...]:
    """Ids that write `word`: as a piece is spelled, after a space, at the start of a text, and in
    the middle of a word. Where none writes all of it, those that it begins with. Each once; empty
    when nothing of the vocabulary writes it."""
    word = word.strip()
    if not word:
        return ()
    readings = _readings(tokenizer, word)
    found = [tokenizer.id_of(word), *(ids[0] for ids in readings if len(ids) == 1)]
    found.append(tokenizer.id_of(f"##{word}"))
    if not any(token is not None for token in found):
        found = [ids[0] for ids in readings]
    return tuple(dict.fromkeys(token for token in found if token is not None))


def whole(tokenizer: Tokenizer, word: str) -> bool:
    """Whether one token writes all of `word`."""
    word = word.strip()
    if tokenizer.id_of(word) is not None:
        return True
    return any(len(ids) == 1 for ids in _readings(tokenizer, word))


def _readings(tokenizer: Tokenizer, word: str) -> list[tuple[int, ...]]:
    """The word's ids after a space and at the start of a text, where it can be read at all."""
    found = []
    for text in (f" {word}", word):
        try:
            read = tokenizer.encode(text, add_special=False)
        except RequestError:
            continue
        # SentencePiece may begin with a piece that is the space alone.
        pairs = zip(read.ids, read.pieces, strict=True)
        ids = tuple(i for i, piece in pairs if piece not in _SPACES)
        if ids and ids != (tokenizer.unk_id,):
            found.append(ids)
    return found

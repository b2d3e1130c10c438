"""Vocabularies in tiktoken's form: on each line a piece's bytes in base64 and its rank.

The rank is the piece's id, and the order in which pairs are merged: of all neighbours that make a
piece together, those whose piece has the lowest rank. Which merges there are follows from the
pieces. How texts are cut into words before that, and the special tokens behind the last rank, are
written in programs and not in the file: they are known for Llama 3 and Qwen.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from core.errors import CheckpointError
from core.spelling import BYTE_OF
from core.text.engine import Opened
from core.text.files import built, need, read_text
from core.text.settings import Added, Settings
from core.text.splits import byte_level
from core.text.vocabularies import finish

QWEN = "qwen.tiktoken"
SUFFIX = ".tiktoken"
_LINE = re.compile(r"([A-Za-z0-9+/]+={0,2}) (\d+)")
_START = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n")
_LETTER_OF = {byte: letter for letter, byte in BYTE_OF.items()}

_SPLITS = {"llama3": "llama-bpe", "qwen": "qwen2"}
_SPECIAL = {
    "llama3": (
        "<|begin_of_text|>",
        "<|end_of_text|>",
        *(f"<|reserved_special_token_{i}|>" for i in range(4)),
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|reserved_special_token_4|>",
        "<|eot_id|>",
        *(f"<|reserved_special_token_{i}|>" for i in range(5, 251)),
    ),
    "qwen": (
        "<|endoftext|>",
        "<|im_start|>",
        "<|im_end|>",
        *(f"<|extra_{i}|>" for i in range(205)),
    ),
}
"""Kind -> what stands behind the last rank, where the files beside do not say."""


def is_ranks(path: Path) -> bool:
    """Whether a file begins as one of tiktoken's does; SentencePiece's have the same name."""
    with path.open("rb") as file:
        return _START.match(file.read(512)) is not None


def open_ranks(path: Path, settings: Settings) -> Opened:
    """Byte-level BPE; CheckpointError for a family whose rules are not known."""
    kind = "qwen" if path.name == QWEN else {"llama": "llama3"}.get(settings.kind_name, "")
    if not kind:
        raise CheckpointError(
            f"{path} holds tiktoken's ranks but not how texts are cut before them; that is known "
            f"of Llama 3's tokenizer.model and of {QWEN}, others need a tokenizer.json"
        )
    ranks = read_ranks(path)
    settings = replace(settings, kind_name=kind)
    if not settings.added:
        first = max(ranks.values()) + 1
        added = {first + i: Added(content=token) for i, token in enumerate(_SPECIAL[kind])}
        settings = replace(settings, added=added)
    vocabulary = {_spelled(piece): rank for piece, rank in ranks.items()}
    made = built(
        path,
        lambda: byte_level(vocabulary, merges(ranks), _SPLITS[kind], whole_words=True),
    )
    names = settings.names()
    known = {added.content for added in settings.added.values()}
    need(path, known, (names[role] for role in settings.template.roles))
    engine, notes = finish(path, made, settings, settings.template, names)
    if notes:
        raise CheckpointError(f"{path}: {notes[0]}")
    return Opened(engine=engine, settings=settings)


def read_ranks(path: Path) -> dict[bytes, int]:
    """Piece -> rank; all bytes are pieces, no two share a rank."""
    found: dict[bytes, int] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line:
            continue
        parts = _LINE.fullmatch(line)
        if parts is None or len(parts[1]) % 4:
            raise CheckpointError(
                f"{path}: line {number} is {line[:60]!r}; it must be base64 and a number"
            )
        found[base64.b64decode(parts[1])] = int(parts[2])
    absent = [byte for byte in range(256) if bytes((byte,)) not in found]
    if absent:
        raise CheckpointError(
            f"{path} has no piece for {len(absent)} of the 256 bytes, {absent[0]:#04x} first; all "
            "are needed"
        )
    if len(set(found.values())) < len(found):
        raise CheckpointError(f"{path} gives two pieces the same rank")
    return found


def merges(ranks: Mapping[bytes, int]) -> list[tuple[str, str]]:
    """Every way to make a piece of two others, in the order of their ranks."""
    return [
        (_spelled(piece[:cut]), _spelled(piece[cut:]))
        for piece in sorted(ranks, key=ranks.__getitem__)
        for cut in _cuts(piece, ranks)
    ]


def _cuts(piece: bytes, ranks: Mapping[bytes, int]) -> Iterator[int]:
    for cut in range(1, len(piece)):
        if piece[:cut] in ranks and piece[cut:] in ranks:
            yield cut


def _spelled(piece: bytes) -> str:
    return "".join(map(_LETTER_OF.__getitem__, piece))

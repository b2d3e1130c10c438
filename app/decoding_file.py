"""A decoding run as a file: JSON lines with the candidates, or CSV; free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.whole_file import SaveError, write

if TYPE_CHECKING:
    from core.decoding import Fill
    from core.request import Step

KINDS = (".jsonl", ".csv")
CANDIDATES = 10


def save(
    moves: tuple[Step, ...] | tuple[Fill, ...], path: Path, pieces: Callable[[int], str]
) -> None:
    """One line a step or fill; the kind follows from the name's end. pieces: token id -> label.

    Raises SaveError; a file of that name stays as it was then.
    """
    from core.decoding import record

    kind = path.suffix.lower()
    if kind not in KINDS:
        raise SaveError(f"A decoding run is saved as .jsonl or .csv, not as {path.name}.")
    if kind == ".csv":
        # The byte order mark makes spreadsheets read the tokens as UTF-8.
        data = record.csv_text(moves).encode("utf-8-sig", errors="replace")
    else:
        lines = []
        for move in moves:
            names = [pieces(candidate.token) for candidate in move.candidates[:CANDIDATES]]
            lines.append(record.json_line(move, candidates=CANDIDATES, names=names) + "\n")
        data = "".join(lines).encode("utf-8", errors="replace")
    write(path, data)

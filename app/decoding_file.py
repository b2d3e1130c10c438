"""A decoding run as a file: JSON lines with the candidates, or CSV; free of Qt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.whole_file import SaveError, write

if TYPE_CHECKING:
    from core.decoding import Fill
    from core.decoding.record import Names
    from core.request import Step

KINDS = (".jsonl", ".csv")
CANDIDATES = 10


def save(moves: tuple[Step, ...] | tuple[Fill, ...], path: Path, names: Names) -> None:
    """One line a step or fill; the kind follows from the name's end.

    Raises SaveError; a file of that name stays as it was then.
    """
    from core.decoding import record

    kind = path.suffix.lower()
    if kind not in KINDS:
        raise SaveError(f"A decoding run is saved as .jsonl or .csv, not as {path.name}.")
    if kind == ".csv":
        # The byte order mark makes spreadsheets read the tokens as UTF-8.
        data = record.csv_text(moves, names).encode("utf-8-sig", errors="replace")
    else:
        lines = (record.json_line(move, candidates=CANDIDATES, names=names) for move in moves)
        data = "".join(line + "\n" for line in lines).encode("utf-8", errors="replace")
    write(path, data)

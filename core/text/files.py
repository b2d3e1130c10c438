"""Reading a tokenizer's files; everything wrong with one is a CheckpointError that names it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import Any, TypeVar

from core.disk.json_file import read_json
from core.disk.pointer import is_pointer
from core.disk.unreadable import reading
from core.errors import CheckpointError

T = TypeVar("T")


def refuse_pointer(path: Path) -> None:
    """CheckpointError for what a clone without Git-LFS has in place of a large file, and for a file
    that cannot be read at all."""
    with reading(path), path.open("rb") as file:
        start = file.read(64)
    if is_pointer(start):
        raise CheckpointError(
            f"{path} is a Git-LFS pointer, not the tokenizer itself; fetch it with “git lfs pull”"
        )


def read_text(path: Path) -> str:
    """A UTF-8 file, its line ends as they are: a lone carriage return may be a piece."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeError) as error:
        raise CheckpointError(f"{path} cannot be read as UTF-8 text: {error}") from None


def read_if_there(path: Path) -> dict[str, Any]:
    """An object from a file, empty where there is none."""
    return read_json(path) if path.is_file() else {}


def read_vocabulary(path: Path) -> dict[str, int]:
    """Piece -> id from a JSON object."""
    found = read_json(path)
    wrong = next((p for p, i in found.items() if not isinstance(i, int) or i < 0), None)
    if wrong is not None or not found:
        what = f"gives {wrong!r} the id {found[wrong]!r}" if wrong is not None else "is empty"
        raise CheckpointError(f"{path} {what}; it must give each piece a whole number from 0 on")
    return found


def built(path: Path, build: Callable[[], T]) -> T:
    """What `build` makes of a file; `tokenizers` raises nothing more exact than Exception, and for
    some damage a panic, which is not even that."""
    try:
        return build()
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise CheckpointError(f"{path} is no tokenizer that can be read: {error}") from None


def need(path: Path, pieces: Container[str | None], tokens: Iterable[str]) -> None:
    """CheckpointError for a special token that the vocabulary lacks."""
    for token in tokens:
        if token not in pieces:
            raise CheckpointError(f"{path} has no {token}, which a text of this family needs")

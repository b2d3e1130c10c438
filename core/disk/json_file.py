"""The small JSON files of a checkpoint, its tokenizer's among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.disk.pointer import is_pointer, pointer
from core.disk.unreadable import unreadable
from core.errors import CheckpointError


def read_json(path: Path) -> dict[str, Any]:
    """The object a file holds; everything wrong with one is a CheckpointError that names it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None
    try:
        # Some editors put a mark of UTF-8 in front.
        values = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if is_pointer(content):
            raise CheckpointError(pointer(path, len(content), "the files of the model")) from None
        raise CheckpointError(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(values, dict):
        raise CheckpointError(f"{path} holds a {type(values).__name__}; it must hold an object")
    return values

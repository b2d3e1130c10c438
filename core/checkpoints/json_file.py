"""The small JSON files of a checkpoint, its tokenizer's among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.checkpoints.recognise import is_pointer, pointer
from core.errors import CheckpointError


def read_json(path: Path) -> dict[str, Any]:
    """The object a file holds; everything wrong with one is a CheckpointError that names it."""
    try:
        # Some editors put a mark of UTF-8 in front.
        values = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        start = path.read_bytes()[:512] if path.is_file() else b""
        if is_pointer(start):
            raise CheckpointError(pointer(path, len(start), "the files of the model")) from None
        raise CheckpointError(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(values, dict):
        raise CheckpointError(f"{path} holds a {type(values).__name__}; it must hold an object")
    return values

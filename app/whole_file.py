"""Writing a file so that it is there whole or not at all; free of Qt."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


class SaveError(Exception):
    """A file could not be saved; str() is one sentence for the person."""


def write(target: Path, data: bytes) -> None:
    """Replaces the file in one step; on failure one of that name stays as it was. Raises
    SaveError."""
    try:
        target = target.resolve()  # through a link, to the file it names
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "the file is write-protected")
        part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
        try:
            with part.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SaveError(f"Could not save {target}: {reason[:1].lower()}{reason[1:]}.") from error

"""A file or folder that the system does not let be looked at, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import CheckpointError

_MOST = 200
"""Letters of a name in a sentence; a text that was pasted by mistake is longer."""


def unreadable(path: Path, error: OSError) -> CheckpointError:
    """What to raise in place of the system's error."""
    name = str(path)
    name = name if len(name) <= _MOST else f"{name[:_MOST]}…"
    return CheckpointError(f"{name} cannot be read: {error.strerror or error}")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """CheckpointError for a system's error about `path`, or about what it names in or around it."""
    try:
        yield
    except OSError as error:
        about = error.filename
        raise unreadable(Path(about) if isinstance(about, str) else path, error) from None

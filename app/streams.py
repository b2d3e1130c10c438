"""What the commands write to: read by whoever reads it, and given up where nobody does.

Free of Qt.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper


def prepare() -> None:
    """UTF-8 for files and other programs, whatever the system's encoding is: it holds every token,
    and JSON is UTF-8. A terminal keeps its own, with escapes for what it cannot show."""
    for stream in _open():
        if stream.isatty():
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def flush() -> None:
    """What is still held back, while an error can be told. Raises OSError."""
    for stream in _open():
        stream.flush()


def give_up() -> None:
    """What a stream that takes nothing any more still holds goes nowhere; else Python tries again
    as it ends, and tells of that."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in _open():
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _open() -> Iterator[TextIOWrapper]:
    """A program without a console has none."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.closed:
            yield stream

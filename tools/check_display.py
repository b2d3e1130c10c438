"""Says in one sentence that there is no display, where Qt would abort, and exits with status 1."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app import display


def main() -> int:
    if not display.missing():
        return 0
    print(
        "Trifocal found no display to open its window on;"
        " `.venv/bin/trifocal render --help` tells how to draw any view to a file without one.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""`trifocal` and `python -m app`."""

from __future__ import annotations

import sys

from app.command import main

if __name__ == "__main__":
    sys.exit(main())

"""The window's first paint, with torch left for later and with torch imported first."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row

_CHILD = """
import os, sys, time
started = time.perf_counter()
if sys.argv[1] == "torch":
    import torch
from pathlib import Path
from PySide6.QtWidgets import QApplication
from app.settings import Settings
from app.wiring import App

def painted():
    print(time.perf_counter() - started, flush=True)
    os._exit(0)

application = QApplication([])
app = App(settings=Settings(Path(sys.argv[2])))
app.window.painted.connect(painted)
app.window.show()
application.exec()
"""


def rows(*, quick: bool = False) -> Iterator[Row]:
    early, late = [], []
    for _ in range(2 if quick else 5):
        early.append(_first_paint("plain"))
        late.append(_first_paint("torch"))
    yield Row(
        name="the window's first paint / with torch imported first",
        ratio=statistics.median(a / b for a, b in zip(early, late, strict=True)),
        goal=0.25,
        detail=f"{statistics.median(early):.2f} s / {statistics.median(late):.2f} s",
    )


def _first_paint(mode: str) -> float:
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run(
            [sys.executable, "-c", _CHILD, mode, str(Path(folder) / "settings.ini")],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    return float(found.stdout.split()[-1])

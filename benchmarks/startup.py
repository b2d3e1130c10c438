"""The window's first paint, with torch left for later and with torch imported first; and the first
picture of a model, beside what importing torch takes alone."""

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
_PICTURE = """
import os, sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.settings import Settings
from app.wiring import App

def painted():
    global started
    started = time.perf_counter()
    timer.start(5)

def look():
    state = app.store.state
    if state.answer is not None and state.busy is None and not app.window.pictures.pending:
        app.window.grab()
        print(time.perf_counter() - started, flush=True)
        os._exit(0)

application = QApplication([])
timer = QTimer()
timer.timeout.connect(look)
app = App("builtin:encoder", settings=Settings(Path(sys.argv[2])))
app.window.painted.connect(painted)
app.window.show()
application.exec()
"""
_TORCH = "import time; t = time.perf_counter(); import torch; print(time.perf_counter() - t)"


def rows(*, quick: bool = False) -> Iterator[Row]:
    early, late, pictures, imports = [], [], [], []
    for _ in range(2 if quick else 5):
        early.append(_seconds(_CHILD, "plain"))
        late.append(_seconds(_CHILD, "torch"))
        pictures.append(_seconds(_PICTURE))
        imports.append(_seconds(_TORCH))
    yield Row(
        name="the window's first paint / with torch imported first",
        ratio=statistics.median(a / b for a, b in zip(early, late, strict=True)),
        goal=0.25,
        detail=f"{statistics.median(early):.2f} s / {statistics.median(late):.2f} s",
    )
    yield Row(
        name="the built-in encoder's first picture after the window / `import torch` alone",
        ratio=statistics.median(a / b for a, b in zip(pictures, imports, strict=True)),
        goal=1.2,
        detail=f"{statistics.median(pictures):.2f} s / {statistics.median(imports):.2f} s",
    )


def _seconds(script: str, mode: str = "plain") -> float:
    """What the script prints, run in a process of its own with settings of its own."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run(
            [sys.executable, "-c", script, mode, str(Path(folder) / "settings.ini")],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    return float(found.stdout.split()[-1])

"""The window's first paint, with torch left for later and with torch imported first."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Row

_CHILD = """
import sys, time
started = time.perf_counter()
if sys.argv[1] == "torch":
    import torch
from app.window_probe import first_paint
first_paint()
print(time.perf_counter() - started)
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
    found = subprocess.run(
        [sys.executable, "-c", _CHILD, mode],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(found.stdout.split()[-1])

"""Pairs of timings, their ratios, and the table they make."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

Work = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: what was compared, the ratio, the goal, and the times behind it."""

    name: str
    ratio: float
    goal: float
    detail: str

    @property
    def met(self) -> bool:
        return self.ratio <= self.goal


def seconds(work: Work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def paired(name: str, ours: Work, theirs: Work, *, goal: float, repeats: int) -> Row:
    """The median of ours/theirs, each pair taken back to back, first one and then the other first,
    so that drift and noise of the machine hit both."""
    ours(), theirs()
    ratios, mine, other = [], [], []
    for turn in range(repeats):
        if turn % 2:
            b, a = seconds(theirs), seconds(ours)
        else:
            a, b = seconds(ours), seconds(theirs)
        ratios.append(a / b)
        mine.append(a)
        other.append(b)
    detail = f"{_ms(statistics.median(mine))} / {_ms(statistics.median(other))}"
    return Row(name=name, ratio=statistics.median(ratios), goal=goal, detail=detail)


def absolute(name: str, work: Work, *, goal_ms: float, repeats: int) -> Row:
    """The median in milliseconds against a goal in milliseconds, as a ratio."""
    work()
    took = statistics.median(seconds(work) for _ in range(repeats))
    return Row(
        name=name, ratio=1000 * took / goal_ms, goal=1.0, detail=f"{_ms(took)} / {goal_ms:g} ms"
    )


def _ms(value: float) -> str:
    return f"{1000 * value:.3g} ms"


def table(rows: Iterable[Row]) -> str:
    """Markdown, ready to be quoted."""
    lines = ["| what | ratio | goal | times |", "|---|---|---|---|"]
    for row in rows:
        mark = "" if row.met else " ✗"
        lines.append(f"| {row.name} | {row.ratio:.2f}{mark} | ≤ {row.goal:.2f} | {row.detail} |")
    return "\n".join(lines)


def machine() -> str:
    """Processor, cores, system and versions, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = found[0].split(":", 1)[1].strip() if found else model
    versions = []
    for name in ("torch", "transformers", "transformer-lens", "numpy", "PySide6-Essentials"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{model}, {os.cpu_count()} cores{load}, {platform.system()}, "
        f"Python {platform.python_version()}, {', '.join(versions)}"
    )

"""Freed memory is kept when asked to be, in threads too, and can be given back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.memory import keep_freed_memory

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import resource, sys, threading
from pathlib import Path
from core.memory import give_back_freed_memory, keep_freed_memory
import torch
if sys.argv[1] == "keep":
    assert keep_freed_memory()

def page_faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

def fill():
    held = [torch.empty(40_000_000, dtype=torch.uint8).fill_(1) for _ in range(4)]
    del held

def work():
    counts = []
    for _ in range(8):
        before = page_faults()
        fill()
        counts.append(page_faults() - before)
    print(min(counts))  # the heap may have to grow once more for want of one whole piece

thread = threading.Thread(target=work)
thread.start()
thread.join()
before = resident()
give_back_freed_memory()
print(before - resident())
"""


def counted(how: str) -> list[int]:
    """Page faults of filling 160 MB again, at best, and pages that can then be given back."""
    made = subprocess.run(
        [sys.executable, "-c", SCRIPT, how],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=120,
    )
    return [int(line) for line in made.stdout.split()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc can be told")
def test_kept_memory_is_used_again_and_can_be_given_back() -> None:
    if not keep_freed_memory():
        pytest.skip("this C library is not glibc")
    pages = 160_000_000 // 4096
    faults, _ = counted("not")
    assert faults > pages * 0.9, "without it every page is fetched anew"
    faults, returned = counted("keep")
    assert faults < pages * 0.05
    assert returned > pages * 0.9

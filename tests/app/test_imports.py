"""In a process of its own: everything is imported while the collector rests, and it works again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FIRST = """
import gc, sys
assert not {"torch", "numpy"} & set(sys.modules)
from app.imports import import_core
import_core()
assert gc.isenabled()
assert gc.get_freeze_count() > 50_000, "what was imported is not looked through again"
assert {"torch", "numpy", "core.checkpoints.load", "app.render.widget"} <= set(sys.modules)
gc.unfreeze()
import_core()
assert gc.get_freeze_count() == 0, "only once: later objects may become garbage"
"""


def test_the_core_is_imported_while_the_collector_rests() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

"""In a process of its own: torch imported without what nothing here asks of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LEFT_OUT = """
import gc, sys
from app.imports import SHAPE_FUNCTIONS, import_core
import_core()
import torch
assert gc.isenabled() and gc.get_freeze_count() > 50_000
assert SHAPE_FUNCTIONS not in sys.modules and not hasattr(torch, "_meta_registrations")
import_core()  # again: nothing happens

from core import load_model
for name in ("builtin:encoder", "builtin:decoder", "builtin:translator", "random:vanilla"):
    trace = load_model(name).trace("The cat sat.")
    assert trace.logits.isfinite().all()
print(SHAPE_FUNCTIONS in sys.modules)
"""

ASKED_LATER = """
from app.imports import import_the_rest, import_torch
import_torch()
import_the_rest()
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

with FakeTensorMode():
    print(*torch.nn.functional.embedding_bag(
        torch.zeros(4, dtype=torch.long), torch.zeros(9, 3), torch.tensor([0, 2])
    ).shape)
"""


def run(script: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_models_are_read_and_run_without_the_shape_functions() -> None:
    assert run(LEFT_OUT) == ["False"]


def test_the_shape_functions_can_be_imported_later() -> None:
    assert run(ASKED_LATER) == ["2", "3"]

"""Importing torch and the core as fast as a window that is waited for needs it."""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from app.theme import DARK, LIGHT

LIBRARIES = ("libc10.so", "libtorch_cpu.so", "libtorch_python.so")


def import_core() -> None:
    """Import torch, the core and what draws the first picture; once, in the worker."""
    if "torch" in sys.modules:
        prepare_drawing()
        return
    # 100,000 objects that stay: going through them again and again takes a fifth of the time.
    gc.disable()
    try:
        open_torch_libraries()
        importlib.import_module("torch")
        importlib.import_module("core.checkpoints.load")
        prepare_drawing()
    finally:
        gc.freeze()
        gc.enable()


def prepare_drawing() -> None:
    """Import what the first picture needs, so that the window's thread does not have to."""
    importlib.import_module("app.render.widget")
    for theme in (LIGHT, DARK):
        theme.table("sequential")


def open_torch_libraries() -> None:
    """Open torch's big libraries without holding the GIL, which `import torch` would for 0.5 s.

    A foreign call lets other threads go on; the import that follows finds them open. Where this
    does not work the import opens them itself.
    """
    if not sys.platform.startswith("linux") or "torch" in sys.modules:
        return
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return
    dlopen: Any = ctypes.CDLL(None).dlopen
    dlopen.restype, dlopen.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    for name in LIBRARIES:
        path = Path(found.origin).parent / "lib" / name
        if path.exists():
            dlopen(os.fsencode(path), os.RTLD_NOW)

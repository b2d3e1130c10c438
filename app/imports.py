"""Importing torch and the core as fast as a window that is waited for needs it."""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from app.theme import DARK, LIGHT

LIBRARIES = ("libc10.so", "libtorch_cpu.so", "libtorch_python.so")
# What needs no torch. The first have libraries of their own, and the system opens one at a time;
# the others are imported while torch's are being opened.
BEFORE = ("numpy", "tokenizers", "safetensors", "sentencepiece")
BESIDE = ("app.render.widget", "core.text", "core.families.bert")
# Operators for torch's compilers, a quarter of `import torch`: nothing that runs a model on a CPU
# asks for them, but `torch.Generator` does, so they follow after the first picture. Only where
# this was seen to hold.
PUT_OFF, PUT_OFF_IN = "torch._meta_registrations", "2.13."


def import_core() -> None:
    """Import torch, the core and what draws the first picture; once, in the worker.

    Afterwards a built-in model can be run on the CPU; `finish_torch` before anything else.
    """
    if "torch" in sys.modules:
        prepare_drawing()
        return
    with _collector_at_rest():
        for name in BEFORE:
            importlib.import_module(name)
        opening = threading.Thread(target=open_torch_libraries, daemon=True)
        opening.start()
        for name in BESIDE:
            importlib.import_module(name)
        importlib.import_module("app.views").views()
        prepare_drawing()
        opening.join()
        # Itself slow to import, so not before the first paint.
        version = importlib.import_module("importlib.metadata").version("torch")
        if version.startswith(PUT_OFF_IN):
            sys.modules[PUT_OFF] = _PutOff(PUT_OFF)
        importlib.import_module("torch")
        importlib.import_module("core.checkpoints.load")
        # 100,000 objects that stay: no need to go through them ever again.
        gc.freeze()


def finish_torch() -> None:
    """Import what `import_core` has put off, if anything; in the worker, like all imports."""
    if isinstance(sys.modules.get(PUT_OFF), _PutOff):
        with _collector_at_rest():
            del sys.modules[PUT_OFF]
            importlib.import_module(PUT_OFF)


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


class _PutOff(ModuleType):
    """Stands in for a module until `finish_torch`."""


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Going through all that was imported again and again takes a fifth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

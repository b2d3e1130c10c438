"""What becomes of freed memory: kept for the next run, or given back to the system.

A run that captures everything fills fresh memory, and the next one frees it. By default the C
library hands large blocks back to the system at once, which must then clear every page anew: with
GPT-2's shape a tenth of a run, on virtual machines a fifth. Kept memory costs nothing to use again.

Only glibc (Linux) is told; elsewhere these functions do nothing. The numbers are those of malloc.h.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_NEVER = -1
_LARGEST = 2**31 - 1  # mallopt takes an int


def keep_freed_memory() -> bool:
    """Keep what is freed for later, in all threads; True where that could be arranged.

    To be called before other threads start: a thread that already has a heap of its own keeps its
    ways. `give_back_freed_memory` returns what has gathered.
    """
    libc = _glibc()
    if libc is None:
        return False
    # One heap for all: those of other threads are cut into pieces of 64 MiB and given back whole.
    settings = ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGEST), (_TRIM_THRESHOLD, _NEVER))
    taken = [libc.mallopt(name, value) for name, value in settings]  # each is asked
    return all(taken)


def give_back_freed_memory() -> None:
    """Return all free memory to the system: after a model is closed, or when nothing runs."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found = ctypes.CDLL("libc.so.6")
    except OSError:  # musl and others
        return None
    return found if hasattr(found, "mallopt") and hasattr(found, "malloc_trim") else None

"""Where a model computes, in which type, and whether it fits."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import torch

from core.errors import RequestError

DTYPES: dict[str, torch.dtype] = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def available() -> tuple[str, ...]:
    """Devices of this machine: "cpu", "cuda:0" …, "mps"."""
    found = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        found.append("mps")
    return tuple(found)


def resolve(name: str) -> torch.device:
    """A device by name; RequestError says which there are."""
    here = available()
    full = "cuda:0" if name == "cuda" else name
    if full not in here:
        raise RequestError(f"there is no device {name!r} here; available are {', '.join(here)}")
    return torch.device(full)


def name_of(device: torch.device) -> str:
    """The name that `available` gives a device: a Mac's only one has no number there."""
    return device.type if device.type == "mps" else str(device)


def compute_dtype(name: str | None) -> torch.dtype:
    """The type computed in; None is float32, whatever the checkpoint stores.

    bfloat16 and float16 are for whoever asks: their attention rows do not sum to 1 exactly.
    """
    if name is None:
        return torch.float32
    if name not in DTYPES:
        raise RequestError(f"cannot compute in {name!r}; supported are {', '.join(DTYPES)}")
    return DTYPES[name]


def free_memory(device: torch.device) -> int | None:
    """Bytes that can still be taken on a device; None where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if platform.system() == "Linux":
        return min((m for m in (_meminfo(), _cgroup()) if m is not None), default=None)
    return _vm_stat() if platform.system() == "Darwin" else None


def check_fits(parameters: int, dtype: torch.dtype, device: torch.device) -> None:
    """RequestError in one sentence when `parameters` weights cannot be held there."""
    needed, free = parameters * dtype.itemsize, free_memory(device)
    if free is not None and needed > free:
        raise RequestError(
            f"the model needs {size(needed)} for {parameters / 1e6:,.0f} million weights in "
            f"{str(dtype).removeprefix('torch.')}, but {device} has {size(free)} free"
        )


def no_room(path: Path, cause: str) -> RequestError | None:
    """What to say when the system refused to map a file, of which `cause` are its own words; None
    when they say something else. A file of more bytes than the whole memory is refused so."""
    if "mmap" not in cause and "allocate memory" not in cause.lower():
        return None
    device = torch.device("cpu")
    free = free_memory(device)
    left = "the system grants no more memory" if free is None else f"{device} has {size(free)} free"
    return RequestError(f"the model needs {size(path.stat().st_size)} for {path}, but {left}")


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    line = next((line for line in lines if line.startswith("MemAvailable:")), None)
    return int(line.split()[1]) * 1024 if line else None


def _cgroup() -> int | None:
    """What a container's limit leaves; file cache counts as free, as the kernel gives it back."""
    root = Path("/sys/fs/cgroup")
    try:
        limit = (root / "memory.max").read_text(encoding="ascii").strip()
        used = int((root / "memory.current").read_text(encoding="ascii"))
        stat = (root / "memory.stat").read_text(encoding="ascii")
        cached = dict(line.split() for line in stat.splitlines()).get("file", "0")
    except (OSError, ValueError):
        return None
    return None if limit == "max" else max(int(limit) - used + int(cached), 0)


def _vm_stat() -> int | None:
    """Of a Mac, whose processors and GPU share one memory: what is free, and what holds copies of
    files and other things that are given up when asked for."""
    try:
        told = subprocess.run(
            ["/usr/bin/vm_stat"], capture_output=True, text=True, check=True, timeout=5
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    page = re.search(r"page size of (\d+) bytes", told)
    pages = re.findall(r"^Pages (?:free|inactive|speculative): +(\d+)\.", told, re.MULTILINE)
    return int(page[1]) * sum(map(int, pages)) if page and pages else None


def size(count: int) -> str:
    """Bytes for people: 548 MB, 2.1 GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"

"""One .safetensors file: validated by its library when opened, its tensors mapped when read."""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.checkpoints.recognise import refuse_impostor
from core.device import no_room
from core.errors import CheckpointError

_DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip

WINDOW = 8 << 20
"""Bytes of a file that are mapped together while its tensors are converted."""


class _Entry(NamedTuple):
    """start, end: the tensor's first byte in the file and the one behind its last."""

    shape: tuple[int, ...]
    dtype: str
    start: int
    end: int


class SafeFile:
    """Names, shapes and types from the header; `read` maps a tensor without copying it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_impostor(path)
        try:
            opener: Any = safe_open  # it states no types
            opener(path, framework="np")  # refuses headers that do not describe the file
            self._entries = _read_header(path)
            # One map for all tensors: the library makes each of its own, in many more steps.
            self._storage: Any = torch.UntypedStorage.from_file(
                str(path), False, path.stat().st_size
            )
        except (SafetensorError, OSError, RuntimeError) as error:
            raise (
                no_room(path, str(error)) or CheckpointError(f"{path} {_cause(str(error))}")
            ) from None
        self._typed: dict[str, Tensor] = {}
        self._window = 0, torch.empty(0, dtype=torch.uint8)

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: entry.shape for name, entry in self._entries.items()}

    @cached_property
    def dtypes(self) -> Mapping[str, str]:
        return {name: entry.dtype for name, entry in self._entries.items()}

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        """mapped False: for a tensor that is converted and then dropped. It lies in a map of a part
        of the file, as pages of the common one would stay in memory until its last tensor is gone.
        """
        shape, dtype, start, end = self._entries[name]
        whole = self._typed.get(dtype)
        if whole is None:
            self._typed[dtype] = whole = self._as(dtype)
        place, rest = divmod(start, whole.element_size())
        if mapped and not rest:
            return whole.as_strided(shape, _steps(shape), place)
        found = self._passing(start, end)
        # A tensor must begin at a whole number of values.
        return (found.clone() if rest else found).view(whole.dtype).reshape(shape)

    def _as(self, dtype: str) -> Tensor:
        """The whole file as values of one type."""
        empty = torch.empty(0, dtype=getattr(torch, dtype))
        count = self._storage.nbytes() // empty.element_size()
        return empty.set_(self._storage, 0, (count,), (1,))

    def _passing(self, start: int, end: int) -> Tensor:
        """Bytes of the file that leave memory with the tensors of the same window."""
        first, window = self._window
        if not first <= start <= end <= first + len(window):
            first = start - start % mmap.ALLOCATIONGRANULARITY
            window = self._mapped(first, max(end, min(first + WINDOW, self._storage.nbytes())))
            self._window = first, window
        return window[start - first : end - first]

    def _mapped(self, first: int, end: int) -> Tensor:
        try:
            with self.path.open("rb") as file:
                held = mmap.mmap(file.fileno(), end - first, access=mmap.ACCESS_COPY, offset=first)
        except ValueError:  # the file is shorter than it was
            raise CheckpointError(f"{self.path} {_cause('incomplete')}") from None
        except OSError as error:
            raise (
                no_room(self.path, str(error)) or CheckpointError(f"{self.path}: {error}")
            ) from None
        return torch.frombuffer(held, dtype=torch.uint8)


def _read_header(path: Path) -> dict[str, _Entry]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    base = 8 + length
    found = {}
    for name, said in header.items():
        kind = said["dtype"]
        first, last = said["data_offsets"]
        shape = tuple(said["shape"])
        found[name] = _Entry(shape, _DTYPES.get(kind, kind), base + first, base + last)
    return found


def _steps(shape: tuple[int, ...]) -> list[int]:
    """Strides of values that lie one behind the other."""
    steps, step = [], 1
    for size in reversed(shape):
        steps.append(step)
        step *= size
    return steps[::-1]


def _cause(message: str) -> str:
    """The library's words, in a sentence a person can act on."""
    lower = message.lower()
    if "not fully covered" in lower or "incomplete" in lower:
        return (
            "has not the length its header states: the download was cut off or something was "
            "appended; download it again"
        )
    if "header too small" in lower:
        return "is too short to be a weights file; download it again"
    if "header" in lower:
        return (
            f"has no valid safetensors header, so it is no weights file or is damaged ({message})"
        )
    return f"cannot be opened as safetensors: {message}"

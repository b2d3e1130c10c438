"""One .safetensors file: validated when opened, its tensors memory-mapped when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

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


class SafeFile:
    """Names, shapes and types from the header; `read` maps a tensor without copying it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_impostor(path)
        try:
            opener: Any = safe_open  # it states no types
            self._file = opener(path, framework="pt")
            views = {name: self._file.get_slice(name) for name in self._file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, RuntimeError) as error:
            raise (
                no_room(path, str(error)) or CheckpointError(f"{path} {_cause(str(error))}")
            ) from None
        self._shapes = {name: tuple(view.get_shape()) for name, view in views.items()}
        self._dtypes = {
            name: _DTYPES.get(v.get_dtype(), v.get_dtype()) for name, v in views.items()
        }

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return self._shapes

    @property
    def dtypes(self) -> Mapping[str, str]:
        return self._dtypes

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        """mapped False: for a tensor that is converted and then dropped. Its bytes are read and not
        mapped, as mapped pages would stay in memory until the last tensor of the file is gone."""
        if mapped:
            tensor: Tensor = self._file.get_tensor(name)
            return tensor
        start, end = self._places[name]
        with self.path.open("rb") as file:
            file.seek(start)
            data = bytearray(file.read(end - start))
        kind: torch.dtype = getattr(torch, self._dtypes[name])
        if not data:
            return torch.empty(self._shapes[name], dtype=kind)
        return torch.frombuffer(data, dtype=kind).reshape(self._shapes[name])

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Tensor -> first byte and the one behind the last, from the header."""
        with self.path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length))
        base = 8 + length
        return {
            name: (base + header[name]["data_offsets"][0], base + header[name]["data_offsets"][1])
            for name in self._shapes
        }


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

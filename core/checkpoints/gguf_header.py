"""The header of a .gguf file: metadata, and where each tensor lies (GGUF versions 2 and 3).

Read here and not with the `gguf` package, which takes seconds for a vocabulary of usual size.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_NUMBERS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
_TEXT, _LIST = 8, 9
_MOST = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A tensor: shape with rows first, type number, and first byte from the start of the file."""

    shape: tuple[int, ...]
    kind: int
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    metadata: dict[str, Any]
    tensors: dict[str, Placed]


def read_header(data: memoryview) -> Header:
    """Parse the start of a file; ValueError says what is wrong with it."""
    cursor = _Cursor(data)
    if bytes(data[:4]) != b"GGUF":
        raise ValueError("it does not begin with GGUF")
    cursor.at = 4
    version = cursor.number("I")
    if version not in (2, 3):
        raise ValueError(f"its version is {version}; read are 2 and 3")
    count, pairs = cursor.number("Q"), cursor.number("Q")
    metadata = {}
    for _ in range(pairs):
        key = cursor.text()
        metadata[key] = cursor.value(cursor.number("I"))
    found = []
    for _ in range(count):
        name = cursor.text()
        dims = [cursor.number("Q") for _ in range(cursor.number("I"))]
        found.append((name, tuple(dims[::-1]), cursor.number("I"), cursor.number("Q")))
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        raise ValueError(f"its tensors are aligned to {alignment!r}")
    base = -(-cursor.at // alignment) * alignment
    return Header(
        metadata=metadata,
        tensors={
            name: Placed(shape=shape, kind=kind, start=base + offset)
            for name, shape, kind, offset in found
        },
    )


class _Cursor:
    """Reads little-endian values one after the other."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def number(self, code: str) -> int:
        return int(self._unpack("<" + code)[0])

    def text(self) -> str:
        length = self._length()
        self._need(length)
        found = bytes(self.data[self.at : self.at + length])
        self.at += length
        return found.decode("utf-8", errors="replace")

    def value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind == _LIST:
            inner, length = self.number("I"), self._length()
            if inner in _NUMBERS:
                return list(self._unpack(f"<{length}{_NUMBERS[inner]}"))
            read: Callable[[], Any] = lambda: self.value(inner)  # noqa: E731
            return [read() for _ in range(length)]
        if kind not in _NUMBERS:
            raise ValueError(f"its metadata holds a value of unknown type {kind}")
        return self._unpack("<" + _NUMBERS[kind])[0]

    def _length(self) -> int:
        length = self.number("Q")
        if length > _MOST:
            raise ValueError("its header is damaged")
        return length

    def _unpack(self, code: str) -> tuple[Any, ...]:
        size = struct.calcsize(code)
        self._need(size)
        found = struct.unpack_from(code, self.data, self.at)
        self.at += size
        return found

    def _need(self, size: int) -> None:
        if self.at + size > len(self.data):
            raise ValueError("its header is cut off")

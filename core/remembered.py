"""What a trace remembers of what was computed from it, within a bound of bytes."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Any, Protocol, TypeVar


class HasBytes(Protocol):
    """What a trace can remember: a tensor, an array, or a record that knows its size."""

    @property
    def nbytes(self) -> int: ...


R = TypeVar("R", bound=HasBytes)

_REMEMBER_BYTES = 256 * 2**20


class Memory:
    """Least-recently-used results, bounded in bytes."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple[Any, ...]) -> Any:
        found = self._held.get(key)
        if found is not None:
            with suppress(KeyError):  # a task of another thread may just have let it go
                self._held.move_to_end(key)
        return found

    def clear(self) -> None:
        self._held, self._bytes = OrderedDict(), 0

    def put(self, key: tuple[Any, ...], value: R) -> R:
        before = self._held.pop(key, None)
        if before is not None:
            self._bytes -= before.nbytes
        self._held[key] = value
        self._bytes += value.nbytes
        while self._bytes > _REMEMBER_BYTES and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1].nbytes
        return value

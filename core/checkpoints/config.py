"""A checkpoint's configuration, read by key; what is missing or not understood is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeGuard, overload

from core.errors import CheckpointError, UnsupportedModel

_ABSENT = object()
_MOST, _MOST_LAYERS = 2**27, 2000
"""Beyond any real model; a damaged file must not make the program take all memory."""


class Config(Mapping[str, Any]):
    """The contents of a config.json. Keys have old and new spellings: the first one found counts.

    notes: sentences for the person about what had to be assumed; filled while a family reads.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        path: Path | str = "config.json",
        elsewhere: Mapping[str, Path] | None = None,
    ) -> None:
        """elsewhere: key -> the file that says it, where that is another one than `path`."""
        self.values_ = dict(values)
        self.path = Path(path)
        self.elsewhere = dict(elsewhere or {})
        self.notes: list[str] = []

    def __getitem__(self, key: str) -> Any:
        return self.values_[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)

    def need(self, *keys: str) -> Any:
        """The value of the first of these keys that is there; CheckpointError when none is."""
        found = self.read(*keys, default=_ABSENT)
        if found is _ABSENT:
            raise CheckpointError(
                f"{self.path} has no {' or '.join(repr(k) for k in keys)}, which "
                f"{self.get('model_type', 'this model')} needs"
            )
        return found

    def read(self, *keys: str, default: Any = None) -> Any:
        """The value of the first of these keys that is there and not null, or `default`."""
        for key in keys:
            value = self.values_.get(key)
            if value is not None:
                return value
        return default

    def at(self, *keys: str) -> str:
        """Which file says which of these, for messages: "folder/config.json: n_layer"."""
        found = next((key for key in keys if self.values_.get(key) is not None), keys[0])
        return f"{self.elsewhere.get(found, self.path)}: {found}"

    def size(self, *keys: str, default: int | None = None) -> int:
        """A positive whole number that a model can have; CheckpointError where it is none."""
        value = self.need(*keys) if default is None else self.read(*keys, default=default)
        if not is_whole(value) or value < 1:
            raise CheckpointError(
                f"{self.at(*keys)} is {value!r}; it must be a whole number of at least 1"
            )
        most = _MOST_LAYERS if "layer" in keys[0] else _MOST
        if value > most:
            raise CheckpointError(f"{self.at(*keys)} is {value}; no model has more than {most}")
        return int(value)

    def count(self, *keys: str, default: int | None = None, least: int = 0) -> int:
        """A whole number that may be 0 (or `least`)."""
        value = self.need(*keys) if default is None else self.read(*keys, default=default)
        if not is_whole(value) or value < least:
            raise CheckpointError(
                f"{self.at(*keys)} is {value!r}; it must be a whole number of at least {least}"
            )
        return int(value)

    def optional_size(self, *keys: str) -> int | None:
        """As `size`, or None where no key has a value."""
        return None if self.read(*keys) is None else self.size(*keys)

    def number(self, *keys: str, default: float | None = None, positive: bool = False) -> float:
        """A finite number, not below 0 and with `positive` above it; CheckpointError for others."""
        value = self.need(*keys) if default is None else self.read(*keys, default=default)
        fits = not isinstance(value, bool) and isinstance(value, Real)
        if not fits or not isfinite(value) or value < 0 or (positive and value == 0):
            raise CheckpointError(
                f"{self.at(*keys)} is {value!r}; it must be a number "
                f"{'above' if positive else 'of at least'} 0"
            )
        return float(value)

    def optional_number(self, *keys: str, positive: bool = False) -> float | None:
        """As `number`, or None where no key has a value."""
        return None if self.read(*keys) is None else self.number(*keys, positive=positive)

    def numbers(self, key: str) -> tuple[float, ...]:
        """A list of numbers above 0; empty where there is none."""
        found = self.read(key, default=[])
        if not isinstance(found, list):
            raise CheckpointError(f"{self.at(key)} is {found!r}; it must be a list of numbers")
        return tuple(Config({key: n}, self.path).number(key, positive=True) for n in found)

    def flag(self, key: str, *, default: bool, null: bool | None = None) -> bool:
        """true or false; 0 and 1 are read so too, anything else is CheckpointError. null: what an
        explicit null means where it does not stand for `default`."""
        unsaid = default if null is None or key not in self else null
        value = self.read(key, default=unsaid)
        if not isinstance(value, (bool, int)) or value not in (0, 1):
            raise CheckpointError(f"{self.at(key)} is {value!r}; it must be true or false")
        return bool(value)

    def refuse(self, key: str, *allowed: Any, default: Any = None) -> None:
        """UnsupportedModel unless `key` is absent or has one of the allowed values."""
        value = self.read(key, default=default)
        if value != default and value not in allowed:
            supported = " or ".join(repr(a) for a in (allowed or (default,)))
            raise UnsupportedModel(f"{self.path} sets {key} to {value!r}; supported is {supported}")

    def choice(self, key: str, table: Mapping[str, Any], *, default: str | None = None) -> Any:
        """What `table` says for the value of `key`; UnsupportedModel for a value it lacks."""
        value = self.need(key) if default is None else self.read(key, default=default)
        if not isinstance(value, str) or value not in table:
            raise UnsupportedModel(
                f"{self.path} sets {key} to {value!r}; supported are {', '.join(table)}"
            )
        return table[value]

    @property
    def architecture(self) -> str:
        """The class the checkpoint was saved from, such as "BertForMaskedLM"; "" if not said."""
        names = self.read("architectures", default=[])
        return str(names[0]) if names else ""

    @property
    def dtype(self) -> str:
        """The stored type as the configuration states it; `torch_dtype` is the old spelling."""
        value = str(self.read("dtype", "torch_dtype", default="float32"))
        return value.removeprefix("torch.")

    @property
    def labels(self) -> tuple[str, ...]:
        """Class names of a classifier, in order of their ids."""
        names = self.read("id2label")
        if isinstance(names, Mapping) and names:
            if not all(str(key).isdigit() for key in names):
                raise CheckpointError(f"{self.path}: the keys of id2label must be whole numbers")
            return tuple(str(names[k]) for k in sorted(names, key=int))
        return tuple(f"LABEL_{i}" for i in range(int(self.read("num_labels", default=2))))

    @overload
    def token(self, *keys: str, default: int) -> int: ...
    @overload
    def token(self, *keys: str, default: int | None = None) -> int | None: ...
    def token(self, *keys: str, default: int | None = None) -> int | None:
        """A token id under the first of these keys; below 0, as old files say, is none."""
        value = self.read(*keys, default=default)
        if value is None:
            return None
        if not is_whole(value):
            raise CheckpointError(f"{self.at(*keys)} is {value!r}; it must be a token id")
        return int(value) if value >= 0 else default

    def tokens(self, key: str) -> tuple[int, ...]:
        """Token ids under a key that holds one id or a list of them."""
        value = self.read(key, default=[])
        ids = value if isinstance(value, list) else [value]
        if not all(is_whole(i) for i in ids):
            raise CheckpointError(
                f"{self.at(key)} is {value!r}; it must be a token id or a list of them"
            )
        return tuple(int(i) for i in ids if i >= 0)


def is_whole(value: object) -> TypeGuard[int | float]:
    """4096.0 too, as programs write it whose numbers are all of one kind."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, Integral) and not isinstance(value, bool)

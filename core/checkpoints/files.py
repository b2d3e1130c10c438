"""A folder or a file -> configuration and lazily opened tensors. Everything that can be seen to be
broken is refused here, in one sentence, before any tensor is read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from core.checkpoints import pickled, safe
from core.checkpoints.config import Config
from core.checkpoints.generation import GENERATION, borrowed, laid_over
from core.checkpoints.held import (
    ADAPTER,
    CONFIG,
    PICKLED,
    PICKLED_INDEX,
    SAFE,
    SAFE_INDEX,
    broken_link,
    without_config,
    without_weights,
)
from core.disk.json_file import read_json
from core.disk.unreadable import reading
from core.errors import CheckpointError

_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth", ".ckpt")


class TensorFile(Protocol):
    """One opened weights file."""

    path: Path

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]: ...

    @property
    def dtypes(self) -> Mapping[str, str]: ...

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        """A tensor; mapped False where it will be converted and dropped at once."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Checkpoint:
    """folder: where config and tokenizer are. files: the opened weights; a tensor is read from
    disk only when asked for. placed: tensor -> the file to read it from, as an index says it.
    metadata: of a GGUF file, which holds its own tokenizer."""

    folder: Path
    config: Config
    files: tuple[TensorFile, ...]
    placed: Mapping[str, TensorFile] = field(default_factory=dict)
    metadata: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """What people call it: the folder, or the name in a GGUF file's metadata."""
        if self.metadata is not None:
            return str(self.metadata.get("general.name") or self.files[0].path.stem)
        return self.folder.resolve().name

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Tensor name -> shape."""
        return {name: file.shapes[name] for name, file in self._homes.items()}

    @cached_property
    def dtypes(self) -> Mapping[str, str]:
        """Tensor name -> the type it is stored in: "float32", "bfloat16", in GGUF also "Q4_K"."""
        return {name: file.dtypes[name] for name, file in self._homes.items()}

    @property
    def weights(self) -> str:
        """What to call the weights in a message: the file, or the first one and the count."""
        more = len(self.files) - 1
        return str(self.files[0].path) if not more else f"{self.files[0].path} and {more} more"

    @cached_property
    def _homes(self) -> Mapping[str, TensorFile]:
        """Tensor name -> where the index places it, else the last file that holds it, as the
        reference reads what no index lists."""
        found = {name: file for file in self.files for name in file.shapes}
        return found | dict(self.placed)

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        """A tensor, memory-mapped where the format allows. mapped False: it will be converted and
        dropped at once."""
        return self._homes[name].read(name, mapped=mapped)


def open_checkpoint(source: str | Path) -> Checkpoint:
    """Open a Hugging Face folder, or one weights file with its config.json beside it.

    Raises CheckpointError, naming the file and the likely cause.
    """
    path = expanded(source)
    with reading(path):
        return _open(path)


def expanded(source: str | Path) -> Path:
    """With the home folder in place of ~; where there is no such home, as it stands."""
    try:
        return Path(source).expanduser()
    except RuntimeError:
        return Path(source)


def _open(path: Path) -> Checkpoint:
    if not path.exists():
        raise CheckpointError(broken_link(path) or f"there is no file or folder {path}")
    path = path.parent if path.name == CONFIG else path
    if path.is_dir():
        # Of a locked folder the error shall name it, not a file in it. A Path drops the dot.
        os.stat(f"{path}/.")  # noqa: PTH116
    lone = lone_gguf(path)
    if lone is not None:
        from core.checkpoints.gguf_file import GgufFile  # its library loads slowly

        file = GgufFile(lone)
        return Checkpoint(
            folder=lone.parent, config=file.config, files=(file,), metadata=file.metadata
        )
    if path.is_dir():
        config = read_config(path)
        files, placed = open_folder(path)
        note = _twice(files, placed)
        config.notes += [note] if note is not None else []
        return Checkpoint(folder=path, config=config, files=files, placed=placed)
    check_suffix(path)
    config = read_config(path.parent, opened=path)
    return Checkpoint(folder=path.parent, config=config, files=(open_weights(path),))


def lone_gguf(path: Path) -> Path | None:
    """The path itself, or the only .gguf file of a folder without other weights."""
    if path.is_file():
        return path if is_gguf(path) else None
    if any((path / name).exists() for name in (SAFE, SAFE_INDEX, PICKLED, PICKLED_INDEX)):
        return None
    found = [file for file in path.glob("*") if is_gguf(file)]
    return found[0] if len(found) == 1 else None


def is_gguf(path: Path) -> bool:
    """By its name, in either case."""
    return path.suffix.lower() == ".gguf"


def read_config(folder: Path, opened: Path | None = None) -> Config:
    """opened: the weights it is to stand beside, where a person named those."""
    path = folder / CONFIG
    if not path.is_file():
        raise CheckpointError(without_config(folder, opened))
    values = read_json(path)
    beside = folder / GENERATION
    said, note = _written(beside) if beside.is_file() else (None, None)
    if said is not None:
        laid, note = laid_over(values, said), borrowed(values, said)
        other = {key: beside for key in laid if laid[key] != values.get(key)}
        config = Config(laid, path, other)
    else:
        config = Config(values, path)
    config.notes += [note] if note is not None else []
    if (folder / ADAPTER).is_file():
        config.notes.append(f"{folder} also holds an adapter ({ADAPTER}), which is not applied")
    return config


def _written(beside: Path) -> tuple[dict[str, Any] | None, str | None]:
    """What is said of writing, or a note where that cannot be read: as in the reference it keeps no
    model from being opened."""
    try:
        return read_json(beside), None
    except CheckpointError as error:
        return None, f"{error}; {CONFIG} counts in its place"


Parts = tuple[tuple[TensorFile, ...], Mapping[str, TensorFile]]
"""The files in their order, and tensor -> the file an index places it in."""


def open_folder(folder: Path) -> Parts:
    """Open a folder's weights, safetensors first; all parts of them are there."""
    for whole, index in ((SAFE, SAFE_INDEX), (PICKLED, PICKLED_INDEX)):
        if (folder / whole).exists():
            return (open_weights(folder / whole),), {}
        if (folder / index).exists():
            return open_parts(folder, index)
    raise CheckpointError(without_weights(folder))


def open_parts(folder: Path, index: str) -> Parts:
    """Open the parts an index names, once all are known to be there and inside the folder."""
    placed = read_json(folder / index).get("weight_map")
    named = isinstance(placed, dict) and all(isinstance(part, str) for part in placed.values())
    if not placed or not named:
        raise CheckpointError(f"{folder / index} has no weight_map that says where each tensor is")
    names = sorted(set(placed.values()))
    for name in names:
        if Path(name).name != name or "\\" in name or name in (".", ".."):
            raise CheckpointError(
                f"{folder / index} points to {name!r}; only files of the same folder are read"
            )
    absent = [name for name in names if not (folder / name).is_file()]
    if absent:
        raise CheckpointError(
            broken_link(*(folder / name for name in absent))
            or f"{', '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing in {folder}; "
            f"{index} lists {len(names)} parts, and all of them are needed"
        )
    files = {name: open_weights(folder / name) for name in names}
    for tensor, name in placed.items():
        if tensor not in files[name].shapes:
            raise CheckpointError(
                f"{folder / name} does not hold the tensor {tensor}, although {index} says so"
            )
    return tuple(files.values()), {tensor: files[name] for tensor, name in placed.items()}


def _twice(files: Sequence[TensorFile], placed: Mapping[str, TensorFile]) -> str | None:
    """A note where the reference, which reads the last part that holds a tensor whatever the index
    says, reads another one."""
    last = {name: file for file in files for name in file.shapes}
    other = sorted(name for name, file in placed.items() if last[name] is not file)
    if not other:
        return None
    more = f" and {len(other) - 1} more" if other[1:] else ""
    return (
        f"several parts hold {other[0]}{more}; the index counts, while transformers reads the last "
        "part that holds it"
    )


def open_weights(path: Path) -> TensorFile:
    """Open one weights file by its suffix."""
    check_suffix(path)
    return safe.SafeFile(path) if path.suffix == ".safetensors" else pickled.PickledFile(path)


def check_suffix(path: Path) -> None:
    """CheckpointError for what is no file, or one that by its name holds no weights."""
    if not path.is_file():
        raise CheckpointError(f"{path} is no ordinary file, so no weights can be read from it")
    if path.suffix not in _SUFFIXES:
        raise CheckpointError(
            f"{path} is no weights file by its name; supported are {', '.join(_SUFFIXES)} and .gguf"
        )

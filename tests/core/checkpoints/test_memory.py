"""A model larger than the memory is refused in the same words, however its file is opened."""

from __future__ import annotations

import errno
import json
import os
import struct
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path

import numpy as np
import pytest
import torch

from core.checkpoints.files import open_weights
from core.checkpoints.gguf_file import GgufFile
from core.errors import RequestError
from tests.core.checkpoints.conftest import Saved, load

Copy = Callable[[str], Saved]


def enlarge(path: Path, sizes: Mapping[int, int]) -> None:
    """Rewrite the header with other sizes in all shapes; the file grows by a hole."""
    with path.open("rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    header.pop("__metadata__", None)
    end = 0
    for entry in header.values():
        entry["shape"] = [sizes.get(size, size) for size in entry["shape"]]
        size = 4 * prod(entry["shape"])
        entry["data_offsets"], end = [end, end + size], end + size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)


def test_a_file_larger_than_the_memory(saved: Copy) -> None:
    """Whether the system refuses to map it or the estimate does before it is read."""
    gpt2 = saved("gpt2")
    rows, whole = 2**27, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    wide = 4 * (1 + 2 * whole // (16 * rows))
    enlarge(gpt2.weights, {32: wide, 96: 3 * wide, 128: 4 * wide, 99: rows})
    gpt2.configure(lambda config: config.update(vocab_size=rows, n_embd=wide))
    with pytest.raises(RequestError, match=r"^the model needs [\d.]+ GB .*cpu has .* free$"):
        load(gpt2.folder)


@pytest.mark.parametrize("suffix", [".bin", ".gguf"])
def test_other_formats_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = tmp_path / f"model{suffix}"
    torch.save({"weight": torch.zeros(2)}, path)

    def refused(*args: object, **how: object) -> None:
        if suffix == ".gguf":
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        raise RuntimeError(
            f"unable to mmap 9 bytes from file <{path}>: Cannot allocate memory (12)"
        )

    monkeypatch.setattr(np, "memmap", refused)
    monkeypatch.setattr(torch, "load", refused)
    with pytest.raises(RequestError, match=r"^the model needs .* for .*model\.\w+, but cpu has"):
        GgufFile(path) if suffix == ".gguf" else open_weights(path)

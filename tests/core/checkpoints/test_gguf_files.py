"""Which GGUF files are read: one alone in a folder is, broken and foreign ones are refused."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from core import load_model
from core.errors import CheckpointError, UnsupportedModel
from tests.core.checkpoints.conftest import Saved
from tests.core.checkpoints.gguf_writing import write


def test_broken_files(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    whole = write(tmp_path / "a.gguf", originals("llama").model).read_bytes()
    for spoilt, cause in (
        (whole[:-100], "cut off"),
        (whole[:90], "cut off"),
        (b"XXXX" + whole[4:], "does not begin with GGUF"),
        (whole[:4] + struct.pack("<I", 1) + whole[8:], "version is 1"),
        (b"", "empty"),
    ):
        path = tmp_path / "broken.gguf"
        path.write_bytes(spoilt)
        with pytest.raises(CheckpointError, match=cause) as caught:
            load_model(path)
        assert str(path) in str(caught.value)


def test_what_gguf_files_are_not_read(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    model = originals("llama").model
    path = write(tmp_path / "a.gguf", model, architecture="mamba")
    with pytest.raises(UnsupportedModel, match="'mamba'; supported in GGUF files are llama"):
        load_model(path)
    path = write(tmp_path / "b.gguf", model, more=lambda writer: writer.add_expert_count(4))
    with pytest.raises(UnsupportedModel, match="experts"):
        load_model(path)


def test_a_folder_with_one_file(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    write(tmp_path / "a.gguf", originals("llama").model)
    assert load_model(tmp_path).name == "Tiny one"

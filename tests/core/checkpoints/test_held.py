"""The sentence about a folder names what is wrong: a link to nothing, the file that was opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.checkpoints.files import open_checkpoint
from core.errors import CheckpointError
from tests.core.checkpoints.conftest import Saved

Copy = Callable[[str], Saved]


def refusal(path: Path) -> str:
    with pytest.raises(CheckpointError) as raised:
        open_checkpoint(path)
    return str(raised.value)


@pytest.mark.parametrize(
    "name",
    [
        "model.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "pytorch_model.bin.index.json",
        "config.json",
    ],
)
def test_a_link_to_nothing(saved: Copy, name: str) -> None:
    """As in a snapshot of the Hub's cache that was copied without its blobs."""
    llama = saved("llama")
    (llama.folder / "model.safetensors").unlink()
    link = llama.folder / name
    link.unlink(missing_ok=True)
    link.symlink_to("../../blobs/0f1e")
    expected = f"{link} is a link to {Path('../../blobs/0f1e')}, which is not there"
    assert refusal(llama.folder) == expected
    assert refusal(link) == expected


def test_a_part_that_is_a_link_to_nothing(saved: Copy) -> None:
    llama = saved("llama")
    part = "model-00001-of-00001.safetensors"
    (llama.folder / part).symlink_to("gone")
    (llama.folder / "model.safetensors").unlink()
    (llama.folder / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"lm_head.weight": part}}), "utf-8"
    )
    assert refusal(llama.folder) == f"{llama.folder / part} is a link to gone, which is not there"


@pytest.mark.parametrize(
    ("beside", "words"),
    [
        ((), "; a checkpoint folder holds config.json and"),
        (("x.gguf",), ", but there is x.gguf; open that file instead"),
        (("x.gguf", "y.gguf"), ", but there are x.gguf, y.gguf; open one of them instead"),
        (("inner/config.json",), ", but there is one in inner; open that folder"),
    ],
)
def test_the_file_that_was_opened_is_named(
    tmp_path: Path, beside: tuple[str, ...], words: str
) -> None:
    opened = tmp_path / "bad.safetensors"
    for path in (opened, *(tmp_path / name for name in beside)):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    assert refusal(opened).startswith(f"{opened} has no config.json beside it{words}")

"""What the system does not let be looked at is told in one sentence that names it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.checkpoints.load import load_model
from core.errors import CheckpointError
from tests.core.checkpoints.conftest import Saved

NOBODY = 65534
Copy = Callable[[str], Saved]


@pytest.fixture
def checkpoint(saved: Copy) -> Iterator[Path]:
    """A checkpoint where anybody may look, for a person who is not its owner where that is root,
    from whom nothing can be hidden."""
    if sys.platform == "win32":
        pytest.skip("rights are another matter on Windows")
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    folder = Path(shutil.copytree(saved("llama").folder, root / "inner" / "model"))
    load_model(folder)  # so that all of the program has been read
    mine = os.geteuid()
    if mine == 0:
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)
        (root / "inner").chmod(0o755)
    yield folder
    if mine == 0:
        os.seteuid(mine)
    for path in (root / "inner", folder, *folder.iterdir()):
        path.chmod(0o755)
    shutil.rmtree(root)


def lock(path: Path) -> None:
    path.chmod(0)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_file(checkpoint: Path, name: str) -> None:
    lock(checkpoint / name)
    with pytest.raises(CheckpointError) as raised:
        load_model(checkpoint)
    assert str(raised.value) == f"{checkpoint / name} cannot be read: Permission denied"


def test_settings_for_writing_are_only_a_note(checkpoint: Path) -> None:
    settings = checkpoint / "generation_config.json"
    settings.write_text("{}", "utf-8")
    lock(settings)
    assert any(str(settings) in note for note in load_model(checkpoint).notes)


def test_a_tokenizer_is_only_a_note(checkpoint: Path) -> None:
    (checkpoint / "tokenizer.json").write_text("{}", "utf-8")
    lock(checkpoint / "tokenizer.json")
    model = load_model(checkpoint)
    assert model.tokenizer is None
    assert any(str(checkpoint / "tokenizer.json") in note for note in model.notes)


@pytest.mark.parametrize("up", [0, 1])
def test_a_folder_and_one_inside_it(checkpoint: Path, up: int) -> None:
    lock(checkpoint if up == 0 else checkpoint.parent)
    with pytest.raises(CheckpointError, match=f"^{checkpoint} cannot be read: Permission denied$"):
        load_model(checkpoint)


def test_a_relative_path_into_a_locked_folder(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the form of a name on the Hub, which is not asked."""
    monkeypatch.chdir(checkpoint.parent.parent)
    lock(checkpoint.parent)
    with pytest.raises(CheckpointError, match=r"^inner/model cannot be read: Permission denied$"):
        load_model("inner/model")


@pytest.mark.parametrize("text", ["a" * 5000, "/" + "a" * 5000, "~" + "a" * 5000, " " + "a" * 5000])
def test_a_name_longer_than_names_can_be(text: str) -> None:
    with pytest.raises(CheckpointError, match=r"a… cannot be read: File name too long$") as raised:
        load_model(text)
    assert len(str(raised.value)) < 300


def test_a_home_that_is_not_there() -> None:
    with pytest.raises(CheckpointError, match="there is no file or folder ~nobody-of-that-name/m"):
        load_model("~nobody-of-that-name/m")


def test_what_is_no_ordinary_file(saved: Copy) -> None:
    if sys.platform == "win32":
        pytest.skip("there are no such files")
    folder = saved("llama").folder
    pipe = folder / "pipe.safetensors"
    os.mkfifo(pipe)
    for source in (pipe, Path("/dev/null")):
        with pytest.raises(CheckpointError, match=f"^{source} is no ordinary file"):
            load_model(source)
    (folder / "model.safetensors").unlink()
    pipe.rename(folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"model\.safetensors is no ordinary file"):
        load_model(folder)

"""Files that only bear the name of a checkpoint's files are recognised for what they are."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import torch
from safetensors.torch import load_file

from tests.core.checkpoints.refusing import Copy, refusal

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 440449768\n"
)
IMPOSTORS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut": (lambda whole: whole[:-5], "cut off"),
    "extended": (lambda whole: whole + b"xx", "appended"),
    "empty": (lambda whole: b"", "is empty"),
    "three bytes": (lambda whole: b"abc", "too short"),
    "lfs": (lambda whole: POINTER, "Git-LFS pointer"),
    "html": (lambda whole: b"<!DOCTYPE html><html><body>Sign in</body></html>", "web page"),
    "text": (lambda whole: b"Access to this model is restricted.\n", "text file"),
    "noise": (lambda whole: bytes(range(256)) * 4, "safetensors header"),
}


@pytest.mark.parametrize("kind", IMPOSTORS)
def test_an_impostor_is_recognised(saved: Copy, kind: str) -> None:
    spoil, cause = IMPOSTORS[kind]
    llama = saved("llama")
    llama.weights.write_bytes(spoil(llama.weights.read_bytes()))
    started = time.monotonic()
    message = refusal(llama.folder)
    assert time.monotonic() - started < 1
    assert str(llama.weights) in message
    assert cause in message


@pytest.mark.parametrize("kind", ["cut", "empty", "lfs", "html", "noise"])
def test_an_impostor_of_a_pickled_file_is_recognised(saved: Copy, kind: str) -> None:
    llama = saved("llama")
    path = llama.folder / "pytorch_model.bin"
    torch.save(load_file(llama.weights), path)
    llama.weights.unlink()
    path.write_bytes(IMPOSTORS[kind][0](path.read_bytes()))
    assert str(path) in refusal(llama.folder)


def test_a_configuration_that_is_kept_elsewhere(saved: Copy) -> None:
    bert = saved("bert masked")
    (bert.folder / "config.json").write_bytes(POINTER)
    message = refusal(bert.folder)
    assert "config.json is a Git-LFS pointer" in message
    assert "git lfs pull" in message

"""Checkpoints of the reference in temporary folders, to be spoilt one way or another."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints.build import Built, build, plan
from core.checkpoints.files import Checkpoint, open_checkpoint
from core.families import bart, bert, deberta, deberta_v2, electra, gpt2, llama, qwen2, qwen3, t5
from tests.core.checkpoints.hub_asking import SIZE
from tests.core.checkpoints.hub_server import HubServer
from tests.core.families.conftest import trace

CONFIGS: dict[str, Mapping[str, Any]] = {
    "bert": bert.FAMILY.tiny[0],
    "bert masked": bert.FAMILY.tiny[1],
    "bert classes": bert.FAMILY.tiny[2],
    "bert bare": bert.FAMILY.tiny[3],
    "discriminator": electra.FAMILY.tiny[0],
    "qwen3": qwen3.FAMILY.tiny[0],
    "gpt2": gpt2.FAMILY.tiny[0],
    "llama": llama.FAMILY.tiny[0],
    "llama scaled": llama.FAMILY.tiny[1] | {"mlp_bias": False, "attention_bias": False},
    "qwen2": qwen2.FAMILY.tiny[0],
    "t5": t5.FAMILY.tiny[0],
    "t5 v1.1": t5.FAMILY.tiny[1],
    "bart": bart.FAMILY.tiny[0],
    "deberta": deberta.FAMILY.tiny[0],
    "deberta-v2": deberta_v2.FAMILY.tiny[0],
}
IDS = [(7 * i) % 80 + 5 for i in range(48)]


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint folder with the model that was saved there."""

    folder: Path
    model: Any

    @property
    def weights(self) -> Path:
        return self.folder / "model.safetensors"

    @property
    def config(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "config.json").read_text("utf-8"))
        return found

    def configure(self, change: Callable[[dict[str, Any]], Any]) -> None:
        config = self.config
        change(config)
        (self.folder / "config.json").write_text(json.dumps(config), "utf-8")

    def rewrite(self, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
        """Store changed tensors in the same file."""
        tensors = {name: t.clone() for name, t in load_file(self.weights).items()}
        save_file({n: t.contiguous() for n, t in change(tensors).items()}, self.weights)


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Saved]:
    made: dict[str, Saved] = {}

    def original(name: str) -> Saved:
        if name not in made:
            from tests.core.families import reference

            model = reference.make(CONFIGS[name])
            made[name] = Saved(reference.save(model, tmp_path_factory.mktemp("saved")), model)
        return made[name]

    return original


@pytest.fixture
def saved(originals: Callable[[str], Saved], tmp_path: Path) -> Callable[[str], Saved]:
    """A fresh copy of a checkpoint by its name in `CONFIGS`."""

    def copy(name: str) -> Saved:
        original = originals(name)
        folder = tmp_path / name.replace(" ", "-")
        shutil.copytree(original.folder, folder)
        return Saved(folder, original.model)

    return copy


@pytest.fixture
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(self: Checkpoint, name: str, **how: object) -> None:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr(Checkpoint, "read", read)


@pytest.fixture
def server(saved: Callable[[str], Saved], tmp_path: Path) -> Iterator[HubServer]:
    folder = tmp_path / "models" / "org"
    folder.mkdir(parents=True)
    llama = saved("llama").folder
    llama.rename(folder / "tiny")
    (folder / "tiny" / "pytorch_model.bin").write_bytes(b"not needed")
    (folder / "tiny" / "README.md").write_text("not needed", "utf-8")
    with HubServer(tmp_path / "models") as running:
        yield running


@pytest.fixture
def large(server: HubServer) -> Path:
    """The weights are one large file; it says nothing, as nobody opens it."""
    folder = server.folder / "org" / "tiny"
    (folder / "pytorch_model.bin").write_bytes(os.urandom(SIZE))
    (folder / "model.safetensors").unlink()
    return folder / "pytorch_model.bin"


def load(folder: Path) -> Built:
    checkpoint = open_checkpoint(folder)
    return build(checkpoint, plan(checkpoint), device=torch.device("cpu"))


def logits(found: Built, ids: list[int] = IDS, target: list[int] | None = None) -> Tensor:
    return trace(found.network, ids, target).logits

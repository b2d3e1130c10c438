"""A checkpoint in parts, and an index that is missing or wrong about them."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.core.checkpoints.conftest import Saved, load
from tests.core.checkpoints.refusing import Copy, refusal


@pytest.fixture
def parts(saved: Copy) -> Saved:
    """A Llama in three parts with an index."""
    llama = saved("llama")
    tensors = load_file(llama.weights)
    llama.weights.unlink()
    names = sorted(tensors)
    placed = {}
    for i in range(3):
        file = f"model-{i + 1:05}-of-00003.safetensors"
        share = {n: tensors[n] for n in names[i::3]}
        save_file(share, llama.folder / file)
        placed |= dict.fromkeys(share, file)
    index = {"metadata": {}, "weight_map": placed}
    (llama.folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    return llama


def test_parts_are_one_checkpoint(parts: Saved, saved: Copy) -> None:
    found = load(parts.folder).network.state_dict()
    for name, tensor in parts.model.state_dict().items():
        if name == "model.layers.2.mlp.up_proj.weight":
            assert torch.equal(found["decoder.blocks.2.feedforward.inner.weight"], tensor)


@pytest.mark.usefixtures("nothing_read")
def test_a_part_is_missing(parts: Saved) -> None:
    second = parts.folder / "model-00002-of-00003.safetensors"
    second.rename(parts.folder / "model-2.safetensors")
    message = refusal(parts.folder)
    assert "model-00002-of-00003.safetensors is missing" in message
    assert "model.safetensors.index.json" in message
    for part in parts.folder.glob("*.safetensors"):
        part.unlink()
    message = refusal(parts.folder)
    for i in (1, 2, 3):
        assert f"model-0000{i}-of-00003.safetensors" in message


@pytest.mark.usefixtures("nothing_read")
def test_the_index_is_missing(parts: Saved) -> None:
    (parts.folder / "model.safetensors.index.json").unlink()
    assert "no model.safetensors.index.json" in refusal(parts.folder)


@pytest.mark.usefixtures("nothing_read")
@pytest.mark.parametrize(
    "place", ["../secret.safetensors", "/etc/passwd", "a\\b.safetensors", ".."]
)
def test_the_index_points_elsewhere(parts: Saved, place: str) -> None:
    path = parts.folder / "model.safetensors.index.json"
    index = json.loads(path.read_text("utf-8"))
    index["weight_map"]["lm_head.weight"] = place
    path.write_text(json.dumps(index), "utf-8")
    (parts.folder.parent / "secret.safetensors").write_bytes(b"")
    assert "only files of the same folder are read" in refusal(parts.folder)


@pytest.mark.usefixtures("nothing_read")
def test_the_index_is_wrong_about_a_part(parts: Saved) -> None:
    path = parts.folder / "model.safetensors.index.json"
    index = json.loads(path.read_text("utf-8"))
    index["weight_map"]["model.norm.extra"] = "model-00001-of-00003.safetensors"
    path.write_text(json.dumps(index), "utf-8")
    assert "model.norm.extra" in refusal(parts.folder)

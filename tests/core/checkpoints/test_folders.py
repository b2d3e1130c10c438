"""Folders as people have them: adapters, trainings, other names, other programs' layouts."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.core.checkpoints.conftest import load, logits
from tests.core.checkpoints.refusing import Copy, refusal


def test_no_weights_or_foreign_weights(saved: Copy, tmp_path: Path) -> None:
    llama = saved("llama")
    llama.weights.unlink()
    assert "holds no weights" in refusal(llama.folder)
    for name, framework in (("model.onnx", "ONNX"), ("tf_model.h5", "TensorFlow")):
        (llama.folder / name).write_bytes(b"x")
        assert framework in refusal(llama.folder)
    assert "there is no file or folder" in refusal(tmp_path / "nowhere")


LORA = {
    f"base_model.model.model.layers.0.self_attn.q_proj.lora_{x}.weight": torch.ones(4, 32)
    for x in "AB"
}


def test_an_adapter_alone(saved: Copy) -> None:
    llama = saved("llama")
    save_file(LORA, llama.folder / "adapter_model.safetensors")
    assert "an adapter's matrices" in refusal(llama.folder / "adapter_model.safetensors")
    (llama.folder / "adapter_config.json").write_text("{}", "utf-8")
    (note,) = (n for n in load(llama.folder).spec.notes if "adapter" in n)
    assert "not applied" in note
    llama.weights.unlink()
    assert "holds an adapter (adapter_config.json)" in refusal(llama.folder)
    (llama.folder / "config.json").unlink()
    assert "holds an adapter (adapter_config.json)" in refusal(llama.folder)


@pytest.mark.usefixtures("nothing_read")
def test_an_adapter_not_yet_merged(saved: Copy) -> None:
    llama = saved("llama")

    def wrap(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return LORA | {f"base_model.model.{name}": t for name, t in tensors.items()}

    llama.rewrite(wrap)
    assert "merge_and_unload" in refusal(llama.folder)


def test_what_a_training_leaves_beside_the_weights(saved: Copy) -> None:
    llama = saved("llama")
    optimizer = torch.optim.AdamW(llama.model.parameters())
    torch.save(optimizer.state_dict(), llama.folder / "optimizer.pt")
    torch.save({"cpu": 1}, llama.folder / "rng_state.pth")
    load(llama.folder)
    assert "an optimizer's state" in refusal(llama.folder / "optimizer.pt")
    llama.weights.unlink()
    message = refusal(llama.folder)
    assert "left by a training are optimizer.pt, rng_state.pth" in message
    assert "holds no weights" in message


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("last.ckpt", "state_dict"),
        ("weights.pth", "model_state_dict"),
        ("model.pt", "model"),
        ("model.bin", None),
        ("merged.safetensors", None),
    ],
)
def test_weights_under_another_name(saved: Copy, name: str, key: str | None) -> None:
    """Not guessed at, but opened when they are asked for."""
    llama = saved("llama")
    before = logits(load(llama.folder))
    tensors = load_file(llama.weights)
    llama.weights.unlink()
    path = llama.folder / name
    if name.endswith(".safetensors"):
        save_file(tensors, path)
    else:
        torch.save(tensors if key is None else {key: tensors, "epoch": 3}, path)
    message = refusal(llama.folder)
    assert f"but {name}; if that is the model, open the file itself" in message
    assert torch.equal(logits(load(path)), before)


def test_the_folder_around_it(saved: Copy, tmp_path: Path) -> None:
    """A training's output, and the Hub's cache."""
    for place in ("run/checkpoint-10", "run/checkpoint-20", "models--a--b/snapshots/abc"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        saved("gpt2").folder.rename(tmp_path / place)
    assert "one in checkpoint-10, checkpoint-20; open one of these" in refusal(tmp_path / "run")
    assert "one in snapshots/abc; open that folder" in refusal(tmp_path / "models--a--b")


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (("params.json", "consolidated.00.pth"), "layout of its makers (params.json)"),
        (("model_index.json",), "makes images"),
        (("a.gguf", "b.gguf"), "has no config.json, but holds a.gguf, b.gguf; open one of them"),
        (("pytorch_model-00001-of-00002.bin", "config.json"), "no pytorch_model.bin.index.json"),
        (("notes.txt",), "has no config.json"),
    ],
)
def test_other_layouts(tmp_path: Path, held: tuple[str, ...], words: str) -> None:
    for name in held:
        (tmp_path / name).write_text("{}", "utf-8")
    assert words in refusal(tmp_path)


def test_what_is_no_weights_file(saved: Copy) -> None:
    llama = saved("llama")
    for name in ("model.zip", "notes.txt"):
        (llama.folder / name).write_bytes(b"x")
        assert f"{name} is no weights file by its name" in refusal(llama.folder / name)
    load(llama.folder / "config.json")

"""Broken checkpoints are refused in one sentence that names file and cause, before any is read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.checkpoints.files import Checkpoint
from core.errors import CheckpointError, CoreError, UnsupportedModel
from tests.core.checkpoints.conftest import Saved, load, logits

Copy = Callable[[str], Saved]


def refusal(folder: Path, kind: type[CoreError] = CheckpointError) -> str:
    """The message; one line, no library's traceback behind it."""
    with pytest.raises(kind) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


@pytest.fixture
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(self: Checkpoint, name: str, **how: object) -> None:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr(Checkpoint, "read", read)


@pytest.mark.usefixtures("nothing_read")
def test_a_tensor_is_absent(saved: Copy) -> None:
    llama = saved("llama")
    key = "model.layers.0.mlp.up_proj.weight"
    llama.rewrite(lambda tensors: {n: t for n, t in tensors.items() if n != key})
    message = refusal(llama.folder)
    assert f"{llama.weights} lacks {key} [64, 32]" in message


@pytest.mark.usefixtures("nothing_read")
def test_a_tensor_has_another_shape(saved: Copy) -> None:
    llama = saved("llama")
    key = "model.layers.1.self_attn.k_proj.weight"
    llama.rewrite(lambda tensors: tensors | {key: tensors[key][:8]})
    message = refusal(llama.folder)
    assert key in message
    assert "[8, 32]" in message
    assert "[16, 32]" in message


@pytest.mark.usefixtures("nothing_read")
def test_a_tensor_is_unknown(saved: Copy) -> None:
    gpt2 = saved("gpt2")
    gpt2.rewrite(lambda tensors: tensors | {"transformer.h.0.attn.rotor": torch.ones(3)})
    assert "transformer.h.0.attn.rotor" in refusal(gpt2.folder)


@pytest.mark.usefixtures("nothing_read")
def test_part_of_a_head_is_absent(saved: Copy) -> None:
    bert = saved("bert masked")
    key = "cls.predictions.transform.dense.bias"
    bert.rewrite(lambda tensors: {n: t for n, t in tensors.items() if n != key})
    assert key in refusal(bert.folder)


def test_an_error_leaves_an_earlier_model_usable(saved: Copy) -> None:
    llama = saved("llama")
    before = load(llama.folder)
    kept = {name: p.clone() for name, p in before.network.named_parameters()}
    (llama.folder / "broken").mkdir()
    config = (llama.folder / "config.json").read_bytes()
    (llama.folder / "broken" / "config.json").write_bytes(config)
    (llama.folder / "broken" / "model.safetensors").write_bytes(llama.weights.read_bytes()[:-5])
    refusal(llama.folder / "broken")
    assert all(torch.equal(p, kept[n]) for n, p in before.network.named_parameters())


# --- parts of a checkpoint ----------------------------------------------------------------------


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


# --- not really a weights file ------------------------------------------------------------------

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


class Payload:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (print, ("code of a checkpoint was run",))


def test_code_in_a_pickled_file_never_runs(saved: Copy, capsys: pytest.CaptureFixture[str]) -> None:
    llama = saved("llama")
    tensors = load_file(llama.weights)
    llama.weights.unlink()
    torch.save({**tensors, "x": Payload()}, llama.folder / "pytorch_model.bin")
    assert "code in a checkpoint is never run" in refusal(llama.folder)
    assert capsys.readouterr().out == ""


# --- configuration ------------------------------------------------------------------------------


def test_a_configuration_that_is_kept_elsewhere(saved: Copy) -> None:
    bert = saved("bert masked")
    (bert.folder / "config.json").write_bytes(POINTER)
    message = refusal(bert.folder)
    assert "config.json is a Git-LFS pointer" in message
    assert "git lfs pull" in message


def test_model_type_is_missing(saved: Copy) -> None:
    bert = saved("bert masked")
    bert.configure(lambda config: config.pop("model_type"))
    found = load(bert.folder)
    assert found.spec.family == "BERT"
    assert any("no model_type" in note and "BertForMaskedLM" in note for note in found.spec.notes)


def test_model_type_and_architectures_are_missing(saved: Copy) -> None:
    bert = saved("bert masked")
    bert.configure(lambda config: (config.pop("model_type"), config.pop("architectures")))
    message = refusal(bert.folder, UnsupportedModel)
    assert "config.json has no model_type" in message
    assert "bert, " in message


def test_model_type_is_unknown(saved: Copy) -> None:
    bert = saved("bert masked")
    bert.configure(lambda config: config.update(model_type="mamba"))
    message = refusal(bert.folder, UnsupportedModel)
    assert "config.json has model_type 'mamba'" in message
    assert "llama" in message


def test_config_is_missing(saved: Copy) -> None:
    bert = saved("bert masked")
    (bert.folder / "config.json").unlink()
    assert "has no config.json" in refusal(bert.folder)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null"])
def test_config_is_no_json_object(saved: Copy, text: str) -> None:
    bert = saved("bert masked")
    (bert.folder / "config.json").write_text(text, "utf-8")
    assert "config.json" in refusal(bert.folder)


def test_a_needed_key_is_missing(saved: Copy) -> None:
    llama = saved("llama")
    llama.configure(lambda config: config.pop("num_attention_heads"))
    assert "'num_attention_heads'" in refusal(llama.folder)


def test_a_size_is_impossible(saved: Copy) -> None:
    llama = saved("llama")
    llama.configure(lambda config: config.update(num_key_value_heads=3))
    assert "4 query heads cannot be shared by 3" in refusal(llama.folder)
    llama.configure(lambda config: config.update(hidden_size=-1))
    assert "hidden_size is -1" in refusal(llama.folder)
    llama.configure(lambda config: config.update(hidden_size=32, num_hidden_layers=10**9))
    assert "num_hidden_layers is 1000000000" in refusal(llama.folder)


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ({"quant_method": "gptq", "bits": 4}, "(gptq)"),
        ({"quant_method": "awq", "bits": 4, "version": "gemm"}, "(awq)"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "(bitsandbytes)"),
        ({"load_in_8bit": True, "load_in_4bit": False}, "(8bit)"),
        ({"quant_method": "fp8"}, "(fp8)"),
        ("some way", "quantised;"),
    ],
)
def test_quantised_weights_are_refused_by_name(saved: Copy, said: object, how: str) -> None:
    llama = saved("llama")
    llama.configure(lambda c: c.update(quantization_config=said))
    message = refusal(llama.folder, UnsupportedModel)
    assert how in message
    assert "supported are float32" in message
    llama.configure(lambda c: c.update(quantization_config={}))
    load(llama.folder)


@pytest.mark.usefixtures("nothing_read")
@pytest.mark.parametrize("beside", [("qweight", "qzeros", "g_idx"), ("weight", "SCB")])
def test_packed_weights_are_known_by_their_names(saved: Copy, beside: tuple[str, ...]) -> None:
    """Of GPTQ and of bitsandbytes, without a word in config.json."""
    llama = saved("llama")
    stem = "model.layers.0.self_attn.q_proj"
    packed = {f"{stem}.{end}": torch.ones(4, 4, dtype=torch.int8) for end in beside}
    llama.rewrite(lambda ts: {n: t for n, t in ts.items() if not n.startswith(stem)} | packed)
    message = refusal(llama.folder, UnsupportedModel)
    assert f"holds quantised weights ({stem}." in message


def test_no_weights_or_foreign_weights(saved: Copy, tmp_path: Path) -> None:
    llama = saved("llama")
    llama.weights.unlink()
    assert "holds no weights" in refusal(llama.folder)
    for name, framework in (("model.onnx", "ONNX"), ("tf_model.h5", "TensorFlow")):
        (llama.folder / name).write_bytes(b"x")
        assert framework in refusal(llama.folder)
    assert "there is no file or folder" in refusal(tmp_path / "nowhere")


# --- folders as people have them ----------------------------------------------------------------

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


@pytest.mark.parametrize("zipped", [True, False])
def test_a_whole_model_in_a_pickle(saved: Copy, zipped: bool) -> None:
    llama = saved("llama")
    llama.weights.unlink()
    path = llama.folder / "pytorch_model.bin"
    torch.save(llama.model, path, _use_new_zipfile_serialization=zipped)
    message = refusal(llama.folder)
    assert "LlamaForCausalLM, not tensors alone" in message
    assert "code in a checkpoint is never run" in message


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

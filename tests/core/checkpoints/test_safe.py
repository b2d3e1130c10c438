"""Reading .safetensors: every layout the format allows, and files that change while open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints.safe import SafeFile
from core.errors import CheckpointError, UnsupportedModel
from tests.core.checkpoints.conftest import Saved, load

Copy = Callable[[str], Saved]
KINDS = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32,
    torch.int16, torch.int8, torch.uint8, torch.bool, torch.float8_e4m3fn, torch.float8_e5m2,
]  # fmt: skip


def shifted(path: Path, by: int) -> None:
    """Rewrite a file with `by` more bytes in its header, so that no tensor begins at a whole value;
    the format allows it, though its library does not write so."""
    whole = path.read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header, rest = whole[8 : 8 + length].rstrip(b" "), whole[8 + length :]
    header += b" " * ((by - 8 - len(header)) % 8)
    path.write_bytes(len(header).to_bytes(8, "little") + header + rest)


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("by", [0, 1, 2, 4])
def test_every_type_and_shape_at_any_place(tmp_path: Path, mapped: bool, by: int) -> None:
    torch.manual_seed(0)
    tensors: dict[str, Tensor] = {"none": torch.empty(0, 3), "one": torch.tensor(2.5)}
    for kind in KINDS:
        tensors[str(kind)] = (torch.randn(3, 5, 2) * 9).to(kind)
    path = tmp_path / "model.safetensors"
    save_file(tensors, path)
    shifted(path, by)
    file = SafeFile(path)
    assert file.shapes == {name: tuple(t.shape) for name, t in tensors.items()}
    for name, tensor in tensors.items():
        assert file.dtypes[name] == str(tensor.dtype).removeprefix("torch.")
        found = file.read(name, mapped=mapped)
        assert found.dtype == tensor.dtype
        assert found.is_contiguous()
        assert torch.equal(*(t.flatten().view(torch.uint8) for t in (found, tensor))), name


def test_what_is_written_to_a_mapped_tensor_stays_in_this_process(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"weight": torch.ones(2000)}, path)
    file = SafeFile(path)
    file.read("weight").zero_()
    assert load_file(path)["weight"].sum() == 2000
    assert file.read("weight").sum() == 0


def test_a_file_that_was_cut_off_after_it_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"weight": torch.ones(2000)}, path)
    file = SafeFile(path)
    with path.open("rb+") as handle:
        handle.truncate(4000)
    with pytest.raises(CheckpointError, match=r"model\.safetensors .* cut off"):
        file.read("weight", mapped=False)


def test_metadata_is_no_tensor(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"weight": torch.ones(2)}, path, metadata={"format": "pt"})
    assert list(SafeFile(path).shapes) == ["weight"]


@pytest.mark.parametrize("kind", [torch.int8, torch.float8_e4m3fn, torch.uint8])
def test_one_quantised_tensor_is_refused_by_name(saved: Copy, kind: torch.dtype) -> None:
    """Its scale is unknown, so it must not be taken for plain numbers, though others are."""
    llama = saved("llama")
    key = "model.layers.1.mlp.down_proj.weight"
    llama.rewrite(lambda tensors: tensors | {key: (tensors[key] * 100).to(kind)})
    with pytest.raises(UnsupportedModel) as caught:
        load(llama.folder)
    assert key in str(caught.value)
    assert str(kind).removeprefix("torch.") in str(caught.value)


def test_masks_kept_by_old_files_do_not_decide_the_type(saved: Copy) -> None:
    """They can hold more values than a small model's weights."""
    gpt2 = saved("gpt2")
    mask = torch.ones(1, 1, 400, 400, dtype=torch.uint8)
    masks = {f"transformer.h.{i}.attn.bias": mask.clone() for i in range(3)}
    gpt2.rewrite(lambda tensors: {n: t.half() for n, t in tensors.items()} | masks)
    assert load(gpt2.folder).spec.dtype == "float16"


@pytest.mark.parametrize("stored", [torch.float16, torch.bfloat16, torch.float64])
def test_other_types_are_computed_in_float32(saved: Copy, stored: torch.dtype) -> None:
    llama = saved("llama")
    exact = load(llama.folder).network.state_dict()
    exact = {name: tensor.clone() for name, tensor in exact.items()}
    llama.rewrite(lambda tensors: {n: t.to(stored) for n, t in tensors.items()})
    found = load(llama.folder)
    assert found.spec.dtype == str(stored).removeprefix("torch.")
    for name, tensor in found.network.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, exact[name].to(stored).float()), name


def test_parts_that_hold_a_tensor_twice(saved: Copy) -> None:
    """The part that the index names counts, for its shape and its type as for its values."""
    llama = saved("llama")
    tensors = load_file(llama.weights)
    llama.weights.unlink()
    key = "model.norm.weight"
    names = sorted(tensors)
    first, second = names[::2], names[1::2]
    placed = dict.fromkeys(first, "a.safetensors") | dict.fromkeys(second, "b.safetensors")
    save_file({n: tensors[n] for n in {*first, key}}, llama.folder / "a.safetensors")
    again = {n: tensors[n] for n in second} | {key: torch.zeros(7, dtype=torch.float16)}
    save_file(again, llama.folder / "b.safetensors")
    index = llama.folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": placed | {key: "a.safetensors"}}), "utf-8")
    found = load(llama.folder).network.state_dict()
    assert torch.equal(found["decoder.final_norm.weight"], tensors[key])

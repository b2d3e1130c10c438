"""Old tensor names, wrappers and file formats give the same model."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints.changes import Columns, HeadRows, Rows
from core.errors import CheckpointError
from tests.core.checkpoints.conftest import IDS, Saved, load, logits

Copy = Callable[[str], Saved]


def same(first: Saved, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
    before = logits(load(first.folder))
    first.rewrite(change)
    assert torch.equal(before, logits(load(first.folder)))


def test_gamma_and_beta(saved: Copy) -> None:
    def rename(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        return {
            re.sub(r"LayerNorm\.(weight|bias)$", lambda m: old[m.group()], n): t
            for n, t in tensors.items()
        }

    bert = saved("bert")
    same(bert, rename)
    assert any(n.endswith("gamma") for n in load_file(bert.weights))
    assert not any(n.endswith("LayerNorm.weight") for n in load_file(bert.weights))


@pytest.mark.parametrize(
    ("name", "prefix"), [("bert", "bert."), ("gpt2", "transformer."), ("llama", "model.")]
)
def test_without_the_wrapper(saved: Copy, name: str, prefix: str) -> None:
    same(saved(name), lambda tensors: {n.removeprefix(prefix): t for n, t in tensors.items()})


@pytest.mark.parametrize("name", ["deberta", "deberta-v2"])
def test_a_position_table_that_nothing_reads(saved: Copy, name: str) -> None:
    """Microsoft's files hold one although their configuration asks for none."""
    table = {"deberta.embeddings.position_embeddings.weight": torch.ones(64, 32)}
    same(saved(name), lambda tensors: tensors | table)


@pytest.mark.parametrize("name", ["bert", "llama"])
def test_inside_a_parallel_module(saved: Copy, name: str) -> None:
    same(saved(name), lambda tensors: {f"module.{n}": t for n, t in tensors.items()})


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "bart"])
@pytest.mark.parametrize(
    "before",
    [
        "_orig_mod.",
        "module._orig_mod.",
        "_orig_mod.module.",
        "model.",
        "base_model.model.",
        "_forward_module.",
        "_forward_module.model.",
        "0.auto_model.",
    ],
)
def test_inside_a_compiled_or_training_module(saved: Copy, name: str, before: str) -> None:
    model = saved(name)
    target = IDS[:9] if name == "bart" else None
    expected = logits(load(model.folder), target=target)
    model.rewrite(lambda tensors: {f"{before}{n}": t for n, t in tensors.items()})
    assert torch.equal(expected, logits(load(model.folder), target=target))


def test_layers_compiled_one_by_one(saved: Copy) -> None:
    same(
        saved("llama"),
        lambda tensors: {
            re.sub(r"(layers\.\d+\.)", r"\1_orig_mod.", n): t for n, t in tensors.items()
        },
    )


def test_what_is_lacking_is_named_as_the_others_are(saved: Copy) -> None:
    llama = saved("llama")
    llama.rewrite(
        lambda tensors: {
            f"_orig_mod.{n}": t for n, t in tensors.items() if n != "model.norm.weight"
        }
    )
    with pytest.raises(CheckpointError, match=r"lacks _orig_mod\.model\.norm\.weight \[32\]"):
        load(llama.folder)


def test_buffers_of_old_files(saved: Copy) -> None:
    mask = torch.ones(1, 1, 64, 64).tril()
    more = {"transformer.h.0.attn.bias": mask, "transformer.h.0.attn.masked_bias": -torch.ones(1)}
    same(saved("gpt2"), lambda tensors: tensors | more)
    frequencies = {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(4)}
    same(saved("llama"), lambda tensors: tensors | frequencies)
    same(
        saved("bert"),
        lambda t: t | {"bert.embeddings.position_ids": torch.arange(64)[None]},
    )


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("name", ["bert", "gpt2", "bart"])
def test_pickled_file(saved: Copy, name: str, zipped: bool) -> None:
    """A .bin holds tied tensors under all their names."""
    found = saved(name)
    target = IDS[:9] if name == "bart" else None
    before = logits(load(found.folder), target=target)
    state = found.model.state_dict()
    found.weights.unlink()
    path = found.folder / "pytorch_model.bin"
    torch.save(state, path, _use_new_zipfile_serialization=zipped)
    again = load(found.folder)
    assert torch.equal(before, logits(again, target=target))
    assert again.spec.heads.vocab is not None
    assert again.spec.heads.vocab.tied


def test_one_file_of_a_folder(saved: Copy) -> None:
    llama = saved("llama")
    before = logits(load(llama.folder))
    other = llama.folder / "finetuned.safetensors"
    llama.weights.rename(other)
    assert torch.equal(before, logits(load(other)))


def test_copies_must_agree(saved: Copy) -> None:
    bart = saved("bart")
    tensors = load_file(bart.weights)
    table = tensors["model.shared.weight"]
    save_file(tensors | {"model.decoder.embed_tokens.weight": table.clone()}, bart.weights)
    load(bart.folder)
    save_file(tensors | {"model.decoder.embed_tokens.weight": table + 1}, bart.weights)
    with pytest.raises(Exception, match=r"two different tensors, model\.shared\.weight and"):
        load(bart.folder)


def test_splits_are_views() -> None:
    fused = torch.arange(24.0).reshape(6, 4)
    for part in Rows().apply(fused, [(2, 4), (4, 4)]):
        assert part.untyped_storage().data_ptr() == fused.untyped_storage().data_ptr()
    for part in Columns().apply(fused, [(1, 6), (3, 6)]):
        assert part.untyped_storage().data_ptr() == fused.untyped_storage().data_ptr()
    q, k, v = HeadRows(2).apply(fused, [(2, 4)] * 3)
    assert q[:, 0].tolist() == [0, 12]
    assert k[:, 0].tolist() == [4, 16]
    assert v[:, 0].tolist() == [8, 20]

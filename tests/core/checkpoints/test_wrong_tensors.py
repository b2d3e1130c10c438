"""Tensors that are absent, unknown or of another shape are named before any is read."""

from __future__ import annotations

import pytest
import torch

from tests.core.checkpoints.conftest import load
from tests.core.checkpoints.refusing import Copy, refusal


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

"""GGUF files hold the same numbers as the checkpoint they were made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from core import load_model
from tests.core.checkpoints.conftest import IDS, Saved
from tests.core.checkpoints.gguf_writing import Kind, write


def rounded(values: np.ndarray, kind: Kind) -> np.ndarray:
    """What is left of values after a way of storing them, from the formats' definitions."""
    if kind == Kind.F16:
        return values.astype(np.float16).astype(np.float32)
    if kind == Kind.BF16:
        return torch.from_numpy(values).bfloat16().float().numpy()
    blocks = values.reshape(-1, 32)
    if kind == Kind.Q8_0:
        d = np.abs(blocks).max(1, keepdims=True) / 127
        q = np.where(d > 0, blocks / np.where(d > 0, d, 1), 0)
        q = np.sign(q) * np.floor(np.abs(q) + 0.5)
        found = q * d.astype(np.float16).astype(np.float32)
    elif kind == Kind.Q4_0:
        peak = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)
        d = peak / -8
        inverse = np.where(d != 0, 1 / np.where(d != 0, d, 1), 0).astype(np.float32)
        q = np.clip(np.trunc(blocks.astype(np.float64) * inverse + 8.5), 0, 15) - 8
        found = q * d.astype(np.float16).astype(np.float32)
    else:
        assert kind == Kind.Q4_1
        least, most = blocks.min(1, keepdims=True), blocks.max(1, keepdims=True)
        d = (most - least) / 15
        inverse = np.where(d != 0, 1 / np.where(d != 0, d, 1), 0).astype(np.float32)
        q = np.clip(np.trunc((blocks - least) * inverse + 0.5), 0, 15)
        half = np.float16
        found = q * d.astype(half).astype(np.float32) + least.astype(half).astype(np.float32)
    return found.astype(np.float32).reshape(values.shape)


@pytest.mark.parametrize("kind", [Kind.F32, Kind.F16, Kind.BF16, Kind.Q8_0, Kind.Q4_0, Kind.Q4_1])
def test_the_same_numbers(originals: Callable[[str], Saved], tmp_path: Path, kind: Kind) -> None:
    from tests.core.families import reference

    saved = originals("llama")
    path = write(tmp_path / "tiny.gguf", saved.model, kind)
    ours = load_model(path)
    expected = saved.model
    if kind != Kind.F32:
        expected = reference.make(saved.config)
        expected.load_state_dict(
            {
                n: t if t.dim() == 1 else torch.from_numpy(rounded(t.numpy(), kind))
                for n, t in saved.model.state_dict().items()
            }
        )
    with torch.no_grad():
        logits = expected(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(ours.trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)
    assert ours.name == "Tiny one"
    assert ours.spec.dtype == {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}.get(
        kind.name, kind.name
    )


@pytest.mark.parametrize("architecture", ["qwen2", "qwen3"])
def test_other_architectures(
    originals: Callable[[str], Saved], tmp_path: Path, architecture: str
) -> None:
    """Their q and k lie as Hugging Face has them."""
    saved = originals(architecture)
    ours = load_model(write(tmp_path / "a.gguf", saved.model, architecture=architecture))
    with torch.no_grad():
        logits = saved.model(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(ours.trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)
    assert ours.spec.family.lower() == architecture


def test_a_scaled_rotation(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    """A divisor for each frequency, as Llama 3's scaling is stored."""
    saved = originals("llama scaled")
    inverse = saved.model.model.rotary_emb.inv_freq
    theta, size = saved.model.config.rope_parameters["rope_theta"], 2 * len(inverse)
    plain = theta ** -(torch.arange(0, size, 2) / size)
    divisors = (plain / inverse).numpy().astype(np.float32)
    path = write(
        tmp_path / "scaled.gguf",
        saved.model,
        more=lambda writer: writer.add_tensor("rope_freqs.weight", divisors),
    )
    with torch.no_grad():
        logits = saved.model(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(load_model(path).trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)

"""Blocks of k-quants are read as their formats define them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from core.checkpoints.gguf_file import GgufFile
from tests.core.checkpoints.conftest import Saved
from tests.core.checkpoints.gguf_writing import Kind, write


def q4_k(block: bytes) -> list[float]:
    """One block of 256 values: eight groups with a six-bit scale and minimum each."""
    d, least = struct.unpack("<2e", block[:4])
    packed, quants = block[4:16], block[16:]
    found = []
    for group in range(8):
        if group < 4:
            scale, minimum = packed[group] & 63, packed[group + 4] & 63
        else:
            scale = (packed[group + 4] & 15) | (packed[group - 4] >> 6) << 4
            minimum = (packed[group + 4] >> 4) | (packed[group] >> 6) << 4
        for i in range(32):
            byte = quants[32 * (group // 2) + i]
            value = byte >> 4 if group % 2 else byte & 15
            found.append(d * scale * value - least * minimum)
    return found


def q6_k(block: bytes) -> list[float]:
    """One block of 256 values: sixteen groups with an eight-bit scale each."""
    low, high, scales = block[:128], block[128:192], struct.unpack("<16b", block[192:208])
    (d,) = struct.unpack("<e", block[208:])
    found = []
    for half in range(2):
        for quarter in range(4):
            for i in range(32):
                byte = low[64 * half + 32 * (quarter % 2) + i]
                four = byte >> 4 if quarter >= 2 else byte & 15
                two = high[32 * half + i] >> 2 * quarter & 3
                scale = scales[8 * half + 2 * quarter + i // 16]
                found.append(d * scale * ((four | two << 4) - 32))
    return found


@pytest.mark.parametrize(
    ("kind", "size", "formula"), [(Kind.Q4_K, 144, q4_k), (Kind.Q6_K, 210, q6_k)]
)
def test_k_quants(
    originals: Callable[[str], Saved],
    tmp_path: Path,
    kind: Kind,
    size: int,
    formula: Callable[[bytes], list[float]],
) -> None:
    random = np.random.default_rng(5)
    blocks = random.integers(0, 256, (6, size), dtype=np.uint8)
    scale_at = [0, 2] if kind == Kind.Q4_K else [208]
    for at in scale_at:
        halves = random.normal(0, 0.1, 6).astype(np.float16)
        blocks[:, at : at + 2] = halves.view(np.uint8).reshape(6, 2)
    path = write(
        tmp_path / "k.gguf",
        originals("llama").model,
        more=lambda writer: writer.add_tensor(
            "blk.9.ffn_up.weight", blocks.reshape(3, 2 * size), raw_dtype=kind
        ),
    )
    found = GgufFile(path).read("model.layers.9.mlp.up_proj.weight")
    expected = torch.tensor([formula(block.tobytes()) for block in blocks]).reshape(3, 512)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)

"""Quantised weights are refused by name."""

from __future__ import annotations

import pytest
import torch

from core.errors import UnsupportedModel
from tests.core.checkpoints.conftest import load
from tests.core.checkpoints.refusing import Copy, refusal


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

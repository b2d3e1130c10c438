"""Tensors that old files and trainings leave beside a model's own: it opens all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.core.checkpoints.conftest import load
from tests.core.families import reference
from tests.core.families.conftest import trace
from tests.core.families.test_parity import compare
from tests.core.families.written import TINY

ROTATED = "model.layers.1.self_attn.rotary_emb"
VALUE = ("v_head.summary.weight", "v_head.summary.bias")
CASES: dict[str, tuple[str, tuple[str, ...], str | None]] = {
    "OPT's version": ("OPT", ("model.decoder.version",), None),
    "OPT's version, unwrapped": ("OPT", ("decoder.version",), None),
    "GPT-2's masks of a cross-attention": (
        "GPT-2",
        ("transformer.h.0.crossattention.bias", "transformer.h.0.crossattention.masked_bias"),
        None,
    ),
    "tables of a rotation": (
        "Llama",
        (f"{ROTATED}.cos_cached", f"{ROTATED}.sin_cached", f"{ROTATED}.inv_freq"),
        None,
    ),
    "tables of the rotation of all layers": (
        "Mistral",
        ("model.rotary_emb.cos_cached", "model.rotary_emb.sin_cached"),
        None,
    ),
    "tables of GPT-NeoX": (
        "GPT-NeoX",
        ("gpt_neox.layers.0.attention.rotary_emb.cos_cached",),
        None,
    ),
    "ELECTRA's choices": (
        "ELECTRA",
        ("sequence_summary.summary.weight", "sequence_summary.summary.bias"),
        "a multiple-choice head",
    ),
    **{
        f"a value head of {name}": (name, VALUE, "a head that values texts")
        for name in ("GPT-2", "Llama", "GPT-J", "BLOOM", "OPT", "T5", "BART")
    },
}


@pytest.mark.parametrize(("name", "extra", "why"), CASES.values(), ids=CASES)
def test_it_is_as_without_them(
    tmp_path: Path, name: str, extra: tuple[str, ...], why: str | None
) -> None:
    model = reference.make(TINY[name])
    weights = reference.save(model, tmp_path) / "model.safetensors"
    beside = {key: torch.ones(1, 32) for key in extra}
    save_file(load_file(weights) | beside, weights, metadata={"format": "pt"})
    theirs = type(model).from_pretrained(tmp_path, attn_implementation="eager").eval()
    ours = load(tmp_path)
    source, target = [5, 17, 33, 9, 41, 12], [3, 8, 20] if name in ("T5", "BART") else None
    found = trace(ours.network, source, target)
    names = [stack.name for stack in ours.spec.stacks]
    compare(found, reference.ask(theirs, source, target), dict.fromkeys(names, slice(None)))
    assert any(why in note for note in ours.spec.notes) if why else not ours.spec.notes

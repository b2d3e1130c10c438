"""Parts of a checkpoint of which more than one holds a tensor."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints.files import open_checkpoint
from tests.core.checkpoints.conftest import IDS, Saved, load, logits

Copy = Callable[[str], Saved]
FIRST, SECOND = (f"model-0000{i}-of-00002.safetensors" for i in (1, 2))
TWICE = "lm_head.weight"


def split(llama: Saved, named: str, stale: str, *, listed: bool = True) -> Path:
    """The model in two parts: the true output matrix in `named`, another in `stale`."""
    tensors = load_file(llama.weights)
    llama.weights.unlink()
    names = sorted(set(tensors) - {TWICE})
    shares = {FIRST: names[::2], SECOND: names[1::2]}
    placed = {name: part for part, share in shares.items() for name in share}
    held = {part: {name: tensors[name] for name in share} for part, share in shares.items()}
    held[named][TWICE] = tensors[TWICE]
    held[stale][TWICE] = tensors[TWICE].flip(0).contiguous()
    for part, share in held.items():
        save_file(share, llama.folder / part, metadata={"format": "pt"})
    index = {"metadata": {}, "weight_map": placed | ({TWICE: named} if listed else {})}
    (llama.folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    return llama.folder


def reference(folder: Path) -> Tensor:
    model = transformers.LlamaForCausalLM.from_pretrained(folder, attn_implementation="eager")
    with torch.no_grad():
        found: Tensor = model.eval()(torch.tensor([IDS])).logits[0]
    return found


@pytest.mark.parametrize("listed", [True, False])
def test_a_stale_copy_in_an_earlier_part_is_not_read(saved: Copy, listed: bool) -> None:
    folder = split(saved("llama"), SECOND, FIRST, listed=listed)
    assert torch.allclose(logits(load(folder)), reference(folder), atol=1e-4)
    assert not open_checkpoint(folder).config.notes


def test_the_index_counts_where_a_later_part_holds_a_copy(saved: Copy) -> None:
    """There the reference reads the last one, whatever the index says; that is told."""
    llama = saved("llama")
    folder = split(llama, FIRST, SECOND)
    found = open_checkpoint(folder)
    assert torch.equal(found.read(TWICE), llama.model.lm_head.weight)
    assert any(TWICE in note and "the index counts" in note for note in found.config.notes)
    assert not torch.allclose(logits(load(folder)), reference(folder), atol=1e-2)

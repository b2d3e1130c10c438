"""DeepSeek-V3's last layer, which only training uses: its reference does not read it either."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.errors import CheckpointError
from core.families import families
from tests.core.checkpoints.conftest import load
from tests.core.families import reference
from tests.core.families.conftest import Case, trace
from tests.core.families.test_parity import compare, everything

DEEPSEEK = next(family.tiny for family in families() if family.name == "DeepSeek")
V2, V3 = DEEPSEEK[0], DEEPSEEK[2]


def further(held: dict[str, Tensor], number: int) -> dict[str, Tensor]:
    """The tensors of a layer that joins a state with the next token's embedding."""
    start = f"model.layers.{number}."
    like = {k.replace("model.layers.2.", start): v.clone() for k, v in held.items() if ".2." in k}
    width = held["model.norm.weight"].shape[0]
    own = {
        "embed_tokens.weight": held["model.embed_tokens.weight"].clone(),
        "enorm.weight": torch.randn(width),
        "hnorm.weight": torch.randn(width),
        "eh_proj.weight": torch.randn(width, 2 * width),
        "shared_head.norm.weight": torch.randn(width),
        "shared_head.head.weight": held["lm_head.weight"].clone(),
    }
    return {k: v for k, v in like.items() if k.startswith(start)} | {
        start + k: v for k, v in own.items()
    }


@pytest.mark.parametrize("number", [3, 61])
def test_it_is_told_of_and_not_read(tmp_path: Path, number: int) -> None:
    """As the next one, or as the published one in a model cut short."""
    model = reference.make({**V3, "num_nextn_predict_layers": 1})
    file = reference.save(model, tmp_path) / "model.safetensors"
    held = load_file(file)
    save_file(held | further(held, number), file, metadata={"format": "pt"})
    case = Case(config=V3, model=model, network=load(tmp_path).network)
    ids, _ = case.texts()
    compare(trace(case.network, ids), reference.ask(model, ids), everything(case))
    assert any("predicts one token further" in note for note in case.spec.notes)


def test_any_other_layer_too_many_is_refused(tmp_path: Path) -> None:
    """One without what joins two states, one elsewhere, and one of a model that has none."""
    for config, number, left_out in ((V3, 3, "eh_proj"), (V3, 5, ""), (V2, 3, "")):
        folder = tmp_path / f"{config['model_type']} {number} {left_out}"
        file = reference.save(reference.make(config), folder) / "model.safetensors"
        held = load_file(file)
        more = further(held, number)
        if left_out:
            more = {k: v for k, v in more.items() if left_out not in k}
        save_file(held | more, file, metadata={"format": "pt"})
        with pytest.raises(CheckpointError, match=rf"model\.layers\.{number}\..*does not|only 3"):
            load(folder)


def test_each_layer_too_many_must_be_made_for_it(tmp_path: Path) -> None:
    """One that joins two states, as the published one, does not excuse another."""
    file = reference.save(reference.make(V3), tmp_path) / "model.safetensors"
    held = load_file(file)
    other = {k: v for k, v in further(held, 3).items() if "eh_proj" not in k}
    save_file(held | further(held, 61) | other, file, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="has only 3 layers"):
        load(tmp_path)

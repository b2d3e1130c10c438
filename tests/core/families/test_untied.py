"""`tie_word_embeddings: false`: what transformers 5 saves then, and which of that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.errors import CheckpointError
from core.families import families
from tests.core.checkpoints.conftest import load
from tests.core.families import reference
from tests.core.families.conftest import Build, trace
from tests.core.families.test_parity import compare, everything, near

_TINY = {family.name: family.tiny for family in families()}
# T5 ties its matrices whatever the configuration says, and says so in what it saves.
UNTIED = [
    pytest.param({**tiny, "tie_word_embeddings": False}, id=f"{name} {i}")
    for name, every in _TINY.items()
    for i, tiny in enumerate(every)
    if name not in ("T5", "Transformer 2017")
]


@pytest.mark.parametrize("config", UNTIED)
def test_as_the_reference_saves_it(build: Build, config: Mapping[str, Any]) -> None:
    case = build(config)
    ids, target = case.texts()
    theirs = reference.ask(case.model, ids, target)
    compare(trace(case.network, ids, target), theirs, everything(case))


HEADS = {
    "BERT": ("cls.predictions.", 1),
    "RoBERTa": ("lm_head.", 0),
    "ALBERT": ("predictions.", 1),
    "DeBERTa": ("cls.predictions.", 0),
    "DeBERTa-v2": ("cls.predictions.", 1),
}
"""Family -> (what a masked-word head's names begin with, its tiny configuration)."""


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("tied", [True, False])
def test_of_two_biases_the_matrix_s_own_is_read(tmp_path: Path, name: str, tied: bool) -> None:
    """Also where the configuration says that they are one, and the file that they are not."""
    start, index = HEADS[name]
    model = reference.make({**_TINY[name][index], "tie_word_embeddings": tied})
    file = reference.save(model, tmp_path) / "model.safetensors"
    held = load_file(file)
    own, other = (torch.randn(99, generator=torch.Generator().manual_seed(i)) for i in (1, 2))
    put(file, held | {f"{start}decoder.bias": own, f"{start}bias": other})
    near(biased(model, tmp_path), biased(model, own), "of two")
    put(file, {k: v for k, v in held.items() if "decoder.bias" not in k} | {f"{start}bias": other})
    near(biased(model, tmp_path), biased(model, other), "of one")


def put(file: Path, tensors: Mapping[str, Tensor]) -> None:
    save_file({k: v.contiguous() for k, v in tensors.items()}, file, metadata={"format": "pt"})


def biased(model: Any, said: Path | Tensor) -> Tensor:
    """Logits of ours as loaded from a folder, or of the reference with a bias of its matrix."""
    ids = [5, 9, 20, 31, 42]
    if isinstance(said, Path):
        return trace(load(said).network, ids).logits
    with torch.no_grad():
        model.get_output_embeddings().bias.copy_(said)
    return reference.ask(model, ids).heads["vocab"]


TRANSLATORS = ["BART", "mBART", "Marian", "Pegasus"]


@pytest.mark.parametrize("name", TRANSLATORS)
def test_old_files_hold_one_table_for_both(tmp_path: Path, name: str) -> None:
    """transformers 4 shared it whatever the configuration said: only the output was untied."""
    model = reference.make({**_TINY[name][0], "tie_word_embeddings": False})
    inner = model.model
    inner.encoder.embed_tokens.weight = inner.decoder.embed_tokens.weight = inner.shared.weight
    file = reference.save(model, tmp_path) / "model.safetensors"
    held = load_file(file)
    put(
        file,
        {k: v for k, v in held.items() if "embed_tokens" not in k}
        | {"model.shared.weight": inner.shared.weight.detach()},
    )
    network = load(tmp_path).network
    assert network.spec.shared_embedding
    ids, target = list(range(5, 15)), list(range(20, 32))
    theirs = reference.ask(model, ids, target)
    near(trace(network, ids, target).logits, theirs.heads["vocab"], "logits")


@pytest.mark.parametrize("name", TRANSLATORS)
def test_a_table_that_is_not_there(tmp_path: Path, name: str) -> None:
    """The shared one does not stand for the decoder's beside another of the encoder."""
    model = reference.make({**_TINY[name][0], "tie_word_embeddings": False})
    file = reference.save(model, tmp_path) / "model.safetensors"
    put(
        file, {k: v for k, v in load_file(file).items() if k != "model.decoder.embed_tokens.weight"}
    )
    with pytest.raises(CheckpointError, match=r"lacks model\.decoder\.embed_tokens\.weight"):
        load(tmp_path)

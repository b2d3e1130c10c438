"""A training on another device than the CPU, as far as a machine without one can tell."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from core.model import Transformer
from training import loop, shapes
from training.decoder import DecoderBatch
from training.encoder import EncoderBatch
from training.loop import Plan, moved, train
from training.translator import TranslatorBatch


class Rows:
    def draw(self, rng: np.random.Generator, progress: float) -> DecoderBatch:
        rows = torch.from_numpy(rng.integers(0, 20, size=(8, 17)))
        return DecoderBatch(ids=rows[:, :-1], targets=rows[:, 1:])


def loss_without_numbers(
    model: Transformer, batch: DecoderBatch
) -> tuple[Tensor, dict[str, float], int]:
    """The device "meta" computes shapes and no numbers, and like a GPU refuses tensors of another
    device."""
    assert batch.ids.device.type == "meta"
    return model.stack("decoder").embedding.token(batch.ids).square().mean(), {}, 1


def made() -> tuple[Transformer, list[torch.optim.Optimizer]]:
    model = Transformer(shapes.decoder_spec(40)).to("meta")
    return model, [torch.optim.AdamW([{"params": list(model.parameters()), "peak": 1e-3}])]


def plan(folder: Path, **more: object) -> Plan:
    settings: dict[str, object] = {"budget": 1e9, "seed": 3, "bf16": False, "steps": 2}
    return Plan(folder=folder, **(settings | more))  # type: ignore[arg-type]


def test_batches_go_where_the_model_is_and_a_run_resumes_there(tmp_path: Path) -> None:
    train(*made(), Rows(), loss_without_numbers, plan(tmp_path, device="meta"))
    model, optimizers = made()
    train(model, optimizers, Rows(), loss_without_numbers, plan(tmp_path, device="meta", steps=4))
    (state, *_) = optimizers[0].state_dict()["state"].values()
    assert state["step"] == 4
    assert state["exp_avg"].device.type == "meta"


def test_every_tensor_of_a_batch_is_moved() -> None:
    some = torch.zeros(2, 3)
    for kind in (EncoderBatch, DecoderBatch, TranslatorBatch):
        batch = kind(**{field.name: some for field in fields(kind)})
        there = moved(batch, "meta")
        assert {getattr(there, f.name).device.type for f in fields(kind)} == {"meta"}
    assert moved(DecoderBatch(ids=some, targets=None), "meta").targets is None


@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_a_gpus_own_generator_is_kept_and_set_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    asked: list[object] = []
    kept = torch.arange(16, dtype=torch.uint8)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda which: asked.append(which) or kept)
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda *given: asked.extend(given))
    model, rng = Transformer(shapes.decoder_spec(40)), np.random.default_rng(0)
    on_gpu = plan(tmp_path, device=device)
    loop._save(model, [], rng, on_gpu, 7, 70, 1.5)
    assert loop._resume(model, [], rng, on_gpu) == (7, 70, 1.5)
    assert asked[0] == asked[2] == device
    assert torch.equal(asked[1], kept)  # type: ignore[arg-type]


@pytest.mark.parametrize(("device", "kind"), [("cuda:1", "cuda"), ("cpu", "cpu")])
def test_the_type_of_the_device_decides_the_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, kind: str
) -> None:
    entered: list[object] = []
    monkeypatch.setattr(torch, "autocast", lambda *given: entered.extend(given) or torch.no_grad())
    with loop._precision(plan(tmp_path, device=device, bf16=True)):
        pass
    assert entered == [kind, torch.bfloat16]

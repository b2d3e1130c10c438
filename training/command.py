"""The command line that the three trainings share."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from core.checkpoints.load import load_model
from core.model import Transformer
from core.spec import ModelSpec
from training.deepen import deepen
from training.folders import MODELS, WORK
from training.loop import Batches, LossOf, Plan, moved, train
from training.muon import in_float32, multiplies_bf16
from training.optim import initialise, optimizers


def run(
    *,
    name: str,
    description: str | None,
    spec: ModelSpec,
    batches: Callable[[ModelSpec, bool], Batches],
    loss_of: LossOf,
    block_std: float,
    adamw_lr: float,
    dropout: float,
    muon_lr: float | None = None,
    weight_decay: float = 0.01,
) -> None:
    """Read the options, build the model, train it into training/work/<name>. batches is told the
    spec, and whether the weights are the shipped ones."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--minutes", type=float, default=60, help="time budget over all resumptions (60)"
    )
    parser.add_argument(
        "--stop-after", type=float, default=float("inf"), help="minutes of this call"
    )
    parser.add_argument("--steps", type=int, help="a budget in steps instead")
    parser.add_argument(
        "--cycles", type=int, default=1, help="falls of the learning rate; their ends are averaged"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda (cuda:1 …)")
    parser.add_argument(
        "--f32", action="store_true", help="no bfloat16 even where the processor multiplies it"
    )
    parser.add_argument("--lr", type=float, default=adamw_lr)
    parser.add_argument("--muon", type=float, default=muon_lr, help="Muon for the block matrices")
    parser.add_argument("--run", default=name, help="folder under training/work")
    parser.add_argument(
        "--from-shipped",
        action="store_true",
        help="go on from resources/models (prepare with --keep-vocabularies), not from nothing",
    )
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    bf16 = not given.f32 and multiplies_bf16(given.device)
    if not bf16:
        in_float32()
    model = Transformer(spec, dropout=dropout).to(given.device)
    source = batches(spec, given.from_shipped)
    if given.from_shipped:
        shipped = load_model(MODELS / name).network.to(given.device)
        rng = np.random.default_rng(given.seed)
        deepen(
            shipped,
            model,
            lambda network: loss_of(network, moved(source.draw(rng, 0.0), given.device)),
        )
    else:
        initialise(model, block_std=block_std, seed=given.seed)
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{name}: {count / 1e6:.2f} M parameters", flush=True)
    made = optimizers(model, adamw_lr=given.lr, muon_lr=given.muon, weight_decay=weight_decay)
    plan = Plan(
        folder=WORK / given.run,
        budget=60 * given.minutes,
        steps=given.steps,
        stop_after=60 * given.stop_after,
        seed=given.seed,
        bf16=bf16,
        device=given.device,
        cycles=given.cycles,
    )
    keep_tokenizer(WORK / f"{name}.json", plan.folder)
    train(model, made, source, loss_of, plan)


def keep_tokenizer(path: Path, folder: Path) -> None:
    """Copy the tokenizer into the run's folder; SystemExit when the run began with another one.

    Preparing the texts again gives a slightly different vocabulary: ties are broken by chance.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "tokenizer.json"
    if not kept.exists():
        shutil.copyfile(path, kept)
    elif kept.read_bytes() != path.read_bytes():
        raise SystemExit(
            f"{folder.name} was begun with another vocabulary than {path.name} now has; "
            "choose a new folder with --run"
        )

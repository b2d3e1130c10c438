"""The training loop: seeded, resumable, on a time budget, with the loss kept as CSV."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim.optimizer import Optimizer
from torch.optim.swa_utils import AveragedModel

from core.model import Transformer
from training.optim import GRADIENT_CLIP, set_rate

LOG_EVERY_STEPS = 25
SAVE_EVERY_SECONDS = 120.0
END_OF_CYCLE = "end_{}.pt"  # the cycle's number, from 1


class Batches(Protocol):
    """A source of training batches."""

    def draw(self, rng: np.random.Generator, progress: float) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One training run.

    budget: seconds of training in all, over every resumption. steps: a budget in steps instead,
    which makes a run repeatable to the last digit. stop_after: seconds of this call. cycles: how
    many times the learning rate falls, one after the other; the weights at the end of each are
    kept, and their mean is the run's model (Izmailov et al. 2018, stochastic weight averaging).
    """

    folder: Path
    budget: float
    seed: int
    bf16: bool
    steps: int | None = None
    stop_after: float = float("inf")
    device: str = "cpu"
    cycles: int = 1

    def cycle(self, step: int, spent: float) -> tuple[int, float]:
        """The cycle, from 0, and its progress from 0 to 1; (cycles, 0.0) when all is used up."""
        used = spent / self.budget if self.steps is None else step / self.steps
        whole, rest = divmod(min(used, 1.0) * self.cycles, 1.0)
        return int(whole), rest


# loss_of(model, batch) -> (loss to minimise, {name: value to log}, number of tokens)
LossOf = Callable[[Transformer, Any], tuple[Tensor, dict[str, float], int]]


def train(
    model: Transformer,
    made: list[Optimizer],
    batches: Batches,
    loss_of: LossOf,
    plan: Plan,
) -> None:
    """Train until the budget is spent or `stop_after` seconds of this call; save as it goes.

    Resumes from plan.folder/last.pt when it is there. The same seed gives the same batches; with
    a budget in seconds the learning rate follows the clock, so runs differ by machine.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(plan.seed)
    torch.manual_seed(plan.seed)
    step, tokens, spent = _resume(model, made, rng, plan)
    model.train()
    began = last_save = last = time.monotonic()
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    while True:
        cycle, progress = plan.cycle(step, spent)
        if cycle >= plan.cycles or time.monotonic() - began >= plan.stop_after:
            break
        factor = set_rate(made, step=step, progress=progress)
        batch = batches.draw(rng, progress)
        with _attention(plan), torch.autocast(plan.device, torch.bfloat16, plan.bf16):
            loss, parts, size = loss_of(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_CLIP)
        for optimizer in made:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        step, tokens = step + 1, tokens + size
        for name, value in parts.items():
            sums[name] = sums.get(name, 0.0) + value
            counts[name] = counts.get(name, 0) + 1
        now = time.monotonic()
        spent, last = spent + now - last, now
        if step % LOG_EVERY_STEPS == 0:
            means = {name: sums[name] / counts[name] for name in sums}
            _log(plan.folder / "loss.csv", step, tokens, spent, factor, means)
            sums, counts = {}, {}
        if plan.cycle(step, spent)[0] > cycle:
            torch.save(model.state_dict(), plan.folder / END_OF_CYCLE.format(cycle + 1))
        if now - last_save > SAVE_EVERY_SECONDS:
            _save(model, made, rng, plan, step, tokens, spent)
            last_save = now
    _save(model, made, rng, plan, step, tokens, spent)


def trained(
    model: Transformer, runs: Sequence[Path], also: Sequence[Transformer] = ()
) -> Transformer:
    """The mean of the weights at the ends of the runs' cycles; as the first run was last saved
    before any has come to its end. also: models that count like one more end each. model: of the
    runs' shape, used up.
    """
    ends = [end for run in runs for end in sorted(run.glob(END_OF_CYCLE.format("*")))]
    if not ends:
        kept = torch.load(runs[0] / "last.pt", weights_only=True, map_location="cpu")
        model.load_state_dict(kept["model"])
        return model
    mean = AveragedModel(model)
    for path in ends:
        model.load_state_dict(torch.load(path, weights_only=True, map_location="cpu"))
        mean.update_parameters(model)
    for other in also:
        mean.update_parameters(other)
    model.load_state_dict(mean.module.state_dict())
    return model


def _attention(plan: Plan) -> AbstractContextManager[None]:
    """Attention written out where the fused kernel is the slow one: its bf16 backward on a CPU."""
    return sdpa_kernel(SDPBackend.MATH) if plan.bf16 and plan.device == "cpu" else nullcontext()


def _log(
    path: Path, step: int, tokens: int, spent: float, factor: float, means: dict[str, float]
) -> None:
    new = not path.exists()
    with path.open("a", newline="") as handle:
        writer = csv.writer(handle)
        if new:
            writer.writerow(["step", "tokens", "seconds", "rate", "part", "value"])
        for name, value in sorted(means.items()):
            writer.writerow([step, tokens, f"{spent:.0f}", f"{factor:.4f}", name, f"{value:.4f}"])
    shown = "  ".join(f"{name} {value:.3f}" for name, value in sorted(means.items()))
    print(f"step {step}  tokens {tokens / 1e6:.2f} M  {spent:.0f} s  {shown}", flush=True)


def _save(
    model: Transformer,
    made: list[Optimizer],
    rng: np.random.Generator,
    plan: Plan,
    step: int,
    tokens: int,
    spent: float,
) -> None:
    state = {
        "model": model.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in made],
        "numpy": rng.bit_generator.state,
        "torch": torch.get_rng_state(),
        "step": step,
        "tokens": tokens,
        "spent": spent,
    }
    # Written beside, then renamed: a run killed while saving keeps its last checkpoint.
    torch.save(state, plan.folder / "next.pt")
    (plan.folder / "next.pt").replace(plan.folder / "last.pt")


def _resume(
    model: Transformer, made: list[Optimizer], rng: np.random.Generator, plan: Plan
) -> tuple[int, int, float]:
    path = plan.folder / "last.pt"
    if not path.exists():
        return 0, 0, 0.0
    state = torch.load(path, weights_only=True, map_location=plan.device)
    model.load_state_dict(state["model"])
    for optimizer, kept in zip(made, state["optimizers"], strict=True):
        optimizer.load_state_dict(kept)
    rng.bit_generator.state = state["numpy"]
    torch.set_rng_state(state["torch"])
    print(f"resumed at step {state['step']}, {state['spent']:.0f} s", flush=True)
    return state["step"], state["tokens"], state["spent"]

"""The training loop: seeded, resumable, on a time budget, with the loss kept as CSV."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
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
    """A source of training batches: dataclasses of tensors, on the CPU."""

    def draw(self, rng: np.random.Generator, progress: float) -> Any: ...


def moved(batch: Any, device: str) -> Any:
    """The same batch with its tensors on a device."""
    held = {field.name: getattr(batch, field.name) for field in fields(batch)}
    return replace(batch, **{k: v.to(device) for k, v in held.items() if isinstance(v, Tensor)})


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
        batch = moved(batches.draw(rng, progress), plan.device)
        with _precision(plan):
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
    """The mean of the weights at the ends of the runs' cycles; of a lone run before its first end,
    those last saved. also: models that count like one more end each. model: of the runs' shape,
    used up. Raises ValueError where a run could not count in the mean asked for.
    """
    found = [sorted(run.glob(END_OF_CYCLE.format("*"))) for run in runs]
    ends = [end for of_run in found for end in of_run]
    without = [run.name for run, of_run in zip(runs, found, strict=True) if not of_run]
    if without and (len(runs) > 1 or also):
        raise ValueError(
            f"no cycle of {' and '.join(without)} has ended, so there is nothing of it to count in "
            "a mean; let it go on, or leave it out"
        )
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


def _precision(plan: Plan) -> ExitStack:
    """bfloat16 where the plan asks for it; on a CPU with the attention written out, as the backward
    of the fused kernel is the slow one there."""
    entered = ExitStack()
    if plan.bf16:
        kind = torch.device(plan.device).type
        entered.enter_context(torch.autocast(kind, torch.bfloat16))
        if kind == "cpu":
            entered.enter_context(sdpa_kernel(SDPBackend.MATH))
    return entered


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
    if torch.device(plan.device).type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(plan.device)
    # Written beside, then renamed: a run killed while saving keeps its last checkpoint.
    torch.save(state, plan.folder / "next.pt")
    (plan.folder / "next.pt").replace(plan.folder / "last.pt")


def _resume(
    model: Transformer, made: list[Optimizer], rng: np.random.Generator, plan: Plan
) -> tuple[int, int, float]:
    path = plan.folder / "last.pt"
    if not path.exists():
        return 0, 0, 0.0
    # On the CPU, where the state of torch's generator belongs; the others copy to their device.
    state = torch.load(path, weights_only=True, map_location="cpu")
    model.load_state_dict(state["model"])
    for optimizer, kept in zip(made, state["optimizers"], strict=True):
        optimizer.load_state_dict(kept)
    rng.bit_generator.state = state["numpy"]
    torch.set_rng_state(state["torch"])
    if torch.device(plan.device).type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], plan.device)
    print(f"resumed at step {state['step']}, {state['spent']:.0f} s", flush=True)
    return state["step"], state["tokens"], state["spent"]

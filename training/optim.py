"""Initial weights, optimizers and the learning rate over the run; all of it torch's own."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.optim.optimizer import Optimizer

from core.model import Transformer

WARM_UP_STEPS = 150
FLOOR = 0.02  # of the peak learning rate, at the end of the run
GRADIENT_CLIP = 1.0


def initialise(model: Transformer, *, block_std: float, seed: int) -> None:
    """Embeddings N(0, 0.02) or 1/√d where scaled; block matrices N(0, block_std); biases zero.

    A larger std than BERT's 0.02 in the blocks lets a small post-norm model leave the unigram
    plateau at once.
    """
    torch.manual_seed(seed)
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=block_std if "blocks" in name else 0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            scale = model.spec.main_stack.embedding.scale
            nn.init.normal_(module.weight, std=0.02 if scale == 1.0 else 1 / scale)


def optimizers(
    model: Transformer, *, adamw_lr: float, muon_lr: float | None, weight_decay: float
) -> list[Optimizer]:
    """AdamW for everything; with muon_lr, Muon for the matrices inside the blocks instead."""
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    plain: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if muon_lr is not None and "blocks" in name and parameter.ndim == 2:
            matrices.append(parameter)
        else:
            (others if parameter.ndim == 2 else plain).append(parameter)
    groups = [
        {"params": others, "weight_decay": weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    made: list[Optimizer] = [torch.optim.AdamW(groups, lr=adamw_lr, betas=(0.9, 0.98), fused=True)]
    if matrices and muon_lr is not None:
        made.append(
            torch.optim.Muon(
                matrices, lr=muon_lr, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw"
            )
        )
    for optimizer in made:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return made


def set_rate(made: list[Optimizer], *, step: int, progress: float) -> float:
    """Linear warm-up in steps, then a cosine over the progress 0…1; returns the factor."""
    cosine = FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    factor = min(1.0, (step + 1) / WARM_UP_STEPS) * cosine
    for optimizer in made:
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * factor
    return factor

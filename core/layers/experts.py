"""A mixture of feed-forward experts (Mixtral, DeepSeek): a router picks a few for each token."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from core.layers.feedforward import FeedForward
from core.layers.twin import several
from core.recorder import SILENT, Recorder
from core.spec import ExpertsSpec, FeedForwardSpec


class Experts(nn.Module):
    """Σ weight · expert(x) over the chosen experts, plus shared experts that always run.

    Each expert is a feed-forward network with weights of its own, so that a checkpoint's tensors,
    fused or not, become theirs without a copy.
    """

    correction: nn.Parameter | None

    def __init__(self, spec: FeedForwardSpec) -> None:
        super().__init__()
        assert spec.experts is not None
        self.experts_spec: ExpertsSpec = spec.experts
        count, d_ff = spec.experts.count, spec.experts.d_ff
        self.router = nn.Linear(spec.d_model, count, bias=False)
        self.correction = nn.Parameter(torch.zeros(count)) if spec.experts.correction_bias else None
        one = dataclasses.replace(spec, d_ff=d_ff, experts=None)
        self.experts = nn.ModuleList(several(count, lambda: FeedForward(one)))
        self.shared: FeedForward | None = None
        if spec.experts.shared:
            self.shared = FeedForward(dataclasses.replace(one, d_ff=spec.experts.shared * d_ff))

    def forward(self, x: Tensor, rec: Recorder = SILENT) -> Tensor:
        weights = rec("router", self.route(x), "position expert")
        total = torch.zeros_like(x)
        for expert in weights.flatten(0, 1).any(dim=0).nonzero().flatten().tolist():
            chosen = weights[..., expert] != 0  # [batch, position]
            result = self.experts[expert](x[chosen]) * weights[..., expert][chosen][:, None]
            total = total.index_put((chosen,), result.to(total.dtype), accumulate=True)
        if self.shared is not None:
            total = total + self.shared(x)
        return rec("out", total, "position d_model")

    def route(self, x: Tensor) -> Tensor:
        """[batch, position, expert]: the weight of each expert, 0 where it does not run."""
        spec = self.experts_spec
        logits: Tensor = self.router(x).float()
        scores = logits.softmax(-1) if spec.scoring == "softmax" else logits.sigmoid()
        choice = scores if self.correction is None else scores + self.correction
        if spec.groups > 1:
            closed = ~self._in_top_groups(choice)
            # A correction may be negative, so only -inf keeps a closed group out.
            choice = choice.masked_fill(closed, float("-inf"))
            if self.correction is None:
                # Where the open groups hold fewer experts than run, the others weigh nothing in
                # DeepSeek-V2; in V3 they count.
                scores = scores.masked_fill(closed, 0.0)
        picked = choice.topk(spec.top, dim=-1).indices
        weights = scores.gather(-1, picked)
        if spec.renormalise:
            weights = weights / (weights.sum(-1, keepdim=True) + 1e-20)
        weights = weights * spec.scale
        return torch.zeros_like(scores).scatter(-1, picked, weights).to(x.dtype)

    def _in_top_groups(self, choice: Tensor) -> Tensor:
        """Only experts of the best groups may be chosen (DeepSeek)."""
        spec = self.experts_spec
        grouped = choice.unflatten(-1, (spec.groups, -1))
        score = (
            grouped.amax(-1)
            if spec.group_score == "max"
            else grouped.topk(2, dim=-1).values.sum(-1)
        )
        best = score.topk(spec.top_groups, dim=-1).indices
        open_ = torch.zeros_like(score, dtype=torch.bool).scatter(-1, best, True)
        return open_[..., None].expand_as(grouped).flatten(-2)

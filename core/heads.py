"""What stands on top: next token or masked word, sentence pair, classes, replaced tokens."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.layers.activation import ACTIVATIONS
from core.layers.linear import Linear, linear
from core.layers.norm import Norm
from core.recorder import SILENT, Recorder
from core.spec import ClassHead, Heads, ReplacedHead, VocabHead


class VocabProjection(nn.Module):
    """Scores over the vocabulary; the matrix is the token embedding when tied."""

    def __init__(self, spec: VocabHead, d_model: int) -> None:
        super().__init__()
        self.spec = spec
        width = d_model
        self.dense: Linear | None = None
        self.norm: Norm | None = None
        if spec.transform is not None or spec.d_transform is not None:
            width = spec.d_transform if spec.d_transform is not None else d_model
            self.dense = Linear(d_model, width, bias=spec.transform_bias)
            if spec.transform_norm is not None:
                self.norm = Norm(spec.transform_norm, width)
        self.weight = None if spec.tied else Linear(width, spec.vocab, bias=False)
        self.bias = nn.Parameter(torch.zeros(spec.vocab)) if spec.bias else None

    def forward(self, states: Tensor, embedding: Tensor, rec: Recorder = SILENT) -> Tensor:
        """states [batch, position, d_model], embedding [vocab, d] -> [batch, position, vocab]."""
        x = self.transform(states, rec)
        if self.spec.scale != 1.0:
            x = x * self.spec.scale
        matrix = embedding if self.weight is None else self.weight.weight
        logits = linear(x, matrix, self.bias)
        if self.spec.softcap is not None:
            logits = (logits / self.spec.softcap).tanh() * self.spec.softcap
        return logits

    def transform(self, states: Tensor, rec: Recorder = SILENT) -> Tensor:
        """Dense, activation and norm before the projection (BERT); the identity elsewhere."""
        if self.dense is None:
            return states
        x = self.dense(states)
        x = x if self.spec.transform is None else ACTIVATIONS[self.spec.transform](x)
        x = x if self.norm is None else self.norm(x)
        return rec("transform", x, "position d_model")


class Classifier(nn.Module):
    """Classes from the pooled first token, or from one state through layers of its own."""

    def __init__(self, spec: ClassHead, d_model: int) -> None:
        super().__init__()
        self.spec = spec
        inner = spec.pooler == "inner"
        self.dense = Linear(d_model, d_model, bias=spec.inner_bias) if inner else None
        self.norm = Norm(spec.norm, d_model) if spec.norm is not None else None
        self.out = Linear(d_model, len(spec.labels), bias=spec.bias)

    def forward(self, states: Tensor, pooled: Tensor | None, last: int = -1) -> Tensor:
        """states [batch, position, d_model], pooled [batch, d_model] -> [batch, label]. last: where
        the last token is."""
        if self.spec.pooler == "tanh":
            assert pooled is not None
            return self._scores(pooled)
        x = self._judged(states, last)
        if self.dense is not None:
            x, kind = self.dense(x), self.spec.activation
            x = x.tanh() if kind == "tanh" else ACTIVATIONS[kind](x)
        return self._scores(x if self.norm is None else self.norm(x))

    def _judged(self, states: Tensor, last: int) -> Tensor:
        match self.spec.of:
            case "first":
                return states[:, 0]
            case "last":
                return states[:, last]
            case "mean":
                return states.mean(1)

    def _scores(self, x: Tensor) -> Tensor:
        scores: Tensor = self.out(x)
        return scores


class ReplacedDetector(nn.Module):
    """A logit for every position: positive where the token seems replaced (Clark et al. 2020)."""

    def __init__(self, spec: ReplacedHead, d_model: int) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[spec.activation]
        self.dense = Linear(d_model, d_model)
        self.out = Linear(d_model, 1)

    def forward(self, states: Tensor) -> Tensor:
        logits: Tensor = self.out(self.activation(self.dense(states))).squeeze(-1)
        return logits


class HeadBank(nn.Module):
    """All heads of a checkpoint; those it does not hold are None."""

    def __init__(self, spec: Heads, d_model: int) -> None:
        super().__init__()
        self.spec = spec
        self.vocab = VocabProjection(spec.vocab, d_model) if spec.vocab is not None else None
        pooled = spec.pair is not None or (
            spec.classes is not None and spec.classes.pooler == "tanh"
        )
        self.pooler = Linear(d_model, d_model) if pooled else None
        self.pair = Linear(d_model, 2) if spec.pair is not None else None
        self.classes = Classifier(spec.classes, d_model) if spec.classes is not None else None
        self.replaced = (
            ReplacedDetector(spec.replaced, d_model) if spec.replaced is not None else None
        )

    def sentence(self, states: Tensor, *, last: int = -1) -> dict[str, Tensor]:
        """states [batch, position, d_model], all of real tokens -> "pair" [batch, 2], "classes"
        [batch, label], "replaced" [batch, position]: logits of the heads there are.

        last: the position that classes of a last token are read from, see `ClassHead.place`.
        """
        first = states[:, 0]
        pooled = self.pooler(first).tanh() if self.pooler is not None else None
        found: dict[str, Tensor] = {}
        if self.pair is not None:
            found["pair"] = self.pair(pooled)
        if self.classes is not None:
            found["classes"] = self.classes(states, pooled, last)
        if self.replaced is not None:
            found["replaced"] = self.replaced(states)
        return found

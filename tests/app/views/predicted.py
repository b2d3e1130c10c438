"""Runs whose predictions are tested, and the lists drawn of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from app.figure import Figure
from app.selection import Selection
from app.views import ViewOptions, view
from core.trace import Trace
from tests.traces import sentence, trace_of


def draw(trace: Trace, selection: Selection | None = None, **options: Any) -> Figure:
    """The lists alone, as they stand beside the picture."""
    chosen = ViewOptions(compact=True, **options)
    return view("predictions").draw(trace, selection or Selection(), chosen)


def softmax(logits: torch.Tensor) -> np.ndarray:
    powers = np.exp(logits.double().numpy())
    return powers / powers.sum(axis=-1, keepdims=True)


def masked_encoder(*places: int) -> Trace:
    return trace_of("encoder", source=sentence(8, masked=places))


def two_sentences() -> Trace:
    tokens = replace(sentence(8, masked=(2,)), sequence=(0, 0, 0, 0, 1, 1, 1, 1))
    return trace_of("encoder", source=tokens)


CLASS_TITLE = "Class of the text"

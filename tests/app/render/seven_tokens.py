"""A small map whose labels need escaping or have wide characters."""

from __future__ import annotations

import numpy as np

from app.figure import Figure
from tests.app.render.examples import heatmap

LABELS = ["<s>", "a&b", "Ġthe", "东", "😀", '"it\'s"', "</s>"]


def seven() -> Figure:
    values = np.zeros((7, 7), np.float32)
    values[0, 6], values[2, 1] = 1, 1
    return Figure(
        title="Attention <of> a & b",
        panels=(heatmap(values, LABELS, LABELS, hidden=np.eye(7, dtype=bool)),),
        note="Each row sums to 1.",
    )

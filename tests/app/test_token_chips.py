"""Chips of generated tokens: the probability below each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from app.panels.token_chips import step_chip
from core.request import Step


@pytest.mark.parametrize(
    ("probability", "below", "tip"),
    [
        (0.0, "0%", "0.0000"),
        (0.00004, "<0.1%", "<0.0001"),
        (0.0004, "<0.1%", "0.0004"),
        (0.0012, "0.1%", "0.0012"),
        (0.5, "50.0%", "0.5000"),
        (0.9994, "99.9%", "0.9994"),
        (0.9997, ">99.9%", "0.9997"),
        (1.0, "100%", "1.0000"),
    ],
)
def test_a_chip_never_rounds_to_nothing_or_to_all(probability: float, below: str, tip: str) -> None:
    step = SimpleNamespace(index=0, token=5, probability=probability, forced=False, candidates=())
    chip = step_chip(cast("Step", step), "a")
    assert chip.below == below
    assert chip.tooltip.endswith(tip)

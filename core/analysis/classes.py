"""What a classifier's logits say, by the problem it was trained for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from core.spec import ClassHead


def class_values(head: ClassHead, logits: Tensor) -> Tensor:
    """logits [..., class] -> probabilities: of one class among all (softmax) or of each on its own
    (sigmoid); scores are the logits themselves."""
    if head.problem == "one":
        return logits.softmax(-1)
    return logits.sigmoid() if head.problem == "several" else logits

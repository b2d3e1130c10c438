"""RoBERTa's padding token inside a text: it is read, and takes no position."""

from __future__ import annotations

import pytest

from core.families import roberta
from tests.core.families import reference
from tests.core.families.conftest import Build, trace
from tests.core.families.test_parity import compare

PAD = 1
IDS = (
    [0, 5, PAD, 7, 8, 2],
    [PAD, 5, 6, 7, 2],
    [0, PAD, PAD, 9, PAD, 4, 2, PAD],
)


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("model_type", ["roberta", "xlm-roberta", "camembert"])
def test_it_is_read_as_in_the_reference(build: Build, model_type: str, ids: list[int]) -> None:
    named = f"{roberta.FAMILY.model_types[model_type]}ForMaskedLM"
    tiny = roberta.FAMILY.tiny[0] | {"model_type": model_type, "architectures": [named]}
    case = build(tiny)
    theirs = reference.ask(case.model, ids)
    compare(trace(case.network, ids), theirs, {"encoder": slice(None)})
    for side, rows in (("left", slice(3, None)), ("right", slice(0, len(ids)))):
        padded = trace(case.network, ids, padded=3, side=side)
        near = padded.logits[rows] - theirs.heads["vocab"]
        assert near.abs().max() <= 1e-4

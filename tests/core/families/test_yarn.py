"""YaRN's ramp between its two turning points, however they lie."""

from __future__ import annotations

from typing import Any

import pytest

from core.families import families
from tests.core.families import reference
from tests.core.families.conftest import Build, trace
from tests.core.families.test_parity import compare, everything

ROTATION = {
    "rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 4096,
}  # fmt: skip


@pytest.mark.parametrize(
    ("width", "numbers"),
    [
        (32, {}),
        (32, {"beta_fast": 1.0, "beta_slow": 32.0}),  # crossed
        (32, {"beta_fast": 1.0, "beta_slow": 32.0, "truncate": False}),
        (128, {"original_max_position_embeddings": 8, "beta_slow": 2}),  # both below the first
        (32, {"beta_fast": 4.0, "beta_slow": 4.0, "truncate": False}),  # one point
    ],
)
def test_turning_points(build: Build, width: int, numbers: dict[str, Any]) -> None:
    tiny = next(f for f in families() if f.name == "Llama").tiny[0]
    more = {"head_dim": width, "max_position_embeddings": 16384}
    case = build({**tiny, **more, "rope_parameters": ROTATION | numbers})
    ids, _ = case.texts()
    compare(trace(case.network, ids), reference.ask(case.model, ids), everything(case))

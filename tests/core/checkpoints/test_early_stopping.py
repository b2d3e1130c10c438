"""A beam search ends when the checkpoint's early_stopping has it end."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core import load_model
from core.decoding.beam import BeamSearch
from core.request import DecodeRequest
from tests.core.checkpoints.test_generation import GPT2, PROMPT, generated, saved

NEW, PENALTY = 18, 2.0  # under which long texts win, if the search lives to see them
MANY = {
    "eos_token_id": sorted(random.Random(3).sample(range(60), 20)),
    "pad_token_id": 0,
    "length_penalty": PENALTY,
}


@pytest.mark.parametrize(
    ("said", "length", "why"),
    [
        ({}, 4, "no live hypothesis can beat the finished ones"),
        ({"early_stopping": False}, 4, "no live hypothesis can beat the finished ones"),
        ({"early_stopping": True}, 3, "3 hypotheses have ended"),
        ({"early_stopping": "never"}, NEW, "18 new tokens"),
    ],
    ids=["silent", "false", "true", "never"],
)
def test_a_search_ends_as_the_references(
    tmp_path: Path, said: Mapping[str, Any], length: int, why: str
) -> None:
    theirs = saved(tmp_path, GPT2 | {"early_stopping": True}, MANY | said)
    ours = load_model(tmp_path)
    run = ours.trace(ids=PROMPT).request
    search = BeamSearch(
        ours,
        DecodeRequest(
            run=run, strategy="beam", beams=3, max_new_tokens=NEW, length_penalty=PENALTY
        ),
    )
    best = search.run()[0]
    found = [node.token for node in search.path(best.id)]
    expected, score = generated(theirs, PROMPT, NEW, 3)
    assert [*PROMPT, *found] == expected
    assert abs(best.score - score) <= 1e-4
    assert len(found) == length
    assert search.finished is not None
    assert search.finished.startswith(why)

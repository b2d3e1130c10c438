"""Settings about writing that make no sense keep no model shut: they are named, not followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import transformers

from core import load_model
from core.spec import Rules
from tests.core.checkpoints.test_generation import END, GPT2, NEW, PROMPT, saved

WHOLE, ABOVE = "it must be a whole number", "it must be a number above 0"
SENSELESS = [
    ("no_repeat_ngram_size", "3", WHOLE),
    ("no_repeat_ngram_size", True, WHOLE),
    ("encoder_no_repeat_ngram_size", [2], WHOLE),
    ("min_length", 2.5, WHOLE),
    ("min_length", True, WHOLE),
    ("min_new_tokens", "4", WHOLE),
    ("begin_suppress_tokens", "5", "it must be a token id or a list of them"),
    ("repetition_penalty", 0, ABOVE),
    ("repetition_penalty", -1, ABOVE),
    ("repetition_penalty", "1.2", ABOVE),
    ("repetition_penalty", True, ABOVE),
    ("repetition_penalty", 1e7, "it must be between 1e-06 and 1e+06"),
    ("repetition_penalty", 1e-7, "it must be between 1e-06 and 1e+06"),
]


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "config.json"])
@pytest.mark.parametrize(("key", "value", "must"), SENSELESS)
def test_they_are_named_and_not_followed(
    tmp_path: Path, key: str, value: Any, must: str, beside: bool
) -> None:
    saved(tmp_path, GPT2, None)
    plain = [step.token for step in load_model(tmp_path).decode(ids=PROMPT, max_new_tokens=NEW)]
    file = tmp_path / ("generation_config.json" if beside else "config.json")
    said = END if beside else json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(said | {key: value}), "utf-8")
    ours = load_model(tmp_path)
    (note,) = [note for note in ours.notes if key in note]
    shown = f"{value:g}" if "between" in must else repr(value)
    assert note == f"{file}: {key} is {shown}; {must}, so it is not followed"
    assert (ours.spec.rules, ours.spec.repetition_penalty) == (Rules(), 1.0)
    assert [step.token for step in ours.decode(ids=PROMPT, max_new_tokens=NEW)] == plain
    assert transformers.GPT2LMHeadModel.from_pretrained(tmp_path) is not None


def test_the_others_are_followed_still(tmp_path: Path) -> None:
    saved(tmp_path, GPT2, END)
    said = END | {"min_new_tokens": "9", "min_length": 8, "no_repeat_ngram_size": 3}
    (tmp_path / "generation_config.json").write_text(json.dumps(said), "utf-8")
    assert load_model(tmp_path).spec.rules == Rules(no_repeat=3, min_length=8)

"""A generation_config.json that cannot be read, or says what it cannot: told with its own name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import transformers

from core import load_model
from core.checkpoints.files import open_checkpoint
from core.errors import CheckpointError
from tests.core.checkpoints.conftest import Saved

Copy = Callable[[str], Saved]
BESIDE = "generation_config.json"


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]", b""])
@pytest.mark.parametrize("name", ["bert masked", "gpt2"])
def test_one_that_cannot_be_read_keeps_no_model_shut(
    saved: Copy, name: str, content: bytes
) -> None:
    folder = saved(name).folder
    (folder / BESIDE).write_bytes(content)
    found = load_model(folder)
    (note,) = [note for note in found.notes if BESIDE in note]
    assert note.startswith(f"{folder / BESIDE} ")
    assert note.endswith("; config.json counts in its place")


def test_config_json_counts_in_its_place(saved: Copy) -> None:
    """As in the reference."""
    gpt2 = saved("gpt2")
    gpt2.configure(lambda config: config.update(eos_token_id=9, suppress_tokens=[3, 4]))
    (gpt2.folder / BESIDE).write_text("{", "utf-8")
    ours = load_model(gpt2.folder).spec.special
    theirs: Any = transformers.GPT2LMHeadModel.from_pretrained(gpt2.folder).generation_config
    assert (ours.end, ours.suppressed) == ((9,), (3, 4))
    assert (theirs.eos_token_id, theirs.suppress_tokens) == (9, [3, 4])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"eos_token_id": "2"}, "eos_token_id is '2'; it must be a token id"),
        ({"forced_bos_token_id": "2"}, "forced_bos_token_id is '2'; it must be a token id"),
        ({"suppress_tokens": ["2"]}, r"suppress_tokens is \['2'\]; it must be a token id"),
        ({"bad_words_ids": [5]}, r"bad_words_ids is \[5\]; it must be a list of lists"),
    ],
)
def test_what_it_says_wrongly_is_not_laid_on_config_json(
    saved: Copy, said: dict[str, Any], words: str
) -> None:
    gpt2 = saved("gpt2")
    (gpt2.folder / BESIDE).write_text(json.dumps(said), "utf-8")
    with pytest.raises(CheckpointError, match=f"^{gpt2.folder / BESIDE}: {words}"):
        load_model(gpt2.folder)
    (gpt2.folder / BESIDE).unlink()
    gpt2.configure(lambda config: config.update(said))
    with pytest.raises(CheckpointError, match=f"^{gpt2.folder / 'config.json'}: {words}"):
        load_model(gpt2.folder)


def test_what_both_say_is_said_by_config_json(saved: Copy) -> None:
    gpt2 = saved("gpt2")
    gpt2.configure(lambda config: config.update(eos_token_id=9))
    (gpt2.folder / BESIDE).write_text(json.dumps({"eos_token_id": 9, "min_length": 2}), "utf-8")
    config = open_checkpoint(gpt2.folder).config
    assert config.at("eos_token_id") == f"{gpt2.folder / 'config.json'}: eos_token_id"
    assert config.at("n_missing", "min_length") == f"{gpt2.folder / BESIDE}: min_length"

"""A configuration that is missing or impossible is refused by what is wrong with it."""

from __future__ import annotations

import pytest

from core.errors import UnsupportedModel
from tests.core.checkpoints.conftest import load
from tests.core.checkpoints.refusing import Copy, refusal


def test_model_type_is_missing(saved: Copy) -> None:
    bert = saved("bert masked")
    bert.configure(lambda config: config.pop("model_type"))
    found = load(bert.folder)
    assert found.spec.family == "BERT"
    assert any("no model_type" in note and "BertForMaskedLM" in note for note in found.spec.notes)


def test_model_type_and_architectures_are_missing(saved: Copy) -> None:
    bert = saved("bert masked")
    bert.configure(lambda config: (config.pop("model_type"), config.pop("architectures")))
    message = refusal(bert.folder, UnsupportedModel)
    assert "config.json has no model_type" in message
    assert "bert, " in message


def test_model_type_is_unknown(saved: Copy) -> None:
    bert = saved("bert masked")
    bert.configure(lambda config: config.update(model_type="mamba"))
    message = refusal(bert.folder, UnsupportedModel)
    assert "config.json has model_type 'mamba'" in message
    assert "llama" in message


def test_config_is_missing(saved: Copy) -> None:
    bert = saved("bert masked")
    (bert.folder / "config.json").unlink()
    assert "has no config.json" in refusal(bert.folder)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null"])
def test_config_is_no_json_object(saved: Copy, text: str) -> None:
    bert = saved("bert masked")
    (bert.folder / "config.json").write_text(text, "utf-8")
    assert "config.json" in refusal(bert.folder)


def test_a_needed_key_is_missing(saved: Copy) -> None:
    llama = saved("llama")
    llama.configure(lambda config: config.pop("num_attention_heads"))
    assert "'num_attention_heads'" in refusal(llama.folder)


def test_a_size_is_impossible(saved: Copy) -> None:
    llama = saved("llama")
    llama.configure(lambda config: config.update(num_key_value_heads=3))
    assert "4 query heads cannot be shared by 3" in refusal(llama.folder)
    llama.configure(lambda config: config.update(hidden_size=-1))
    assert "hidden_size is -1" in refusal(llama.folder)
    llama.configure(lambda config: config.update(hidden_size=32, num_hidden_layers=10**9))
    assert "num_hidden_layers is 1000000000" in refusal(llama.folder)

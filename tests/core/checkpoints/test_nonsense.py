"""Files beside the weights that hold nonsense: one plain sentence, or the model without them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import torch

from core import load_model
from core.errors import CheckpointError, CoreError
from tests.core.checkpoints.conftest import Saved

Copy = Callable[[str], Saved]
NESTED = "[" * 100_000
VOCABULARY = "[UNK]\n[CLS]\n[SEP]\nthe\ncat\n"


def refusal(saved: Saved) -> str:
    with pytest.raises(CoreError) as caught:
        load_model(saved.folder)
    return str(caught.value)


def test_json_nested_too_deep_is_no_json(saved: Copy) -> None:
    bert = saved("bert")
    (bert.folder / "vocab.txt").write_text(VOCABULARY)
    (bert.folder / "tokenizer_config.json").write_text(NESTED)
    assert "tokenizer_config.json cannot be read as JSON" in load_model(bert.folder).notes[-1]
    (bert.folder / "config.json").write_text(NESTED)
    assert "config.json cannot be read as JSON" in refusal(bert)


@pytest.mark.parametrize(
    "said",
    [
        {"tokenizer_class": 5},
        {"tokenizer_class": ["LlamaTokenizer"]},
        {"added_tokens_decoder": [1]},
        {"added_tokens_decoder": "x", "tokenizer_class": {}},
    ],
)
def test_settings_of_another_type_say_nothing(saved: Copy, said: dict[str, Any]) -> None:
    bert = saved("bert")
    (bert.folder / "tokenizer_config.json").write_text(json.dumps(said))
    (bert.folder / "vocab.txt").write_text(VOCABULARY)
    bert.configure(lambda config: config.update(said))
    tokenizer = load_model(bert.folder).tokenizer
    assert tokenizer is not None
    assert tokenizer.encode("the cat").ids == (1, 3, 4, 2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"hidden_act": ["silu"]}, "sets hidden_act to ['silu']; supported are gelu"),
        (
            {"id2label": {"a": "b"}, "architectures": ["LlamaForSequenceClassification"]},
            "the keys of id2label must be whole numbers",
        ),
    ],
)
def test_values_of_another_type_are_named(
    saved: Copy, change: dict[str, Any], sentence: str
) -> None:
    llama = saved("llama")
    llama.configure(lambda config: config.update(change))
    assert sentence in refusal(llama)


def test_an_index_without_names_says_no_place(saved: Copy) -> None:
    llama = saved("llama")
    llama.weights.unlink()
    index = llama.folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"lm_head.weight": None}}))
    assert "has no weight_map that says where each tensor is" in refusal(llama)


def test_a_short_archive_is_told_in_a_short_sentence(saved: Copy) -> None:
    llama = saved("llama")
    whole = llama.folder / "pytorch_model.bin"
    torch.save(llama.model.state_dict(), whole)
    llama.weights.unlink()
    whole.write_bytes(whole.read_bytes()[:4000])
    said = refusal(llama)
    assert said.endswith("; download it again")
    assert len(said) - len(str(whole)) < 160, said


@pytest.mark.parametrize(
    ("said", "labels", "problem"),
    [
        (None, ["a", "b", "c"], "one"),
        ("single_label_classification", ["a", "b"], "one"),
        ("multi_label_classification", ["a", "b", "c"], "several"),
        ("regression", ["a"], "score"),
        (None, ["a"], "score"),
    ],
)
def test_what_a_classifier_was_trained_for(
    saved: Copy, said: str | None, labels: list[str], problem: str
) -> None:
    bert = saved("bert classes")
    bert.configure(lambda config: config.update(problem_type=said, id2label=numbered(labels)))
    bert.rewrite(
        lambda tensors: {
            name: tensor[: len(labels)] if name.startswith("classifier.") else tensor
            for name, tensor in tensors.items()
        }
    )
    head = load_model(bert.folder).spec.heads.classes
    assert head is not None
    assert (head.problem, head.labels) == (problem, tuple(labels))


def test_an_unknown_problem_is_refused(saved: Copy) -> None:
    bert = saved("bert classes")
    bert.configure(lambda config: config.update(problem_type="ranking"))
    with pytest.raises(CheckpointError, match="problem_type is 'ranking'; supported are single"):
        load_model(bert.folder)


def numbered(labels: list[str]) -> dict[str, str]:
    return {str(number): label for number, label in enumerate(labels)}

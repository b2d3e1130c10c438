"""A configuration without `architectures` is read as the one with it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.families import families
from core.spec import ModelSpec
from tests.core.checkpoints.conftest import load
from tests.core.families import reference
from tests.core.families.conftest import TINY, trace

_TINY = {family.name: dict(family.tiny[0]) for family in families()}
LABELS = {"0": "calm", "1": "glad", "2": "sad"}
OTHERS = [
    ("BERT", "BertForTokenClassification"),
    ("BERT", "BertForQuestionAnswering"),
    ("BERT", "BertForNextSentencePrediction"),
    ("ALBERT", "AlbertForTokenClassification"),
    ("DistilBERT", "DistilBertForTokenClassification"),
    ("DistilBERT", "DistilBertForQuestionAnswering"),
    ("RoBERTa", "RobertaForTokenClassification"),
    ("ELECTRA", "ElectraForTokenClassification"),
    ("DeBERTa-v2", "DebertaV2ForTokenClassification"),
    ("ModernBERT", "ModernBertModel"),
    ("GPT-2", "GPT2ForSequenceClassification"),
    ("GPT-2", "GPT2ForTokenClassification"),
    ("GPT-NeoX", "GPTNeoXForSequenceClassification"),
    ("OPT", "OPTForSequenceClassification"),
    ("Llama", "LlamaForSequenceClassification"),
    ("Llama", "LlamaForTokenClassification"),
    ("Qwen2", "Qwen2Model"),
    ("BART", "BartForSequenceClassification"),
    ("BART", "BartForQuestionAnswering"),
    ("T5", "T5ForSequenceClassification"),
    ("T5", "T5ForTokenClassification"),
    ("T5", "T5Model"),
]


def saved(config: Mapping[str, Any], folder: Path) -> Path:
    return reference.save(reference.make(config), folder)


def configure(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "config.json"
    values = json.loads(path.read_text("utf-8"))
    change(values)
    path.write_text(json.dumps(values), "utf-8")


def bare(spec: ModelSpec) -> ModelSpec:
    return replace(spec, notes=())


def unchanged_without_a_name(folder: Path) -> ModelSpec:
    named = load(folder)
    configure(folder, lambda values: values.pop("architectures"))
    found = load(folder)
    assert bare(found.spec) == bare(named.spec)
    return found.spec


@pytest.mark.parametrize("config", TINY)
def test_every_family(config: Mapping[str, Any], tmp_path: Path) -> None:
    unchanged_without_a_name(saved(config, tmp_path))


@pytest.mark.parametrize(("family", "name"), OTHERS)
def test_other_heads(family: str, name: str, tmp_path: Path) -> None:
    more: dict[str, Any] = {"architectures": [name], "pad_token_id": 1}
    more |= {"id2label": LABELS} if name.endswith("Classification") else {}
    spec = unchanged_without_a_name(saved(_TINY[family] | more, tmp_path))
    if name.endswith("ForSequenceClassification"):
        assert any(f"read as {name}" in note for note in spec.notes)
        assert spec.heads.classes is not None


def test_what_the_tensors_leave_open_is_said(tmp_path: Path) -> None:
    """ModernBERT's classifiers of texts and of tokens hold the same."""
    name = {"architectures": ["ModernBertForTokenClassification"]}
    folder = saved(_TINY["ModernBERT"] | name, tmp_path)
    configure(folder, lambda values: values.pop("architectures"))
    (note,) = load(folder).spec.notes
    assert "read as ModernBertForSequenceClassification" in note
    assert "one of single tokens would look the same" in note


@pytest.mark.parametrize("wrapper", ["module.", "model.", "_orig_mod."])
def test_behind_a_training_loop_s_wrapper(wrapper: str, tmp_path: Path) -> None:
    more = {"architectures": ["ModernBertForSequenceClassification"], "id2label": LABELS}
    folder = saved(_TINY["ModernBERT"] | more, tmp_path)
    weights = folder / "model.safetensors"
    tensors = {wrapper + name: tensor.clone() for name, tensor in load_file(weights).items()}
    save_file(tensors, weights)
    unchanged_without_a_name(folder)


@pytest.mark.parametrize("family", ["ModernBERT", "BERT", "Llama", "BART"])
def test_classes_are_counted_and_judged_as_the_reference_does(family: str, tmp_path: Path) -> None:
    stems = {"ModernBERT": "ModernBert", "BERT": "Bert", "Llama": "Llama", "BART": "Bart"}
    name = f"{stems[family]}ForSequenceClassification"
    more = {"architectures": [name], "id2label": {str(i): f"{i}" for i in range(5)}}
    model = reference.make(_TINY[family] | more | {"pad_token_id": 1})
    reference.save(model, tmp_path)

    def forget(values: dict[str, Any]) -> None:
        for key in ("architectures", "id2label", "label2id"):
            values.pop(key)

    configure(tmp_path, forget)
    built = load(tmp_path)
    assert built.spec.heads.classes is not None
    assert built.spec.heads.classes.labels == tuple(f"LABEL_{i}" for i in range(5))
    ids = [*range(5, 20), 2]
    again = [2, *ids[:-1]] if family == "BART" else None
    theirs = reference.ask(model, ids, again).heads["classes"]
    torch.testing.assert_close(
        trace(built.network, ids, again).heads["classes"], theirs, atol=1e-4, rtol=0
    )

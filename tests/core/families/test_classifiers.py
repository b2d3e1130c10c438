"""Classifiers of texts: the head judges what the reference's does, also beside padding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch

from core.families import families
from core.loaded import LoadedModel
from tests.core.families import reference
from tests.core.families.conftest import Build, Case, trace
from tests.core.families.reference import Answer
from tests.core.families.test_parity import compare, everything, near

_TINY = {family.name: dict(family.tiny[0]) for family in families()}
LABELS = {"0": "calm", "1": "glad", "2": "sad"}
DECODERS = {
    "GPT-2": "GPT2", "GPT-NeoX": "GPTNeoX", "OPT": "OPT", "Llama": "Llama", "Mistral": "Mistral",
    "Mixtral": "Mixtral", "Qwen2": "Qwen2", "Qwen3": "Qwen3", "Gemma": "Gemma",
    "Gemma 2": "Gemma2", "Gemma 3": "Gemma3Text", "Phi-3": "Phi3", "BLOOM": "Bloom",
    "GPT-J": "GPTJ",
}  # fmt: skip


def classifier(family: str, stem: str, **more: Any) -> Mapping[str, Any]:
    named = {"architectures": [f"{stem}ForSequenceClassification"], "id2label": LABELS}
    return _TINY[family] | named | {"pad_token_id": 1} | more


@pytest.mark.parametrize(("family", "stem"), DECODERS.items())
def test_a_decoder_judges_its_last_real_token(build: Build, family: str, stem: str) -> None:
    case = build(classifier(family, stem))
    assert case.spec.heads.classes is not None
    assert case.spec.heads.classes.labels == ("calm", "glad", "sad")
    ids, _ = case.texts()
    ours, theirs = trace(case.network, ids), reference.ask(case.model, ids)
    assert theirs.heads["classes"].shape == (3,)
    compare(ours, theirs, everything(case))
    for side in ("left", "right"):
        padded = trace(case.network, ids, padded=3, side=side)
        near(padded.heads["classes"], theirs.heads["classes"], f"classes, padded {side}")
    longer = trace(case.network, [*ids, 7], previous=ours)
    again = reference.ask(case.model, [*ids, 7])
    near(longer.heads["classes"], again.heads["classes"], "classes, one token later")


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("bias", [False, True])
def test_modernbert(build: Build, pooling: str, bias: bool) -> None:
    config = classifier(
        "ModernBERT", "ModernBert", classifier_pooling=pooling, classifier_bias=bias
    )
    case = build(config)
    assert case.spec.heads.vocab is None
    ids, _ = case.texts()
    theirs = reference.ask(case.model, ids)
    compare(trace(case.network, ids), theirs, everything(case))
    for side in ("left", "right"):
        padded = trace(case.network, ids, padded=3, side=side)
        near(padded.heads["classes"], theirs.heads["classes"], f"classes, padded {side}")


REREADERS = {
    "BART": ("Bart", (2,)),
    "mBART": ("MBart", (2, 77)),  # the language stands behind the end
    "T5": ("T5", (1,)),
    "mT5": ("MT5", (1,)),
}
"""Family -> stem of its classes, and how a text ends."""


def judging(name: str, build: Build) -> tuple[Case, LoadedModel, list[int]]:
    """(case, the same as a model, a text)."""
    stem, end = REREADERS[name]
    case = build(classifier(name.replace("mT5", "T5"), stem, model_type=stem.lower()))
    model = LoadedModel(name="tiny", source="", spec=case.spec, network=case.network)
    return case, model, [*(i for i in case.texts()[0] if i not in end), *end]


@pytest.mark.parametrize("name", REREADERS)
def test_an_encoder_decoder_judges_the_text_its_decoder_reads_again(
    build: Build, name: str
) -> None:
    case, model, ids = judging(name, build)
    assert case.spec.heads.classes is not None
    assert case.spec.heads.classes.labels == ("calm", "glad", "sad")
    assert case.spec.heads.vocab is None
    theirs = reference.ask(case.model, ids)
    ours = model.trace(ids=ids)
    assert ours.heads.keys() == {"classes"}
    if name == "mBART":  # the reference's decoder reads the end as well, which nothing looks at
        theirs = Answer(
            hidden={s: h if s == "encoder" else h[:, :-1] for s, h in theirs.hidden.items()},
            patterns={"encoder.self": theirs.patterns["encoder.self"]},
            heads=theirs.heads,
        )
    compare(ours, theirs, everything(case))
    read = ours.tokens["decoder"].ids
    for side in ("left", "right"):
        padded = trace(case.network, ids, read, padded=3, side=side)
        near(padded.heads["classes"], theirs.heads["classes"], f"classes, padded {side}")


@pytest.mark.parametrize("name", REREADERS)
def test_faults_of_a_rereading_judge_show(build: Build, name: str) -> None:
    """Judged one token early, at the start, without the head's tanh, or not read again."""
    _, model, ids = judging(name, build)
    right = model.trace(ids=ids)
    read = list(right.tokens["decoder"].ids)
    head = model.network.heads.classes
    assert head is not None
    states = right.hidden("decoder")[-1]
    plain = head.out(head.dense(states[-1]))
    wrong = {
        "early": model.trace(ids=ids, target_ids=read[:-1]).heads["classes"],
        "at the start": model.trace(ids=ids, target_ids=read[:1]).heads["classes"],
        "not shifted": model.trace(ids=ids, target_ids=read[1:]).heads["classes"],
        "without tanh": plain,
    }
    for fault, found in wrong.items():
        assert (found - right.heads["classes"]).abs().max() > 1e-2, fault


@pytest.mark.parametrize(
    ("family", "name", "held"),
    [
        ("GPT-2", "GPT2ForTokenClassification", "classifier"),
        ("GPT-2", "GPT2ForQuestionAnswering", "question-answering"),
        ("GPT-NeoX", "GPTNeoXForTokenClassification", "classifier"),
        ("GPT-NeoX", "GPTNeoXForQuestionAnswering", "question-answering"),
        ("OPT", "OPTForQuestionAnswering", "question-answering"),
        ("GPT-J", "GPTJForQuestionAnswering", "question-answering"),
        ("BLOOM", "BloomForTokenClassification", "classifier"),
        ("BLOOM", "BloomForQuestionAnswering", "question-answering"),
        ("Llama", "LlamaForTokenClassification", "score"),
        ("Llama", "LlamaForQuestionAnswering", "question-answering"),
        ("Qwen2", "Qwen2ForQuestionAnswering", "question-answering"),
        ("Mistral", "MistralForQuestionAnswering", "question-answering"),
        ("ModernBERT", "ModernBertForTokenClassification", "classifier"),
        ("ModernBERT", "ModernBertForQuestionAnswering", "head.dense"),
        ("T5", "T5ForTokenClassification", "classifier"),
        ("T5", "T5ForQuestionAnswering", "question-answering"),
        ("BART", "BartForQuestionAnswering", "question-answering"),
    ],
)
def test_other_heads_are_told_of_and_the_layers_shown(
    build: Build, family: str, name: str, held: str
) -> None:
    case = build(_TINY[family] | {"architectures": [name]})
    assert case.spec.heads.classes is None
    assert any(held in note for note in case.spec.notes)
    ids, target = case.texts()
    theirs = reference.ask(case.model, ids, target).hidden
    ours = trace(case.network, ids, target).hidden(case.spec.main_stack.name)
    near(ours, list(theirs.values())[-1], "hidden states")


@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("Qwen2", "Qwen2ForTokenClassification"),
        ("Qwen2", "Qwen2ForSequenceClassification"),
        ("Llama", "LlamaForQuestionAnswering"),
        ("GPT-2", "GPT2ForTokenClassification"),
        ("GPT-2", "GPT2ForSequenceClassification"),
        ("OPT", "OPTForQuestionAnswering"),
        ("BLOOM", "BloomForTokenClassification"),
        ("GPT-J", "GPTJForSequenceClassification"),
        ("Gemma", "GemmaForTokenClassification"),
        ("BART", "BartForQuestionAnswering"),
        ("T5", "T5ForQuestionAnswering"),
    ],
)
def test_an_embedding_is_not_taken_for_another_head(build: Build, family: str, name: str) -> None:
    """Classes without one say nothing of the next token, also where matrices would be tied."""
    case = build(_TINY[family] | {"architectures": [name], "tie_word_embeddings": True})
    assert case.spec.heads.vocab is None
    ids, target = case.texts()
    assert "vocab" not in trace(case.network, ids, target).heads


def test_a_bare_model_keeps_the_embedding_as_its_head(build: Build) -> None:
    """Files of GPT-2 were saved from it, with the matrix of words that is meant."""
    case = build(_TINY["GPT-2"] | {"architectures": ["GPT2Model"]})
    assert case.spec.heads.vocab is not None


def test_classes_of_states_in_another_width_are_told_of(build: Build) -> None:
    """OPT-350m's classifier reads what has been projected out of the layers' width."""
    case = build(classifier("OPT", "OPT", word_embed_proj_dim=20, do_layer_norm_before=False))
    assert case.spec.heads.classes is None
    assert any("score.weight" in note for note in case.spec.notes)
    ids, _ = case.texts()
    theirs = reference.ask(case.model, ids).hidden["decoder"]
    near(trace(case.network, ids).hidden("decoder"), theirs, "hidden states")


def test_the_layers_of_a_text_through_the_head(build: Build) -> None:
    """The last states give what the head itself says."""
    for config in (classifier("GPT-2", "GPT2"), classifier("BERT", "Bert")):
        case = build(config)
        ids, _ = case.texts()
        ours = trace(case.network, ids)
        stack = case.spec.main_stack.name
        found = ours.derive.project_text(ours.hidden(stack)[-1:], normalise=False)
        torch.testing.assert_close(found["classes"][0], ours.heads["classes"])

"""A head is there when its tensors are; nothing is ever drawn at random in place of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from safetensors.torch import load_file

from core.errors import RequestError
from tests.core.checkpoints.conftest import IDS, Saved, load, logits
from tests.core.families.conftest import trace

Copy = Callable[[str], Saved]
TARGET = IDS[:9]


def head_over_state(found: Saved, output: str) -> torch.Tensor:
    """Our logits divided by (last decoder state · headᵀ), element by element."""
    ours = trace(load(found.folder).network, IDS[:12], TARGET)
    matrix = load_file(found.weights)[output]
    return ours.logits / (ours.hidden("decoder")[-1] @ matrix.T)


def test_t5_scales_the_output_of_a_tied_matrix_only(saved: Copy) -> None:
    old = saved("t5")
    old.configure(lambda c: c.pop("scale_decoder_outputs"))
    assert "lm_head.weight" not in load_file(old.weights)
    torch.testing.assert_close(
        head_over_state(old, "shared.weight"),
        torch.tensor(32**-0.5).expand(9, 99),
        rtol=1e-3,
        atol=1e-4,
    )


@pytest.mark.parametrize("spelling", ["transformers 4", "transformers 5"])
def test_t5_v1_1_uses_the_head_of_the_file(saved: Copy, spelling: str) -> None:
    new = saved("t5 v1.1")
    different = torch.randn(99, 32, generator=torch.Generator().manual_seed(3))
    new.rewrite(lambda tensors: tensors | {"lm_head.weight": different})

    def respell(config: dict[str, object]) -> None:
        if spelling == "transformers 4":
            config.pop("scale_decoder_outputs")
            config["tie_word_embeddings"] = False
        else:
            assert config["tie_word_embeddings"] is True
            assert config["scale_decoder_outputs"] is False

    new.configure(respell)
    torch.testing.assert_close(
        head_over_state(new, "lm_head.weight"), torch.ones(9, 99), rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("name", ["gpt2", "bert", "llama"])
def test_a_tied_matrix_need_not_be_stored(saved: Copy, name: str) -> None:
    found = saved(name)
    if name == "llama":
        embedding = found.model.model.embed_tokens.weight
        found.rewrite(lambda t: {n: v for n, v in t.items() if n != "lm_head.weight"})
        found.configure(lambda c: c.update(tie_word_embeddings=True))
        expected = trace(load(found.folder).network, IDS).hidden("decoder")[-1] @ embedding.T
    else:
        with torch.no_grad():
            out = found.model(torch.tensor([IDS]))
        expected = out.get("logits", out.get("prediction_logits"))[0]
    keys = load_file(found.weights)
    assert not {"lm_head.weight", "cls.predictions.decoder.weight"} & keys.keys()
    ours = load(found.folder)
    assert "vocab" not in ours.missing
    assert not any("missing" in note or "lacks" in note for note in ours.spec.notes)
    torch.testing.assert_close(logits(ours), expected.detach(), atol=1e-4, rtol=0)


def test_only_the_output_matrix_is_stored(saved: Copy) -> None:
    """Some writers drop the other one of two tied tensors."""
    found = saved("llama")
    found.configure(lambda c: c.update(tie_word_embeddings=True))
    found.rewrite(lambda t: {n: v for n, v in t.items() if n != "model.embed_tokens.weight"})
    network = load(found.folder).network
    table = load_file(found.weights)["lm_head.weight"]
    assert torch.equal(network.decoder.embedding.token.weight, table)


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("bert bare", "cls.predictions.bias"),
        ("bert classes", "cls.predictions.transform.dense.weight"),
        ("llama", "lm_head.weight"),
        ("discriminator", "generator_predictions.dense.weight"),
    ],
)
def test_without_a_vocabulary_head(saved: Copy, name: str, lost: str) -> None:
    found = saved(name)
    if name == "llama":
        found.rewrite(lambda t: {n: v for n, v in t.items() if n != "lm_head.weight"})
    first, second = load(found.folder), load(found.folder)
    assert first.spec.heads.vocab is None
    assert lost in first.missing["vocab"]
    assert found.weights.name in first.missing["vocab"]
    for (key, a), (_, b) in zip(
        first.network.named_parameters(), second.network.named_parameters(), strict=True
    ):
        assert torch.equal(a, b), key
    once, twice = trace(first.network, IDS), trace(second.network, IDS)
    stack = first.spec.main_stack.name
    assert torch.equal(once.hidden(stack), twice.hidden(stack))
    why = re.escape(first.missing["vocab"])
    with pytest.raises(RequestError, match=why):
        _ = once.logits
    with pytest.raises(RequestError, match=why):
        once.logits_at(-1)


def test_a_discriminator_finds_replaced_tokens(saved: Copy) -> None:
    found = saved("discriminator")
    loaded = load(found.folder)
    assert "ELECTRA" in loaded.spec.family
    assert "has no vocabulary head" in loaded.missing["vocab"]
    with torch.no_grad():
        expected = found.model(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(
        trace(loaded.network, IDS).heads["replaced"], expected, atol=1e-4, rtol=0
    )


def test_class_names(saved: Copy) -> None:
    found = load(saved("bert classes").folder)
    assert found.spec.heads.classes is not None
    assert found.spec.heads.classes.labels == ("calm", "glad", "sad")
    assert "pair" in found.missing


def test_a_classifier_of_tokens_is_not_taken_for_one_of_sentences(saved: Copy) -> None:
    found = saved("bert classes")
    found.configure(lambda c: c.update(architectures=["BertForTokenClassification"]))
    loaded = load(found.folder)
    assert loaded.spec.heads.classes is None
    assert any("classifier.weight" in note for note in loaded.spec.notes)

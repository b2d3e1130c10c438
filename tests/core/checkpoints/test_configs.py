"""Configurations of transformers 3, 4 and 5 mean the same; what is not understood is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.errors import UnsupportedModel
from core.layers.rotary_scaling import scaled_frequencies
from core.spec import RotaryPositions
from tests.core.checkpoints.conftest import IDS, Saved, load, logits

Copy = Callable[[str], Saved]


def rope(config: dict[str, Any], **parts: Any) -> None:
    for key in ("rope_parameters", "rope_theta", "rope_scaling"):
        config.pop(key, None)
    config.update(parts)


def test_both_spellings_of_the_rotary_base(saved: Copy) -> None:
    llama = saved("llama")
    with torch.no_grad():
        expected = llama.model(torch.tensor([IDS])).logits[0]
    for parts in (
        {"rope_theta": 500000.0},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}},
        {"rope_theta": 500000, "rope_scaling": None},
    ):
        llama.configure(lambda config, parts=parts: rope(config, **parts))
        found = load(llama.folder)
        where = found.spec.decoder.blocks[0].attention.positions
        assert isinstance(where, RotaryPositions)
        frequencies, _ = scaled_frequencies(where, 48)
        wanted = torch.tensor([1, 0.0376060, 0.00141421, 5.3183e-5])
        torch.testing.assert_close(frequencies, wanted, rtol=1e-4, atol=0)
        torch.testing.assert_close(logits(found), expected, atol=1e-4, rtol=0)
        assert not any("rope_theta" in note for note in found.spec.notes)


def test_a_rotary_base_that_is_not_stated(saved: Copy) -> None:
    llama = saved("llama")
    llama.configure(rope)
    found = load(llama.folder)
    assert found.spec.decoder.blocks[0].attention.positions.theta == 10000.0
    assert any("rope_theta" in note and "10000" in note for note in found.spec.notes)
    with torch.no_grad():
        stated = llama.model(torch.tensor([IDS])).logits[0]
    assert (logits(found) - stated).abs().max() > 1e-2


@pytest.mark.parametrize("key", ["type", "rope_type"])
@pytest.mark.parametrize("place", ["rope_scaling", "rope_parameters"])
def test_an_unknown_kind_of_rotation_is_refused(saved: Copy, place: str, key: str) -> None:
    llama = saved("llama")
    llama.configure(lambda c: rope(c, **{place: {key: "spiral", "factor": 2.0}}))
    with pytest.raises(UnsupportedModel, match=r"'spiral'.*supported are default, linear"):
        load(llama.folder)


def test_an_unknown_activation_is_refused(saved: Copy) -> None:
    llama = saved("llama")
    llama.configure(lambda c: c.update(hidden_act="wobble"))
    with pytest.raises(UnsupportedModel, match="hidden_act to 'wobble'"):
        load(llama.folder)


@pytest.mark.parametrize(
    ("key", "value"), [("is_decoder", True), ("position_embedding_type", "relative_key")]
)
def test_a_variant_of_bert_is_refused(saved: Copy, key: str, value: object) -> None:
    bert = saved("bert")
    bert.configure(lambda c: c.update({key: value}))
    with pytest.raises(UnsupportedModel, match=key):
        load(bert.folder)


@pytest.mark.parametrize("stored", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
def test_half_precision_is_computed_in_single(saved: Copy, key: str, stored: torch.dtype) -> None:
    llama = saved("llama")
    llama.rewrite(lambda tensors: {n: t.to(stored) for n, t in tensors.items()})
    short = str(stored).removeprefix("torch.")

    def respell(config: dict[str, Any]) -> None:
        config.pop("dtype", None)
        config[key] = short

    llama.configure(respell)
    found = load(llama.folder)
    assert found.spec.dtype == short
    assert {p.dtype for p in found.network.parameters()} == {torch.float32}
    from tests.core.families import reference

    same = reference.make(llama.config | {"dtype": "float32"})
    rounded = {n: p.to(stored).float() for n, p in llama.model.state_dict().items()}
    same.load_state_dict(rounded)
    with torch.no_grad():
        expected = same(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(logits(found), expected, atol=1e-4, rtol=0)
    network = found.network
    from tests.core.families.conftest import trace

    rows = trace(network, IDS).pattern("decoder.self", 1).sum(-1)
    assert (rows - 1).abs().max() <= 1e-5


def test_heads_of_a_size_of_their_own(saved: Copy) -> None:
    found = load(saved("qwen3").folder)
    attention = found.spec.decoder.blocks[0].attention
    assert (attention.heads, attention.kv_heads, attention.group) == (4, 2, 2)
    assert attention.score_scale == 1 / 4
    brick = found.network.decoder.blocks[0].attention
    assert brick.q.weight.shape == (64, 40)
    assert brick.out.weight.shape == (40, 64)
    assert brick.q_norm.weight.shape == (16,)

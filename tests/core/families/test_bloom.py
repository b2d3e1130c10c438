"""BLOOM: distances in place of positions, beside padding, in half precision and as it was saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core import load_model
from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.errors import CoreError
from core.families import bloom
from core.layers import positions
from core.loaded import LoadedModel
from core.masks import choose
from core.request import DecodeRequest, RunRequest
from core.spec import AlibiPositions
from core.tokens import Tokens
from tests.core.families import reference
from tests.core.families.conftest import Build, trace
from tests.core.families.test_parity import compare, everything, near

POWER, NO_POWER = (dict(tiny) for tiny in bloom.FAMILY.tiny)
TINY = [pytest.param(POWER, id="4 heads"), pytest.param(NO_POWER, id="6 heads")]
IDS = [(7 * i) % 80 + 5 for i in range(20)]
OLD = {
    "apply_residual_connection_post_layernorm": False, "attention_dropout": 0.0,
    "attention_softmax_in_fp32": True, "architectures": ["BloomForCausalLM"], "bos_token_id": 1,
    "eos_token_id": 2, "pad_token_id": 3, "unk_token_id": 0, "hidden_dropout": 0.0,
    "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "masked_softmax_fusion": True,
    "model_type": "bloom", "n_embed": 1024, "n_inner": None, "n_layer": 24,
    "num_attention_heads": 16, "offset_alibi": 100, "pretraining_tp": 1, "seq_length": 2048,
    "skip_bias_add": True, "skip_bias_add_qkv": False, "use_cache": True, "vocab_size": 250880,
    "slow_but_exact": False,
}  # fmt: skip
"""As BLOOM-560m states itself."""


def test_as_it_was_written_at_first() -> None:
    spec = describe(Config(OLD))
    assert spec.decoder is not None
    assert (spec.decoder.layers, spec.decoder.d_model) == (24, 1024)
    assert spec.decoder.max_positions is None  # seq_length is that of its training
    attention, feedforward = spec.decoder.blocks[0].attention, spec.decoder.blocks[0].feedforward
    assert (attention.heads, attention.d_head) == (16, 64)
    assert attention.positions == AlibiPositions()
    assert (feedforward.d_ff, feedforward.activation) == (4096, "gelu_tanh")
    assert (spec.special.pad, spec.special.end) == (3, (2,))
    assert spec.notes == ()


@pytest.mark.parametrize(
    "said",
    [
        {"hidden_size": 64, "n_embed": 32, "n_head": 4, "num_attention_heads": 2},
        {"n_layer": 3, "num_hidden_layers": 2, "n_head": 2, "hidden_size": 32},
    ],
)
def test_of_two_spellings_the_reference_s_choice_counts(said: dict[str, Any]) -> None:
    from transformers import BloomConfig

    values = {"model_type": "bloom", "vocab_size": 99, "n_layer": 3} | said
    found, theirs = describe(Config(values)).main_stack, BloomConfig(**values)
    assert found.d_model == theirs.hidden_size
    assert found.layers == theirs.n_layer
    assert found.blocks[0].attention.heads == theirs.n_head


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {"apply_residual_connection_post_layernorm": True},
            "sets apply_residual_connection_post_layernorm to True; supported is False",
        ),
        ({"slow_but_exact": True, "pretraining_tp": 2}, "sets slow_but_exact to true beside"),
        ({"n_head": 5}, "divides a width of 32 among 5 heads"),
    ],
)
def test_what_is_not_computed_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(CoreError, match=words):
        describe(Config(POWER | said))
    describe(Config(POWER | {"slow_but_exact": True, "pretraining_tp": 1}))


@pytest.mark.parametrize("config", TINY)
@pytest.mark.parametrize("side", ["left", "right"])
def test_as_the_reference_beside_padding(build: Build, config: dict[str, Any], side: str) -> None:
    """Which counts the tokens of the attention mask, so that pads take no place."""
    case = build(config)
    pads, flags = [1] * 5, [True] * 5 + [False] * len(IDS)
    left = side == "left"
    real = slice(5, None) if left else slice(0, len(IDS))
    ids, padding = (pads + IDS, flags) if left else (IDS + pads, flags[::-1])
    theirs = reference.ask(case.model, ids, padding=padding)
    ours = trace(case.network, IDS, padded=5, side=side)
    compare(ours, theirs, {"decoder": real})


@pytest.mark.parametrize("config", TINY)
def test_decoding_behind_left_padding_is_the_reference_s(
    build: Build, config: dict[str, Any]
) -> None:
    case = build(config | {"eos_token_id": None})
    prompt = Tokens.of_ids(IDS[:6]).padded(9, pad=1, piece="[PAD]", side="left")
    seen = torch.tensor([[0] * 3 + [1] * 6])
    theirs = case.model.generate(
        torch.tensor([prompt.ids]), attention_mask=seen, max_new_tokens=12, do_sample=False,
        use_cache=True, output_logits=True, return_dict_in_generate=True,
    )  # fmt: skip
    model = LoadedModel(name="tiny", source="", spec=case.spec, network=case.network)
    run = model.decoding(DecodeRequest(run=RunRequest(source=prompt), max_new_tokens=12))
    steps = [run.step() for _ in range(12)]
    assert [step.token for step in steps] == theirs.sequences[0, 9:].tolist()
    for step, logits in zip(steps, theirs.logits, strict=True):
        near(step.logits, logits[0], "logits of a step")


def test_a_long_text_has_no_end(build: Build) -> None:
    case = build(POWER | {"seq_length": 16})
    ids = [(11 * i) % 90 + 5 for i in range(150)]
    compare(trace(case.network, ids), reference.ask(case.model, ids), everything(case))


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 9, 12])
def test_other_numbers_of_heads(build: Build, heads: int) -> None:
    case = build(POWER | {"hidden_size": 4 * heads, "n_head": heads})
    compare(trace(case.network, IDS), reference.ask(case.model, IDS), everything(case))


Slopes = Callable[[int], list[float]]
right: Slopes = positions.alibi_slopes
FAULTS: dict[str, Slopes] = {
    "of as many heads as the next power of two": lambda heads: right(8)[:heads],
    "one step late": lambda heads: [slope / 2 for slope in right(heads)],
    "the finer ones in the wrong order": lambda heads: [*right(heads)[:4], *right(heads)[:3:-1]],
    "the other way": lambda heads: [-slope for slope in right(heads)],
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_slopes_show(build: Build, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    case = build(NO_POWER)
    theirs = reference.ask(case.model, IDS)
    compare(trace(case.network, IDS), theirs, everything(case))
    monkeypatch.setattr(positions, "alibi_slopes", FAULTS[fault])
    wrong = trace(case.network, IDS)
    assert (wrong.logits - theirs.heads["vocab"]).abs().max() > 1e-2


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_a_file_of_half_precision(tmp_path: Path, kind: torch.dtype) -> None:
    """The numbers in the file are computed with in float32, as the reference does when told so."""
    model = reference.make(NO_POWER).to(kind)
    folder = reference.save(model, tmp_path)
    loaded = load_model(folder)
    assert loaded.spec.dtype == str(kind).removeprefix("torch.")
    ours = trace(loaded.network, IDS)
    theirs = reference.ask(model.float(), IDS)
    compare(ours, theirs, {"decoder": slice(None)})
    halved = load_model(folder, dtype=str(kind).removeprefix("torch."))
    again = trace(halved.network, IDS)
    for layer, pattern in enumerate(theirs.patterns["decoder.self"]):
        assert (again.pattern("decoder.self", layer) - pattern).abs().max() < 0.2


def test_a_bare_model_without_a_wrapper(tmp_path: Path) -> None:
    """As BLOOM's files on the Hub are: names begin with the layers, the class says CausalLM."""
    from transformers import BloomForCausalLM, BloomModel

    config = NO_POWER | {"architectures": ["BloomModel"]}
    model = reference.make(config)
    assert isinstance(model, BloomModel)
    folder = reference.save(model, tmp_path)
    whole = BloomForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    loaded = load_model(folder)
    assert loaded.spec.heads.vocab is not None
    assert loaded.spec.heads.vocab.tied
    compare(trace(loaded.network, IDS), reference.ask(whole, IDS), {"decoder": slice(None)})


def test_every_layer_has_the_same_slopes_and_rows_end_at_nothing(build: Build) -> None:
    """The scores less the scaled products are slope · (key - query), 0 for the token itself."""
    case = build(NO_POWER)
    found = trace(case.network, IDS)
    place = torch.arange(len(IDS))
    bias = torch.tensor(right(6))[:, None, None] * (place[None, :] - place[:, None])
    for layer in range(3):
        q, k = found[f"decoder.{layer}.self.q"], found[f"decoder.{layer}.self.k"]
        rest = found.scores("decoder.self", layer) - q @ k.transpose(-1, -2) / 6**0.5
        near(rest, bias, f"bias of layer {layer}")


def test_masks_that_look_ahead_are_the_reference_s(build: Build) -> None:
    """Later keys gain what earlier ones lose: distances are not taken as absolute."""
    case = build(NO_POWER | {"is_causal": False})
    theirs = reference.ask(case.model, IDS)
    compare(trace(case.network, IDS), theirs, everything(case))
    stack = case.spec.decoder
    assert stack is not None
    causal = [
        replace(block, attention=replace(block.attention, causal=True)) for block in stack.blocks
    ]
    made = type(case.network)(replace(case.spec, decoder=replace(stack, blocks=tuple(causal))))
    made.load_state_dict(case.network.state_dict())
    opened = (("decoder.self", choose("bidirectional")),)
    compare(trace(made.eval(), IDS, masks=opened), theirs, everything(case))

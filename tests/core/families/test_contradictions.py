"""Configurations that say a thing twice, or what their family does not read: as the reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckpointError, CoreError, UnsupportedModel
from core.families import families
from tests.core.families import reference
from tests.core.families.conftest import TINY
from tests.core.families.written import TINY as _TINY
from tests.core.families.written import as_written, described

LLAMA, PHI3, NEOX = _TINY["Llama"], _TINY["Phi-3"], _TINY["GPT-NeoX"]
T5, DEBERTA = _TINY["T5"], _TINY["DeBERTa-v2"]
GEMMA, GEMMA3, MODERNBERT = _TINY["Gemma"], _TINY["Gemma 3"], _TINY["ModernBERT"]
TURNED = {"rope_type": "default", "rope_theta": 500.0}
LINEAR = {"type": "linear", "factor": 2.0}
NESTED = {
    "full_attention": {"rope_type": "default"},
    "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
}
NEOX_12 = NEOX | {"hidden_size": 24, "num_attention_heads": 2}

CASES: dict[str, tuple[Mapping[str, Any], str | None]] = {
    "rope_scaling beside rope_parameters": (
        LLAMA | {"rope_parameters": TURNED, "rope_scaling": LINEAR},
        "holds both",
    ),
    "rope_scaling beside nested rope_parameters": (
        GEMMA3 | {"rope_parameters": NESTED, "rope_scaling": LINEAR},
        None,
    ),
    "rope_scaling for both kinds of layers": (
        MODERNBERT | {"rope_parameters": NESTED, "rope_scaling": LINEAR},
        None,
    ),
    "one rope_parameters for two kinds of layers": (
        GEMMA3 | {"rope_parameters": TURNED | LINEAR},
        "one rope_parameters for all layers",
    ),
    "a part of the head in Llama": (
        LLAMA | {"rope_parameters": TURNED | {"partial_rotary_factor": 0.6}},
        "partial_rotary_factor",
    ),
    "a part of the head in Llama, beside": (
        LLAMA | {"partial_rotary_factor": 0.6},
        "partial_rotary_factor",
    ),
    "a part of the head in Phi-3": (
        PHI3 | {"rope_parameters": TURNED | {"partial_rotary_factor": 0.5}},
        None,
    ),
    "a part of the head in GPT-NeoX": (NEOX | {"partial_rotary_factor": 0.5}, None),
    "an odd part of the head": (NEOX_12, None),
    "an odd part of the head, stretched": (NEOX_12 | {"rope_scaling": LINEAR}, None),
    "a cap that Gemma 3 does not read": (
        GEMMA3 | {"attn_logit_softcapping": 0.5},
        "attn_logit_softcapping",
    ),
    **{
        f"biases that {name} does not read": (
            _TINY[name]
            | {"mlp_bias": True}
            | ({} if name == "Qwen3" else {"attention_bias": True}),
            None,
        )
        for name in ("Mistral", "Mixtral", "Qwen2", "Qwen3", "Phi-3")
    },
    "as many distances as the buckets reach": (
        DEBERTA | {"position_buckets": 6, "max_relative_positions": 5},
        None,
    ),
    "no distances to speak of": (
        DEBERTA | {"position_buckets": 6, "max_relative_positions": 1},
        None,
    ),
    "fewer experts in the open groups than run": (
        dict(next(f for f in families() if f.name == "DeepSeek").tiny[1]) | {"topk_group": 1},
        None,
    ),
    "two activations in Gemma": (
        GEMMA | {"hidden_activation": "relu", "hidden_act": "gelu_pytorch_tanh"},
        None,
    ),
    "two activations in Gemma 2": (
        _TINY["Gemma 2"] | {"hidden_activation": "relu", "hidden_act": "gelu_pytorch_tanh"},
        None,
    ),
    "T5's activation under its newer key": (T5 | {"dense_act_fn": "gelu_new"}, None),
    "two activations in T5": (
        T5 | {"feed_forward_proj": "relu", "dense_act_fn": "silu", "is_gated_act": False},
        None,
    ),
    "two activations in T5, gated": (
        T5 | {"feed_forward_proj": "gated-gelu", "dense_act_fn": "relu"},
        None,
    ),
    "a T5 that says elsewhere that it is gated": (
        T5 | {"feed_forward_proj": "relu", "is_gated_act": True},
        None,
    ),
    "a gated GELU of T5 that is not": (
        T5 | {"feed_forward_proj": "gated-gelu", "is_gated_act": False},
        None,
    ),
    "two windows in ModernBERT": (MODERNBERT | {"sliding_window": 2}, None),
    "a window of nothing in ModernBERT": (MODERNBERT | {"sliding_window": 0}, None),
    "the base under a key that GPT-NeoX does not read": (
        NEOX | {"rope_theta": 300.0, "rotary_pct": 0.5},
        "no rotary_emb_base",
    ),
    "GPT-NeoX's own key for the base": (NEOX | {"rotary_emb_base": 300, "rope_theta": 9.0}, None),
    "a norm of distances without distances": (
        DEBERTA | {"relative_attention": False, "position_biased_input": True},
        None,
    ),
    "a factor of null, which is the ratio of the lengths": (
        LLAMA
        | {
            "max_position_embeddings": 64,
            "rope_parameters": {
                "rope_type": "yarn",
                "factor": None,
                "original_max_position_embeddings": 16,
            },
        },
        None,
    ),
    "two lengths before the stretch, of which the outer one counts": (
        LLAMA
        | {
            "original_max_position_embeddings": 40,
            "rope_parameters": {
                "rope_type": "longrope",
                "factor": 2.0,
                "short_factor": [1.0, 1.5, 2.0, 2.5],
                "long_factor": [4.0, 3.0, 2.0, 1.0],
                "original_max_position_embeddings": 4,
            },
        },
        None,
    ),
    "a base that grows in some of the layers": (
        GEMMA3
        | {
            "max_position_embeddings": 16,
            "rope_scaling": {"rope_type": "dynamic", "factor": 2.0},
        },
        None,
    ),
}


@pytest.mark.parametrize(("config", "note"), CASES.values(), ids=CASES)
def test_as_the_reference_reads_it(
    tmp_path: Path, config: Mapping[str, Any], note: str | None
) -> None:
    """The configuration as it was written: what the reference saves no longer says things twice."""
    case = as_written(config, tmp_path)
    assert note is None or any(note in said for said in case.spec.notes)


@pytest.mark.parametrize("config", TINY)
def test_what_is_not_stated(tmp_path: Path, config: Mapping[str, Any]) -> None:
    """Defaults are the reference's, which writes all of them into what it saves."""
    as_written(config, tmp_path)


def test_a_window_that_is_not_stated() -> None:
    mistral = {key: value for key, value in _TINY["Mistral"].items() if key != "sliding_window"}
    assert described(mistral).main_stack.blocks[0].attention.window == 4096
    nothing = described(mistral | {"sliding_window": None})
    assert nothing.main_stack.blocks[0].attention.window is None


@pytest.mark.parametrize(
    ("rope", "kind", "words"),
    [
        ({"rope_type": "linear", "factor": 0}, CheckpointError, "factor is 0"),
        ({"rope_type": "linear", "factor": "2"}, CheckpointError, "factor is '2'"),
        ({"rope_type": "linear", "factor": -2.0}, CheckpointError, "factor is -2.0"),
        ({"rope_type": "linear", "factor": True}, CheckpointError, "factor is True"),
        ({"rope_type": "default", "rope_theta": 0}, CheckpointError, "rope_theta is 0"),
        ({"rope_type": "yarn", "factor": 2.0, "beta_fast": "x"}, CheckpointError, "beta_fast"),
        ({"rope_type": "yarn", "factor": 2.0, "rope_theta": 1}, CheckpointError, "no rotation"),
        (
            {"rope_type": "longrope", "factor": 2.0, "short_factor": [1.0], "long_factor": [1.0]},
            CheckpointError,
            "no rotation of 8",
        ),
        (LINEAR | {"partial_rotary_factor": 0.5}, UnsupportedModel, "partial_rotary_factor"),
    ],
)
def test_numbers_that_give_no_rotation(
    rope: Mapping[str, Any], kind: type[CoreError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        described(LLAMA | {"rope_parameters": rope})


def test_one_bucket_holds_no_distances() -> None:
    with pytest.raises(CheckpointError, match="position_buckets is 1; it must be at least 2"):
        described(DEBERTA | {"position_buckets": 1})


ONE = [1.0] * 4


@pytest.mark.parametrize(
    ("rope", "absent"),
    [
        ({"rope_type": "linear"}, "no factor"),
        ({"rope_type": "dynamic"}, "no factor"),
        ({"rope_type": "yarn"}, "no factor"),
        ({"rope_type": "yarn", "original_max_position_embeddings": 16}, "no factor"),
        ({"rope_type": "llama3"}, "no factor and no low_freq_factor and no high_freq_factor"),
        ({"rope_type": "llama3", "factor": 8.0}, "no low_freq_factor and no high_freq_factor"),
        ({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0}, "no high_freq_factor"),
        ({"rope_type": "longrope", "short_factor": ONE}, "no long_factor"),
    ],
)
def test_a_stretch_without_its_numbers(rope: Mapping[str, Any], absent: str) -> None:
    """Both refuse it: nothing is assumed."""
    config = LLAMA | {"rope_parameters": rope}
    with pytest.raises(CheckpointError, match=f"needs .*; there is {absent}$"):
        described(config)
    with pytest.raises(KeyError, match="Missing required keys"):
        reference.make(config)


@pytest.mark.parametrize("name", ["Gemma", "Gemma 2", "Gemma 3"])
def test_a_gemma_that_looks_both_ways(name: str) -> None:
    """In the reference it depends on how attention is computed whether it does."""
    said = {"use_bidirectional_attention": True}
    with pytest.raises(UnsupportedModel, match="use_bidirectional_attention to True"):
        described(_TINY[name] | said)
    for false in (False, None):
        described(_TINY[name] | {"use_bidirectional_attention": false})


@pytest.mark.parametrize("share", [0, 1.5, "half"])
def test_a_share_that_no_head_has(share: object) -> None:
    with pytest.raises(CheckpointError, match=r"rotary_pct|cannot turn"):
        described(NEOX | {"rotary_pct": share})


def test_a_whole_head_of_odd_width() -> None:
    with pytest.raises(CheckpointError, match="cannot turn in pairs"):
        described(LLAMA | {"head_dim": 9})


@pytest.mark.parametrize("eps", ["1e-6", -1e-6, None])
def test_the_constant_of_a_norm(eps: object) -> None:
    if eps is None:
        assert described(LLAMA | {"rms_norm_eps": eps}).main_stack.blocks[0].norm.eps == 1e-6
        return
    with pytest.raises(CheckpointError, match="rms_norm_eps is"):
        described(LLAMA | {"rms_norm_eps": eps})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("T5ForConditionalGeneration", {"is_encoder_decoder": False}),
        ("T5Model", {"is_encoder_decoder": False}),
        ("T5EncoderModel", {"is_decoder": True}),
    ],
)
def test_a_t5_that_is_the_other_kind(name: str, says: Mapping[str, Any]) -> None:
    """The reference's decoder would look at nothing, and its encoder never ahead."""
    with pytest.raises(UnsupportedModel, match=f"sets {min(says)} to {min(says.values())}"):
        described(T5 | {"architectures": [name]} | says)

"""What stands for a key that is absent, null, or written under another name: as the reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckpointError
from core.families import families
from core.spec import RotaryPositions
from tests.core.families.written import TINY, as_written, described

LONGEST = {
    "Llama": 2048,
    "Mistral": 131_072,
    "Mixtral": 131_072,
    "Qwen2": 32_768,
    "Qwen3": 32_768,
    "Gemma": 8192,
    "Gemma 2": 8192,
    "GPT-NeoX": 2048,
}
YARN = {"type": "yarn", "factor": 4.0}
LONGROPE = {
    "type": "longrope",
    "short_factor": [1.0, 1.1, 1.3, 1.7],
    "long_factor": [1.2, 2.0, 3.1, 4.0],
}
DEEPSEEK3 = dict(next(f for f in families() if f.name == "DeepSeek").tiny[2])
PHI3: dict[str, Any] = TINY["Phi-3"] | {"sliding_window": None, "partial_rotary_factor": 1.0}


def without(config: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in keys}


@pytest.mark.parametrize("name", LONGEST)
def test_a_stretch_of_a_length_that_is_not_stated(tmp_path: Path, name: str) -> None:
    config = without(TINY[name], "max_position_embeddings") | {"rope_scaling": YARN}
    if name == "Mixtral":  # which in the reference cannot stretch without it
        config["head_dim"] = 8
    case = as_written(config, tmp_path)
    where = case.spec.main_stack.blocks[0].attention.positions
    assert isinstance(where, RotaryPositions)
    assert where.scaling is not None
    assert where.scaling.original_size == LONGEST[name]


def test_the_length_that_gemma_3_and_deepseek_have(tmp_path: Path) -> None:
    nested = {"full_attention": YARN, "sliding_attention": {"rope_type": "default"}}
    gemma = without(TINY["Gemma 3"], "max_position_embeddings") | {"rope_parameters": nested}
    as_written(gemma, tmp_path / "gemma")
    deepseek = without(DEEPSEEK3, "max_position_embeddings")
    as_written(deepseek | {"rope_scaling": YARN}, tmp_path / "deepseek")
    second = TINY["DeepSeek"] | {"rope_scaling": YARN}
    as_written(without(second, "max_position_embeddings"), tmp_path / "second")


@pytest.mark.parametrize(
    "said",
    [
        {"rope_scaling": LONGROPE},
        {"rope_scaling": LONGROPE | {"original_max_position_embeddings": 8}},
        {"rope_scaling": LONGROPE, "original_max_position_embeddings": 16},
        {"rope_scaling": LONGROPE | {"factor": 3.0}},
    ],
)
@pytest.mark.parametrize("longest", [32, 131_072, None])
def test_the_length_that_phi_3_was_trained_on(
    tmp_path: Path, said: dict[str, Any], longest: int | None
) -> None:
    """Its class has one, which counts even before one that stands beside the factors."""
    config = without(PHI3, "max_position_embeddings") | said
    as_written(config | ({} if longest is None else {"max_position_embeddings": longest}), tmp_path)


GENERAL = {
    "GPT-2": ("hidden_size:n_embd", "num_attention_heads:n_head", "num_hidden_layers:n_layer",
              "max_position_embeddings:n_positions"),
    "GPT-J": ("hidden_size:n_embd", "num_attention_heads:n_head", "num_hidden_layers:n_layer",
              "max_position_embeddings:n_positions"),
    "DistilBERT": ("hidden_size:dim", "num_attention_heads:n_heads", "num_hidden_layers:n_layers"),
    "BLOOM": ("num_attention_heads:n_head", "num_hidden_layers:n_layer"),
    "T5": ("hidden_size:d_model", "num_attention_heads:num_heads", "num_hidden_layers:num_layers",
           "head_dim:d_kv"),
    "Mixtral": ("num_experts:num_local_experts",),
    "DeepSeek": ("num_experts:n_routed_experts",),
} | dict.fromkeys(
    ("BART", "mBART", "Marian", "Pegasus"),
    ("hidden_size:d_model", "num_attention_heads:encoder_attention_heads",
     "num_hidden_layers:encoder_layers"),
)  # fmt: skip
"""General spellings, which the reference sets over a family's own."""


@pytest.mark.parametrize("name", GENERAL)
def test_the_general_spelling_alone(tmp_path: Path, name: str) -> None:
    config = TINY[name]
    pairs = [tuple(pair.split(":")) for pair in GENERAL[name]]
    values = {general: config.get(general, config.get(own)) for general, own in pairs}
    own_keys = {own for _, own in pairs}
    as_written(without(config, *own_keys) | values, tmp_path)


@pytest.mark.parametrize("name", GENERAL)
def test_of_two_spellings_the_general_one_counts(tmp_path: Path, name: str) -> None:
    config = TINY[name]
    heads = next((pair for pair in GENERAL[name] if "num_att" in pair or "experts" in pair), None)
    assert heads is not None
    general, own = heads.split(":")
    fewer = int(config.get(general, config.get(own, 0))) // 2
    as_written(config | {own: 2 * fewer, general: fewer}, tmp_path)


def test_a_decoder_of_t5_that_is_as_deep_as_its_class_says(tmp_path: Path) -> None:
    config = without(TINY["T5"], "num_layers", "num_decoder_layers") | {"num_hidden_layers": 2}
    case = as_written(config, tmp_path)
    assert [stack.layers for stack in case.spec.stacks] == [2, 6]


def test_an_error_names_the_spelling_that_is_there() -> None:
    with pytest.raises(CheckpointError, match="n_head is 0; it must be"):
        described(TINY["GPT-2"] | {"n_head": 0})
    with pytest.raises(CheckpointError, match="num_attention_heads is 0; it must be"):
        described(TINY["GPT-2"] | {"num_attention_heads": 0})


@pytest.mark.parametrize("key", ["rope_interleave", "norm_topk_prob"])
def test_null_is_false_in_deepseek(tmp_path: Path, key: str) -> None:
    as_written(DEEPSEEK3 | {key: None}, tmp_path)


@pytest.mark.parametrize("tied", [True, False])
def test_null_is_false_for_the_scale_of_t5(tmp_path: Path, tied: bool) -> None:
    said = {"scale_decoder_outputs": None, "tie_word_embeddings": tied}
    case = as_written(TINY["T5"] | said, tmp_path)
    assert case.spec.heads.vocab is not None
    assert case.spec.heads.vocab.scale == 1.0


@pytest.mark.parametrize("name", ["Qwen2", "Qwen3"])
def test_a_window_of_null_is_none(tmp_path: Path, name: str) -> None:
    said = {"use_sliding_window": True, "sliding_window": None, "max_window_layers": 1}
    case = as_written(TINY[name] | said, tmp_path)
    assert all(block.attention.window is None for block in case.spec.main_stack.blocks)


@pytest.mark.parametrize("model_type", ["t5", "mt5"])
def test_a_t5_keeps_its_predictions_whatever_is_said_of_tying(
    tmp_path: Path, model_type: str
) -> None:
    name = "MT5ForConditionalGeneration" if model_type == "mt5" else "T5ForConditionalGeneration"
    said = {"model_type": model_type, "architectures": [name], "tie_word_embeddings": False}
    case = as_written(TINY["T5"] | said, tmp_path)
    assert case.spec.heads.vocab is not None

"""GGUF metadata: read as llama.cpp means it, or refused in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from core import load_model
from core.errors import CheckpointError, UnsupportedModel
from core.families import llama, mistral, qwen2, qwen3
from tests.core.checkpoints.gguf_writing import write
from tests.core.families import reference

IDS = [(7 * i) % 80 + 5 for i in range(30)]
LLAMA = dict(llama.FAMILY.tiny[0])
WIDE = LLAMA | {"head_dim": 32, "rope_theta": 100.0, "max_position_embeddings": 256}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
Value = bool | float | int | str | list[int]


def saying(said: Mapping[str, Value], architecture: str = "llama") -> Callable[[Any], None]:
    """Writes keys of an architecture; floats in 32 bits, as converters do."""

    def describe(writer: gguf.GGUFWriter) -> None:
        for name, value in said.items():
            key = f"{architecture}.{name}"
            if isinstance(value, bool):
                writer.add_bool(key, value)
            elif isinstance(value, float):
                writer.add_float32(key, value)
            elif isinstance(value, int):
                writer.add_uint32(key, value)
            elif isinstance(value, str):
                writer.add_string(key, value)
            else:
                writer.add_array(key, value)

    return describe


def agrees(path: Path, model: Any) -> bool:
    with torch.no_grad():
        logits = model(torch.tensor([IDS])).logits[0]
    return torch.allclose(load_model(path).trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)


def yarn(**more: Value) -> dict[str, Value]:
    return {
        "rope.scaling.type": "yarn",
        "rope.scaling.factor": 4.0,
        "rope.scaling.original_context_length": 64,
        **{f"rope.scaling.{key}": value for key, value in more.items()},
    }


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        (YARN, yarn()),
        (
            YARN | {"beta_fast": 4.0, "beta_slow": 2.0},
            yarn(yarn_beta_fast=4.0, yarn_beta_slow=2.0, yarn_ext_factor=1.0),
        ),
        # What is said here multiplies the magnitude YaRN has without it.
        (YARN | {"attention_factor": 1.5 * (1 + 0.1 * math.log(4))}, yarn(attn_factor=1.5)),
        ({"rope_type": "linear", "factor": 2.5}, {"rope.scale_linear": 2.5}),
        ({"rope_type": "linear", "factor": 2.5}, {"rope.scaling.factor": 2.5}),
        (
            {"rope_type": "linear", "factor": 2.5},
            {
                "rope.scaling.type": "linear",
                "rope.scaling.factor": 2.5,
                "rope.scale_linear": 7.0,
                "rope.scaling.yarn_log_multiplier": 0.0,
            },
        ),
        (None, {"rope.scaling.type": "none", "rope.scaling.factor": 2.5}),
        (None, {"rope.scaling.factor": 0.0, "rope.dimension_count": 32}),
        (None, {"attention.scale": 32**-0.5, "attention.causal": True, "logit_scale": 1.0}),
        (None, {"attention.sliding_window": 256, "attention.value_length": 32}),
    ],
)
def test_what_is_read(
    tmp_path: Path, scaling: dict[str, Any] | None, said: dict[str, Value]
) -> None:
    model = reference.make(WIDE | ({"rope_scaling": scaling} if scaling else {}))
    assert agrees(write(tmp_path / "a.gguf", model, more=saying(said)), model)
    if scaling is not None:
        assert not agrees(write(tmp_path / "b.gguf", model), model)  # or nothing was shown


@pytest.mark.parametrize(("factor", "magnitude"), [(1.0, 1.3), (2.5, 1.3), (2.5, 1.0)])
def test_magnitudes_and_divisors_of_a_linear_rotation(
    tmp_path: Path, factor: float, magnitude: float
) -> None:
    """A factor beside divisors of the frequencies counts as well, and so does a magnitude."""
    divisors = [1.0 + 0.25 * i for i in range(16)]
    scaling = {
        "rope_type": "longrope",
        "short_factor": [factor * divisor for divisor in divisors],
        "long_factor": [factor * divisor for divisor in divisors],
        "factor": 1.0,
        "attention_factor": magnitude,
        "original_max_position_embeddings": 256,
    }
    model = reference.make(WIDE | {"rope_scaling": scaling})
    said: dict[str, Value] = {
        "rope.scaling.factor": factor,
        "rope.scaling.attn_factor": magnitude,
    }

    def describe(writer: gguf.GGUFWriter) -> None:
        saying(said)(writer)
        writer.add_tensor("rope_freqs.weight", np.array(divisors, dtype=np.float32))

    assert agrees(write(tmp_path / "a.gguf", model, more=describe), model)
    plain = dict.fromkeys(("short_factor", "long_factor"), [factor] * 16)
    model = reference.make(WIDE | {"rope_scaling": scaling | plain})
    assert agrees(write(tmp_path / "b.gguf", model, more=saying(said)), model)


def test_a_window_is_mistrals(tmp_path: Path) -> None:
    model = reference.make(dict(mistral.FAMILY.tiny[0]))
    path = write(tmp_path / "a.gguf", model, more=saying({"attention.sliding_window": 4}))
    assert agrees(path, model)
    assert load_model(path).spec.family == "Mistral"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"rope.dimension_count": 4}, "turns 4 of a head's 8 coordinates"),
        ({"attention.value_length": 16}, "values of 16 coordinates and keys of 8"),
        ({"attention.scale": 0.3}, "multiplies scores by 0.3 .* supported is .*, 0.353553"),
        ({"attention.causal": False}, "attention.causal to False; supported is True"),
        ({"attention.sliding_window": [4, 0, 4]}, "one number for all layers"),
        ({"attention.sliding_window_pattern": 2}, "pattern to 2, which is not supported"),
        ({"attn_logit_softcapping": 30.0}, "attn_logit_softcapping to 30.0; supported is 0"),
        ({"logit_scale": 0.5}, "logit_scale to 0.5; supported is 1"),
        ({"rope.scaling.type": "longrope"}, "'longrope'; supported are none, linear and yarn"),
        (yarn(yarn_log_multiplier=1.0), "yarn_log_multiplier to 1.0; supported is 0"),
        (yarn(yarn_attn_factor=1.0), "yarn_attn_factor to 1.0, which is not supported"),
        (yarn(yarn_ext_factor=0.5), "yarn_ext_factor to 0.5 .* yarn; supported is 1"),
        ({"rope.scaling.yarn_ext_factor": 1.0}, "beside the rope.scaling.type linear; .* is 0"),
    ],
)
def test_what_is_refused(tmp_path: Path, said: dict[str, Value], message: str) -> None:
    path = write(tmp_path / "a.gguf", reference.make(LLAMA), more=saying(said))
    with pytest.raises(UnsupportedModel, match=message):
        load_model(path)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"rope.scaling.type": "yarn"}, "yarn without a rope.scaling.factor"),
        ({"rope.scaling.factor": "two"}, "rope.scaling.factor as 'two'; it must be a number"),
        ({"rope.scaling.factor": -2.0}, "rope.scaling.factor as -2.0; it must be a number"),
        ({"attention.value_length": 0}, "attention.value_length as 0; it must be at least 1"),
    ],
)
def test_what_is_no_value(tmp_path: Path, said: dict[str, Value], message: str) -> None:
    path = write(tmp_path / "a.gguf", reference.make(LLAMA), more=saying(said))
    with pytest.raises(CheckpointError, match=message):
        load_model(path)


def test_yarn_beside_divisors_is_refused(tmp_path: Path) -> None:
    def describe(writer: gguf.GGUFWriter) -> None:
        saying(yarn())(writer)
        writer.add_tensor("rope_freqs.weight", np.ones(4, dtype=np.float32))

    path = write(tmp_path / "a.gguf", reference.make(LLAMA), more=describe)
    with pytest.raises(UnsupportedModel, match="yarn beside divisors"):
        load_model(path)


def test_a_window_of_unknown_layers_is_refused(tmp_path: Path) -> None:
    said: dict[str, Value] = {"attention.sliding_window": 4}
    for config, architecture in ((qwen2.FAMILY.tiny[0], "qwen2"), (LLAMA, "llama")):
        model = reference.make(dict(config) | {"attention_bias": True})
        more = saying(said, architecture)
        path = write(tmp_path / "a.gguf", model, architecture=architecture, more=more)
        with pytest.raises(UnsupportedModel, match="window of 4 tokens and does not say"):
            load_model(path)


# --- biases -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "architecture", "lacks"),
    [
        (LLAMA | {"attention_bias": True}, "llama", ()),
        (LLAMA | {"attention_bias": True}, "llama", ("o_proj",)),
        (LLAMA | {"attention_bias": True}, "llama", ("q_proj", "v_proj")),
        (LLAMA | {"mlp_bias": True}, "llama", ()),
        (LLAMA | {"mlp_bias": True, "attention_bias": True}, "llama", ("up_proj", "k_proj")),
        (dict(qwen3.FAMILY.tiny[0]) | {"attention_bias": True}, "qwen3", ("o_proj",)),
    ],
)
def test_biases_of_any_part(
    tmp_path: Path, config: dict[str, Any], architecture: str, lacks: tuple[str, ...]
) -> None:
    """Where the file has none, the model's own is zero."""
    model = reference.make(config)
    state = model.state_dict()
    absent = {name for name in state if name.endswith(tuple(f"{part}.bias" for part in lacks))}
    for name in absent:
        state[name].zero_()
    path = write(tmp_path / "a.gguf", _without(model, absent), architecture=architecture)
    assert agrees(path, model)
    assert any("zeros stand" in note for note in load_model(path).notes) is bool(lacks)


def test_qwen2s_biases_under_llamas_name(tmp_path: Path) -> None:
    model = reference.make(dict(qwen2.FAMILY.tiny[0]) | {"tie_word_embeddings": False})
    path = write(tmp_path / "a.gguf", model)
    assert agrees(path, model)
    assert "attn_output; zeros stand where there is none" in load_model(path).notes[0]


def _without(model: Any, names: set[str]) -> Any:
    """The model as a writer sees it, less some of its tensors."""

    class Part:
        config = model.config

        @staticmethod
        def state_dict() -> dict[str, torch.Tensor]:
            return {name: t for name, t in model.state_dict().items() if name not in names}

    return Part


@pytest.mark.parametrize("name", ["M.GGUF", "m.Gguf"])
def test_a_name_in_capitals(tmp_path: Path, name: str) -> None:
    model = reference.make(LLAMA)
    path = write(tmp_path / name, model)
    assert agrees(path, model)
    assert load_model(tmp_path).name == "Tiny one"

"""What a .gguf file's metadata says about its model, as config.json would have it.

The keys mean what llama.cpp makes of them. One that asks for something no model here does is
refused, never passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.checkpoints.config import Config
from core.errors import CheckpointError, UnsupportedModel

ARCHITECTURES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
"""general.architecture -> model_type. Mistral and SmolLM call themselves llama."""

_PLAIN: Mapping[str, tuple[Any, ...]] = {
    "use_parallel_residual": (False,),
    "swin_norm": (False,),
    "logit_scale": (0, 1),
    "residual_scale": (0, 1),
    "embedding_scale": (0, 1),
    "attn_logit_softcapping": (0,),
    "final_logit_softcapping": (0,),
    "attention.causal": (True,),
    "attention.clamp_kqv": (0,),
    "attention.max_alibi_bias": (0,),
    "attention.output_scale": (0, 1),
    "attention.temperature_length": (0,),
    "attention.temperature_scale": (0,),
    "attention.sliding_window_pattern": (),
    "rope.dimension_sections": (),
    "rope.dimension_count_swa": (),
    "rope.freq_base_swa": (),
    "rope.scaling.alpha": (0,),
    # Its meaning is not the same in all architectures that have it.
    "rope.scaling.yarn_log_multiplier": (0,),
    # Converters write a whole magnitude here, readers multiply by it or pass over it.
    "rope.scaling.yarn_attn_factor": (),
}
"""Keys that change a model in ways not read here -> values that leave it as it is."""

_ATTENTION = ("attn_q", "attn_k", "attn_v", "attn_output")
_FEEDFORWARD = ("ffn_gate", "ffn_up", "ffn_down")
_PART = re.compile(r"blk\.\d+\.(\w+)\.weight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The metadata of one file, and the shapes of its tensors by the names they have there."""

    path: Path
    metadata: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    def said(self, key: str, default: Any = None) -> Any:
        """A value of this architecture's metadata."""
        return self.metadata.get(f"{self.architecture}.{key}", default)

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number from 1 on, the same for all layers."""
        value = self.said(key, default)
        if value is None:
            raise self._lacks(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise UnsupportedModel(
                f"{self.path} gives {key} as {value!r}; supported is one number for all layers"
            )
        if value < 1:
            raise CheckpointError(f"{self.path} gives {key} as {value}; it must be at least 1")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number, not below 0."""
        value = self.said(key, default)
        if value is None:
            raise self._lacks(key)
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or value < 0:
            raise CheckpointError(
                f"{self.path} gives {key} as {value!r}; it must be a number of at least 0"
            )
        return float(value)

    def _lacks(self, key: str) -> CheckpointError:
        return CheckpointError(f"{self.path} has no {self.architecture}.{key}")

    @property
    def d_head(self) -> int:
        heads = self.whole("attention.head_count")
        return self.whole("attention.key_length", max(1, self.whole("embedding_length") // heads))


def config_of(file: Described, divisors: Sequence[float] | None) -> Config:
    """divisors: of the rotary frequencies, [d_head / 2], where the file has them.

    UnsupportedModel for what no model here does, CheckpointError for what is no value at all.
    """
    _refuse(file)
    heads = file.whole("attention.head_count")
    bias, mlp_bias = (_any_bias(file, parts) for parts in (_ATTENTION, _FEEDFORWARD))
    values = {
        "model_type": ARCHITECTURES[file.architecture],
        "vocab_size": _table(file)[0],
        "hidden_size": file.whole("embedding_length"),
        "num_hidden_layers": file.whole("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": file.whole("attention.head_count_kv", heads),
        "head_dim": file.d_head,
        "intermediate_size": file.whole("feed_forward_length"),
        "max_position_embeddings": file.whole("context_length"),
        "rms_norm_eps": file.number("attention.layer_norm_rms_epsilon"),
        "rope_theta": file.number("rope.freq_base", 10000.0),
        "rope_scaling": _scaling(file, divisors),
        "attention_bias": bias,
        "mlp_bias": mlp_bias,
        "tie_word_embeddings": "output.weight" not in file.shapes,
        "eos_token_id": file.metadata.get("tokenizer.ggml.eos_token_id"),
        "pad_token_id": file.metadata.get("tokenizer.ggml.padding_token_id"),
    }
    window = _window(file)
    if window is not None:
        values |= {"model_type": "mistral", "sliding_window": window}
    found = Config(values, file.path)
    zeros = sorted({name.split(".")[2] for name in zero_biases(file)})
    if zeros:
        found.notes.append(
            f"{file.path.name} has biases, but not for all of its {', '.join(zeros)}; "
            "zeros stand where there is none"
        )
    return found


def zero_biases(file: Described) -> dict[str, tuple[int, ...]]:
    """Biases the file lacks where a model has all of a kind or none: name -> shape. A file may
    have any of them, and one of zeros is the same as none."""
    kinds = (_FEEDFORWARD, *(() if file.architecture == "qwen2" else (_ATTENTION,)))
    wanted = {part for parts in kinds if _any_bias(file, parts) for part in parts}
    found: dict[str, tuple[int, ...]] = {}
    for name, shape in file.shapes.items():
        part, bias = _PART.fullmatch(name), f"{name.removesuffix('weight')}bias"
        if part is not None and part[1] in wanted and bias not in file.shapes:
            found[bias] = (shape[0],)
    return found


def _any_bias(file: Described, parts: Sequence[str]) -> bool:
    names = "|".join(parts)
    return any(re.fullmatch(rf"blk\.\d+\.({names})\.bias", name) for name in file.shapes)


def _table(file: Described) -> tuple[int, ...]:
    shape = file.shapes.get("token_embd.weight")
    if shape is None:
        raise CheckpointError(f"{file.path} lacks token_embd.weight")
    if len(shape) != 2:
        raise CheckpointError(
            f"{file.path}: token_embd.weight has the shape {list(shape)}; it must be a matrix"
        )
    return shape


def _refuse(file: Described) -> None:
    for key, allowed in _PLAIN.items():
        value = file.said(key)
        if value is not None and value not in allowed:
            supported = f"; supported is {allowed[-1]}" if allowed else ", which is not supported"
            raise UnsupportedModel(f"{file.path} sets {key} to {value!r}{supported}")
    d_head = file.d_head
    turning = file.whole("rope.dimension_count", d_head)
    if turning != d_head:
        raise UnsupportedModel(
            f"{file.path} turns {turning} of a head's {d_head} coordinates "
            "(rope.dimension_count); supported is that all of them turn"
        )
    if file.whole("attention.value_length", d_head) != d_head:
        raise UnsupportedModel(
            f"{file.path} has values of {file.said('attention.value_length')} coordinates and keys "
            f"of {d_head}; supported is one size for both"
        )
    scale = file.number("attention.scale", 0.0)
    if scale and not math.isclose(scale, d_head**-0.5, rel_tol=1e-5):
        raise UnsupportedModel(
            f"{file.path} multiplies scores by {scale:g} (attention.scale); supported is one over "
            f"the square root of a head's size, {d_head**-0.5:g}"
        )


def _window(file: Described) -> int | None:
    """How many tokens each one sees, where that is not all: Mistral's models are called llama."""
    if file.said("attention.sliding_window", 0) == 0:
        return None
    window = file.whole("attention.sliding_window")
    if window >= file.whole("context_length"):
        return None
    if file.architecture != "llama" or _any_bias(file, (*_ATTENTION, *_FEEDFORWARD)):
        raise UnsupportedModel(
            f"{file.path} has a sliding window of {window} tokens and does not say in which "
            "layers; supported are windows in files of the architecture llama without biases"
        )
    return window


def _scaling(file: Described, divisors: Sequence[float] | None) -> dict[str, Any] | None:
    """How the rotation is stretched. The magnitude is a factor on cos and sin."""
    kind = file.said("rope.scaling.type", "linear")
    if kind not in ("none", "linear", "yarn"):
        raise UnsupportedModel(
            f"{file.path} asks for rope.scaling.type {kind!r}; supported are none, linear and yarn"
        )
    _check_extrapolation(file, kind)
    # The old key counts where the new one is absent, and 0 stands for 1.
    factor = file.number("rope.scaling.factor", file.number("rope.scale_linear", 0.0)) or 1.0
    magnitude = file.number("rope.scaling.attn_factor", 1.0)
    if kind == "yarn":
        return _yarn(file, factor, magnitude, divided=divisors is not None)
    factor = 1.0 if kind == "none" else factor
    if divisors is None and magnitude == 1.0:
        return None if factor == 1.0 else {"rope_type": "linear", "factor": factor}
    # A divisor for each frequency, as Llama 3's scaling is stored, is what longrope has too.
    plain = divisors if divisors is not None else [1.0] * (file.d_head // 2)
    stretched = [factor * divisor for divisor in plain]
    return {
        "rope_type": "longrope",
        "short_factor": stretched,
        "long_factor": stretched,
        "factor": 1.0,
        "attention_factor": magnitude,
        "original_max_position_embeddings": file.whole("context_length"),
    }


def _check_extrapolation(file: Described, kind: str) -> None:
    """UnsupportedModel for a share of YaRN's mixture that is not all or, without YaRN, none."""
    share, usual = file.said("rope.scaling.yarn_ext_factor", -1.0), float(kind == "yarn")
    if not isinstance(share, (int, float)) or (share >= 0 and share != usual):
        raise UnsupportedModel(
            f"{file.path} sets rope.scaling.yarn_ext_factor to {share!r} beside the "
            f"rope.scaling.type {kind}; supported is {usual:g}"
        )


def _yarn(file: Described, factor: float, magnitude: float, *, divided: bool) -> dict[str, Any]:
    if divided:
        raise UnsupportedModel(
            f"{file.path} asks for rope.scaling.type yarn beside divisors of the frequencies "
            "(rope_freqs.weight); supported is one of them"
        )
    if file.said("rope.scaling.factor") is None:
        raise CheckpointError(
            f"{file.path} asks for rope.scaling.type yarn without a rope.scaling.factor"
        )
    original = file.said("rope.scaling.original_context_length") or file.whole("context_length")
    found = {
        "rope_type": "yarn",
        "factor": factor,
        "original_max_position_embeddings": original,
        "beta_fast": file.number("rope.scaling.yarn_beta_fast", 32.0),
        "beta_slow": file.number("rope.scaling.yarn_beta_slow", 1.0),
    }
    if magnitude != 1.0:
        usual = 1.0 + 0.1 * math.log(factor) if factor > 1 else 1.0
        found["attention_factor"] = magnitude * usual
    return found

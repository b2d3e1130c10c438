"""Rotary positions as configurations state them: `rope_parameters` (transformers 5), or
`rope_theta` and `rope_scaling` (before)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from core.checkpoints.config import Config
from core.errors import CheckpointError, UnsupportedModel
from core.spec import RotaryPositions, RotaryScaling

Kind = Literal["linear", "dynamic", "llama3", "yarn", "longrope"]
KINDS: dict[str, Kind] = {
    "linear": "linear",
    "dynamic": "dynamic",
    "llama3": "llama3",
    "yarn": "yarn",
    "longrope": "longrope",
    "su": "longrope",
}


def rotary(
    config: Config,
    d_head: int,
    *,
    layer_type: str | None = None,
    theta_keys: tuple[str, ...] = ("rope_theta",),
    default_theta: float = 10000.0,
    partial: float = 1.0,
    interleaved: bool = False,
) -> RotaryPositions:
    """The rotation of one kind of layer.

    layer_type: which entry of a nested `rope_parameters` ("full_attention"). theta_keys: top-level
    spellings. partial: the share of coordinates that turn where the configuration does not say.
    """
    said = parameters(config, layer_type)
    theta = said.get("rope_theta") or config.read(*theta_keys)
    if theta is None:
        theta = default_theta
        config.notes.append(
            f"{config.path.name} states no {theta_keys[0]}; {default_theta:g} was assumed"
        )
    share = said.get("partial_rotary_factor") or config.read(
        "partial_rotary_factor", "rotary_pct", default=partial
    )
    return RotaryPositions(
        theta=float(theta),
        d_rotary=int(d_head * float(share)),
        interleaved=interleaved,
        scaling=scaling(config, said),
    )


def parameters(config: Config, layer_type: str | None = None) -> Mapping[str, Any]:
    """`rope_parameters`, or the old `rope_scaling`; the layer type's own where they are nested."""
    said = config.read("rope_parameters", "rope_scaling", default={})
    if not isinstance(said, Mapping):
        raise CheckpointError(f"{config.path}: rope_parameters is {said!r}; an object is expected")
    nested = [key for key, value in said.items() if isinstance(value, Mapping)]
    if not nested:
        return said
    if layer_type not in said:
        raise UnsupportedModel(
            f"{config.path} gives rope_parameters for {', '.join(nested)}, "
            f"but this model's layers are {layer_type or 'all alike'}"
        )
    found: Mapping[str, Any] = said[layer_type]
    return found


def scaling(config: Config, said: Mapping[str, Any]) -> RotaryScaling | None:
    """How frequencies are stretched; UnsupportedModel names a kind that is not implemented."""
    asked = said.get("rope_type") or said.get("type") or "default"
    if asked == "default":
        return None
    if asked not in KINDS:
        raise UnsupportedModel(
            f"{config.path} asks for rope_type {asked!r}; supported are "
            f"{', '.join(['default', *KINDS])}"
        )
    kind = KINDS[asked]
    longest = config.size("max_position_embeddings", default=2048)
    original = said.get("original_max_position_embeddings") or config.read(
        "original_max_position_embeddings"
    )
    factor = said.get("factor")
    if factor is None and kind in ("longrope", "yarn") and original:
        factor = longest / original
    if factor is None and kind in ("linear", "dynamic", "llama3"):
        raise CheckpointError(
            f"{config.path}: rope_type {kind!r} needs a factor, and there is none"
        )
    return RotaryScaling(
        kind=kind,
        factor=float(factor or 1.0),
        original_size=int(longest if kind == "dynamic" else original or longest),
        low_freq_factor=float(said.get("low_freq_factor") or 1.0),
        high_freq_factor=float(said.get("high_freq_factor") or 4.0),
        beta_fast=float(said.get("beta_fast") or 32),
        beta_slow=float(said.get("beta_slow") or 1),
        attention_factor=said.get("attention_factor"),
        mscale=said.get("mscale"),
        mscale_all_dim=said.get("mscale_all_dim"),
        truncate=bool(said.get("truncate", True)),
        short_factor=tuple(said.get("short_factor") or ()),
        long_factor=tuple(said.get("long_factor") or ()),
    )

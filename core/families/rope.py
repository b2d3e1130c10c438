"""Rotary positions as configurations state them: `rope_parameters` (transformers 5), or
`rope_theta` and `rope_scaling` (before)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from core.checkpoints.config import Config
from core.errors import CheckpointError, UnsupportedModel
from core.layers.rotary_scaling import scaled_frequencies
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
NEEDED: dict[Kind, tuple[str, ...]] = {
    "linear": ("factor",),
    "dynamic": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor",),
    "longrope": ("short_factor", "long_factor"),
}
"""What each kind has to state, as the reference demands it; the rest has defaults."""


def rotary(
    config: Config,
    d_head: int,
    *,
    layer_type: str | None = None,
    stretches: bool = True,
    theta_keys: tuple[str, ...] = ("rope_theta",),
    default_theta: float = 10000.0,
    partial: float | None = None,
    partial_key: str = "partial_rotary_factor",
    interleaved: bool = False,
    longest: int = 2048,
    original: int | None = None,
) -> RotaryPositions:
    """The rotation of one kind of layer.

    layer_type: which entry of a nested `rope_parameters` ("full_attention"), in families that have
    one for each kind. stretches: whether `rope_scaling` is about this kind. theta_keys: top-level
    spellings. partial: the share of coordinates that turn where `partial_key` does not say, in
    families that know of such a share; None turns the whole head. longest, original: the lengths
    of a stretched rotation that the family's class has where none is stated, `original` even where
    one stands among the numbers of the stretch.
    """
    said = parameters(config, layer_type, stretches=stretches)
    theta = said.optional_number("rope_theta", positive=True)
    if theta is None and config.read(*theta_keys) is None:
        theta = default_theta
        config.notes.append(
            f"{config.path.name} states no {theta_keys[0]}; {default_theta:g} was assumed"
        )
    found = RotaryPositions(
        theta=config.number(*theta_keys, positive=True) if theta is None else theta,
        d_rotary=_width(config, said, d_head, partial, partial_key),
        interleaved=interleaved,
        scaling=scaling(config, said, outer=layer_type is None, longest=longest, original=original),
    )
    _try(config, found, d_head)
    return found


def _width(config: Config, said: Config, d_head: int, partial: float | None, key: str) -> int:
    """How many coordinates turn. Without `partial` the reference turns the whole head whatever is
    stated, and fails where the rotation is stretched too."""
    inner = "partial_rotary_factor"
    if partial is None:
        asked = said.read(inner, default=config.read(inner, default=1.0))
        if asked != 1.0 and kind_of(config, said) is not None:
            raise UnsupportedModel(
                f"{config.path} sets partial_rotary_factor to {asked!r} beside a stretched "
                "rotation; supported in this kind of model is 1.0"
            )
        if asked != 1.0:
            config.notes.append(
                f"{config.path.name} sets partial_rotary_factor to {asked!r}, which this kind of "
                "model does not read: whole heads turn"
            )
        return d_head
    share = said.optional_number(inner, positive=True)
    if share is None:
        share = config.number(key, default=partial, positive=True)
    return int(d_head * share)


def _try(config: Config, found: RotaryPositions, d_head: int) -> None:
    """CheckpointError for a rotation that cannot be computed, before a text is run."""
    turning = 2 * ((found.d_rotary + 1) // 2)
    if not 0 < turning <= d_head:
        raise CheckpointError(
            f"{config.path}: {found.d_rotary} of a head's {d_head} coordinates cannot turn in "
            f"pairs; supported are 1 to {d_head - d_head % 2}"
        )
    if not _turns(found, turning // 2):
        kind = found.scaling.kind if found.scaling is not None else "default"
        raise CheckpointError(
            f"{config.path}: the numbers of its rope_type {kind!r} give no rotation of "
            f"{turning} coordinates"
        )


@lru_cache(maxsize=64)
def _turns(found: RotaryPositions, pairs: int) -> bool:
    """Whether every pair gets a frequency. Remembered, as the layers of a model turn alike."""
    divisors = (found.scaling.short_factor, found.scaling.long_factor) if found.scaling else ()
    # A single divisor would be spread over all of them.
    if any(divisor and len(divisor) != pairs for divisor in divisors):
        return False
    for length in {1, found.scaling.original_size + 1 if found.scaling is not None else 1}:
        try:
            frequencies, _ = scaled_frequencies(found, length)
        except (ArithmeticError, ValueError, RuntimeError):
            return False
        if len(frequencies) != pairs or not bool(frequencies.isfinite().all()):
            return False
    return True


def parameters(config: Config, layer_type: str | None = None, *, stretches: bool = True) -> Config:
    """What is said about the rotation, as the reference reads it: where both are there,
    `rope_scaling` stands for all of `rope_parameters`, or is laid over those of a layer type."""
    new, old = _object(config, "rope_parameters"), _object(config, "rope_scaling")
    nested = [key for key, value in new.items() if isinstance(value, Mapping)]
    if layer_type is None:
        if old and new and old != new:
            config.notes.append(
                f"{config.path.name} holds both rope_scaling and rope_parameters; rope_scaling "
                "counts, as in transformers"
            )
        return _flat(config, old or new, "all alike")
    if nested and layer_type not in new:
        raise UnsupportedModel(_other_layers(config, nested, layer_type))
    if new and not nested:
        config.notes.append(
            f"{config.path.name} gives one rope_parameters for all layers, which this kind of "
            "model does not read, as in transformers"
        )
    said = dict(new[layer_type] or {}) if nested else {}
    return _flat(config, said | (old if stretches else {}), layer_type)


def _object(config: Config, key: str) -> dict[str, Any]:
    said = config.read(key, default={})
    if not isinstance(said, Mapping):
        raise CheckpointError(f"{config.path}: {key} is {said!r}; an object is expected")
    return dict(said)


def _flat(config: Config, said: dict[str, Any], layers: str) -> Config:
    nested = [key for key, value in said.items() if isinstance(value, Mapping)]
    if nested:
        raise UnsupportedModel(_other_layers(config, nested, layers))
    return Config(said, config.path)


def _other_layers(config: Config, nested: list[str], layers: str) -> str:
    return (
        f"{config.path} gives rope_parameters for {', '.join(nested)}, "
        f"but this model's layers are {layers}"
    )


def kind_of(config: Config, said: Config) -> Kind | None:
    """How frequencies are stretched; UnsupportedModel names a kind that is not implemented."""
    asked = said.read("rope_type", "type", default="default")
    if asked == "default":
        return None
    if not isinstance(asked, str) or asked not in KINDS:
        raise UnsupportedModel(
            f"{config.path} asks for rope_type {asked!r}; supported are "
            f"{', '.join(['default', *KINDS])}"
        )
    return KINDS[asked]


def scaling(
    config: Config, said: Config, *, outer: bool, longest: int, original: int | None
) -> RotaryScaling | None:
    """The numbers of a stretched rotation. outer: whether `original_max_position_embeddings` counts
    beside the rotation too, and first, as the reference has it where all layers turn alike.
    longest, original: as in `rotary`.

    Raises CheckpointError for numbers that are not there or are none.
    """
    kind = kind_of(config, said)
    if kind is None:
        return None
    _needed(config, said, kind)
    longest = config.size("max_position_embeddings", default=longest)
    if outer:
        original = config.optional_size("original_max_position_embeddings") or original
    original = original or said.optional_size("original_max_position_embeddings")
    factor = said.optional_number("factor", positive=True)
    if factor is None:  # yarn and longrope take it from the lengths
        factor = longest / original if original else 1.0
    return RotaryScaling(
        kind=kind,
        factor=factor,
        original_size=longest if kind == "dynamic" else original or longest,
        low_freq_factor=said.number("low_freq_factor", default=1.0, positive=True),
        high_freq_factor=said.number("high_freq_factor", default=4.0, positive=True),
        beta_fast=said.number("beta_fast", default=32.0, positive=True),
        beta_slow=said.number("beta_slow", default=1.0, positive=True),
        attention_factor=said.optional_number("attention_factor"),
        mscale=said.optional_number("mscale"),
        mscale_all_dim=said.optional_number("mscale_all_dim"),
        truncate=said.flag("truncate", default=True),
        short_factor=said.numbers("short_factor"),
        long_factor=said.numbers("long_factor"),
    )


def _needed(config: Config, said: Config, kind: Kind) -> None:
    """CheckpointError where a number is missing that nothing stands in for."""
    absent = [key for key in NEEDED[kind] if said.read(key) is None]
    # A factor of null is yarn's way to say that it is the ratio of the two lengths.
    if kind == "yarn" and "factor" in said:
        absent = []
    if absent:
        raise CheckpointError(
            f"{config.path}: rope_type {kind!r} needs {', '.join(NEEDED[kind])}; "
            f"there is no {' and no '.join(absent)}"
        )

"""Rotary frequencies and how models stretch them to longer contexts."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.spec import RotaryPositions, RotaryScaling


def scaled_frequencies(spec: RotaryPositions, length: int) -> tuple[Tensor, float]:
    """([d_rotary / 2] inverse frequencies, factor on cos and sin) for a text of `length`."""
    scaling = spec.scaling
    if scaling is None:
        return frequencies(spec.theta, spec.d_rotary), 1.0
    plain = frequencies(spec.theta, spec.d_rotary)
    match scaling.kind:
        case "linear":
            return plain / scaling.factor, 1.0
        case "dynamic":
            return _dynamic(spec, scaling, length), 1.0
        case "llama3":
            return _llama3(plain, scaling), 1.0
        case "yarn":
            return _yarn(spec, plain, scaling)
        case "longrope":
            return _longrope(plain, scaling, length)


def frequencies(theta: float, d_rotary: int) -> Tensor:
    """theta^(-2i/d)."""
    return theta ** -(torch.arange(0, d_rotary, 2, dtype=torch.int64).float() / d_rotary)


def _dynamic(spec: RotaryPositions, scaling: RotaryScaling, length: int) -> Tensor:
    """NTK-aware: theta grows with the length beyond the original context."""
    size = max(length, scaling.original_size)
    stretch = scaling.factor * size / scaling.original_size - (scaling.factor - 1)
    theta = spec.theta * stretch ** (spec.d_rotary / (spec.d_rotary - 2))
    return frequencies(theta, spec.d_rotary)


def _llama3(plain: Tensor, scaling: RotaryScaling) -> Tensor:
    """Long wavelengths are divided by the factor, short ones kept, the middle blended."""
    wavelength = 2 * math.pi / plain
    low = scaling.original_size / scaling.low_freq_factor
    high = scaling.original_size / scaling.high_freq_factor
    smooth = (scaling.original_size / wavelength - scaling.low_freq_factor) / (
        scaling.high_freq_factor - scaling.low_freq_factor
    )
    blended = (1 - smooth) * plain / scaling.factor + smooth * plain
    result = torch.where(wavelength > low, plain / scaling.factor, plain)
    return torch.where((wavelength <= low) & (wavelength >= high), blended, result)


def _yarn(spec: RotaryPositions, plain: Tensor, scaling: RotaryScaling) -> tuple[Tensor, float]:
    """YaRN (Peng et al. 2023): interpolate slow coordinates, keep fast ones, warm the softmax."""

    def turning_point(turns: float) -> float:
        return (
            spec.d_rotary
            * math.log(scaling.original_size / (turns * 2 * math.pi))
            / (2 * math.log(spec.theta))
        )

    low, high = turning_point(scaling.beta_fast), turning_point(scaling.beta_slow)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, spec.d_rotary - 1)
    # Where the points cross the ramp falls, as in the reference; only no width at all is widened.
    width = high - low if high != low else 0.001
    ramp = (torch.arange(spec.d_rotary // 2).float() - low) / width
    kept = 1 - ramp.clamp(0, 1)
    result = plain / scaling.factor * (1 - kept) + plain * kept
    return result, _yarn_magnitude(scaling)


def _yarn_magnitude(scaling: RotaryScaling) -> float:
    def warm(mscale: float) -> float:
        return 1.0 if scaling.factor <= 1 else 0.1 * mscale * math.log(scaling.factor) + 1.0

    if scaling.attention_factor is not None:
        return scaling.attention_factor
    if scaling.mscale and scaling.mscale_all_dim:
        return warm(scaling.mscale) / warm(scaling.mscale_all_dim)
    return warm(1.0)


def _longrope(plain: Tensor, scaling: RotaryScaling, length: int) -> tuple[Tensor, float]:
    """One divisor a coordinate, another set beyond the original context (Phi-3)."""
    long = length > scaling.original_size
    divisors = torch.tensor(scaling.long_factor if long else scaling.short_factor)
    if scaling.attention_factor is not None:
        magnitude = scaling.attention_factor
    elif scaling.factor <= 1:
        magnitude = 1.0
    else:
        magnitude = math.sqrt(1 + math.log(scaling.factor) / math.log(scaling.original_size))
    return plain / divisors, magnitude

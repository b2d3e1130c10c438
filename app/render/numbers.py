"""How numbers are printed, and where the ticks of a scale stand."""

from __future__ import annotations

import math

MOST_DECIMALS = 6  # of a tick: three digits of a step of 0.0001


def number(value: float) -> str:
    """A number as the read-out says it: 0.412, 3.17, 128.4, 1,024, 2.1e-05."""
    size = abs(value)
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if size >= 1000:
        text = f"{value:,.0f}"
    elif size >= 100:
        text = f"{value:.1f}"
    elif size > 1:
        text = f"{value:.2f}"
    elif size >= 0.0005 or size == 0:
        text = f"{value:z.3f}"
    else:
        text = f"{value:.1e}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def tick(value: float, step: float) -> str:
    """A number on an axis, with as many decimals as steps of `step` need."""
    if not (math.isfinite(value) and math.isfinite(step)):
        return number(value)
    if value != 0 and (abs(value) >= 1e6 or abs(step) < 1e-4):
        digits, power = f"{value:.2e}".split("e")
        return f"{digits.rstrip('0').rstrip('.')}e{power}".replace("-", "−")
    decimals = 0
    while decimals < MOST_DECIMALS and abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return "0"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def in_full(value: float) -> str:
    """A number of a table in five digits: 1.0005, 23.437, 12,346."""
    if not math.isfinite(value):
        return number(value)
    if value != 0 and abs(value) < 0.0001:
        return small(value)
    if abs(value) >= 10_000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:z.5g}".replace("-", "−")


def small(value: float) -> str:
    """A number that four decimals would round away, in full: 0.0000277."""
    size = abs(value)
    if not 1e-9 < size < 1:
        return f"{value:.2e}".replace("-", "−")
    return f"{value:.{2 - math.floor(math.log10(size))}f}".replace("-", "−")


def ticks(low: float, high: float, most: int) -> tuple[list[float], float]:
    """At most `most` round values within [low, high], and their step: 1, 2 or 5 times a power of
    ten."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low], 1.0
    rough = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)], step

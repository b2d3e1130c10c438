"""Numbers for people: counts in words, large ones and bytes shortened, a real minus; free of Qt."""

from __future__ import annotations

THOUSANDS = "", " k", " M", " B", " T"
BYTES = " B", " kB", " MB", " GB", " TB"


def counted(count: int, noun: str, plural: str = "") -> str:
    """1 layer, 2 layers; "query" with its own plural: 1 query, 2 queries."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def short(number: float) -> str:
    """1234 -> "1.23 k", 23_440_896 -> "23.4 M"."""
    return _in_thousands(number, THOUSANDS)


def in_bytes(count: float) -> str:
    """Bytes in a unit that reads well, in thousands: 21_500 -> "21.5 kB"."""
    return _in_thousands(count, BYTES)


def signed(value: float, digits: int = 3) -> str:
    """With a real minus, and none before a zero: "−1.250", "0.000"."""
    return f"{value:z.{digits}f}".replace("-", "−")


def _in_thousands(number: float, units: tuple[str, ...]) -> str:
    for unit in units[:-1]:
        # What three digits would round up to 1000 belongs to the next unit.
        if number < 999.5:
            return f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g}{units[-1]}"

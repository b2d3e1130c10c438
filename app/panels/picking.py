"""What a click on a candidate means: decoding takes it."""

from __future__ import annotations

from collections.abc import Mapping

from app.stepping import Stepping


def took(picks: Mapping[str, int], stepping: Stepping) -> bool:
    """Whether the click was on a token to take; it names its step or the position it follows."""
    if "token" not in picks:
        return False
    if "position" in picks:
        stepping.take_at(picks["position"], picks["token"])
    else:
        stepping.take(picks["token"], picks.get("step"))
    return True

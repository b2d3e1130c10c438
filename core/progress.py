"""How far long work is: whoever asks for it may listen, and may stop it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.errors import Cancelled

if TYPE_CHECKING:
    from core.request import ShouldStop


@dataclass(frozen=True, slots=True)
class Watch:
    """A `ShouldStop` that is also told how far the work is, as a fraction 0–1 of the whole.

    start, end: which part of the whole the work is that this is handed to.
    """

    should_stop: ShouldStop
    report: Callable[[float], None]
    start: float = 0.0
    end: float = 1.0

    def __call__(self) -> bool:
        return self.should_stop()

    def done(self, fraction: float) -> None:
        """Of this part of the work so much is done, 0–1."""
        self.report(self.start + (self.end - self.start) * fraction)


def step(should_stop: ShouldStop | None, fraction: float, what: str) -> None:
    """Between two pieces of work: raises Cancelled when it is no longer wanted ("`what` was
    stopped"); else tells a `Watch` that this fraction, 0–1, is done."""
    if should_stop is None:
        return
    if should_stop():
        raise Cancelled(f"{what} was stopped")
    if isinstance(should_stop, Watch):
        should_stop.done(fraction)


def part(should_stop: ShouldStop | None, start: float, end: float) -> ShouldStop | None:
    """For work that is a part of what `should_stop` watches: its 0–1 is start–end of the whole."""
    if not isinstance(should_stop, Watch):
        return should_stop
    span = should_stop.end - should_stop.start
    first = should_stop.start
    return replace(should_stop, start=first + span * start, end=first + span * end)

"""Work that lasts until it is stopped, to see what it gives way to."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.errors import Cancelled


class Endless:
    """Counts the calls begun and the calls stopped; the first one lasts until it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.stopped = 0, 0

    def last(self, stop: Callable[[], bool]) -> None:
        """Begin a call, as the worker would; Cancelled once `stop` says so."""
        self.begun += 1
        end = time.monotonic() + 30
        while self.begun == 1:
            if stop():
                self.stopped += 1
                raise Cancelled("stopped")
            assert time.monotonic() < end, "nobody stopped it"
            time.sleep(0.005)

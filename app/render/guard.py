"""Keeps an error in one of Qt's overrides from taking the process along."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def guarded(override: Callable[P, None]) -> Callable[P, None]:
    """Reports an exception to `sys.excepthook`, as Qt's slots do, instead of letting it out.

    PySide6 6.11 on Python 3.11 dies of a segmentation fault when an exception that the interpreter
    itself raised (an IndexError, a ZeroDivisionError) leaves an override such as paintEvent.
    """

    @functools.wraps(override)
    def call(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            override(*arguments, **named)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)

    return call

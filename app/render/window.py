"""The part of a map that is in sight."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a map in sight: rows and columns from `row` and `column`, so many of them."""

    row: int
    column: int
    rows: int
    columns: int

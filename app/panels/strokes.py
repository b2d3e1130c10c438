"""What the painted cells of each mask were before each stroke, for undo; free of Qt."""

from __future__ import annotations

Cells = tuple[tuple[int, int], ...]
MOST = 100


class Strokes:
    """The latest strokes of every attention site."""

    def __init__(self) -> None:
        self._before: dict[str, list[Cells]] = {}

    def began(self, site: str, cells: Cells) -> None:
        """A stroke begins, or all cells are about to be cleared; cells: those painted so far."""
        self._before.setdefault(site, []).append(cells)
        del self._before[site][:-MOST]

    def undone(self, site: str, now: Cells) -> Cells | None:
        """The cells before the last stroke that changed any; None when there is none."""
        before = self._before.get(site, [])
        while before:
            cells = before.pop()
            if cells != now:
                return cells
        return None

    def can_undo(self, site: str, now: Cells) -> bool:
        return any(cells != now for cells in self._before.get(site, []))

    def forget(self) -> None:
        self._before.clear()

"""What the painted cells of each mask were before each stroke, for undo and redo; free of Qt."""

from __future__ import annotations

Cells = tuple[tuple[int, int], ...]
MOST = 100


class Strokes:
    """The latest strokes of every attention site."""

    def __init__(self) -> None:
        self._before: dict[str, list[Cells]] = {}
        self._after: dict[str, list[Cells]] = {}

    def began(self, site: str, cells: Cells) -> None:
        """A stroke begins, or all cells are about to be cleared; cells: those painted so far."""
        self._before.setdefault(site, []).append(cells)
        del self._before[site][:-MOST]
        self._after.pop(site, None)

    def undone(self, site: str, now: Cells) -> Cells | None:
        """The cells before the last stroke that changed any; None when there is none."""
        return _other(self._before.get(site, []), self._after.setdefault(site, []), now)

    def redone(self, site: str, now: Cells) -> Cells | None:
        """The cells before the last undo since the last stroke; None when there is none."""
        return _other(self._after.get(site, []), self._before.setdefault(site, []), now)

    def can_undo(self, site: str, now: Cells) -> bool:
        return any(cells != now for cells in self._before.get(site, []))

    def can_redo(self, site: str, now: Cells) -> bool:
        return any(cells != now for cells in self._after.get(site, []))

    def forget(self) -> None:
        self._before.clear()
        self._after.clear()


def _other(kept: list[Cells], opposite: list[Cells], now: Cells) -> Cells | None:
    """The latest kept cells that are not the present ones, which the opposite way then leads to."""
    while kept:
        cells = kept.pop()
        if cells != now:
            opposite.append(now)
            return cells
    return None

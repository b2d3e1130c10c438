"""What the mask of each site was before each change, for undo and redo; free of Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window's first paint needs no core
    from core.masks import MaskChoice

MOST = 100


class MaskHistory:
    """The latest changes of every attention site: strokes, kinds and Reset alike, each one step."""

    def __init__(self) -> None:
        self._before: dict[str, list[MaskChoice]] = {}
        self._after: dict[str, list[MaskChoice]] = {}

    def began(self, site: str, now: MaskChoice) -> None:
        """A change begins; now: the mask before it."""
        self._before.setdefault(site, []).append(now)
        del self._before[site][:-MOST]
        self._after.pop(site, None)

    def undone(self, site: str, now: MaskChoice) -> MaskChoice | None:
        """The mask before the last change that made any difference; None when there is none."""
        return _other(self._before.get(site, []), self._after.setdefault(site, []), now)

    def redone(self, site: str, now: MaskChoice) -> MaskChoice | None:
        """The mask before the last undo since the last change; None when there is none."""
        return _other(self._after.get(site, []), self._before.setdefault(site, []), now)

    def can_undo(self, site: str, now: MaskChoice) -> bool:
        return any(choice != now for choice in self._before.get(site, []))

    def can_redo(self, site: str, now: MaskChoice) -> bool:
        return any(choice != now for choice in self._after.get(site, []))

    def forget(self) -> None:
        self._before.clear()
        self._after.clear()


def _other(
    kept: list[MaskChoice], opposite: list[MaskChoice], now: MaskChoice
) -> MaskChoice | None:
    """The latest kept mask that is not the present one, which the opposite way then leads to."""
    while kept:
        choice = kept.pop()
        if choice != now:
            opposite.append(now)
            return choice
    return None

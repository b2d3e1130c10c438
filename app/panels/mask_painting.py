"""Changing the mask of a site, cell by cell or as a whole, and taking it back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QWidget

from app.panels.mask_editor import MaskEditor
from app.panels.mask_history import MaskHistory
from app.panels.mask_map import MaskMap
from app.panels.sites import SITE_NAMES
from app.session import Session
from app.store import Store
from app.theme import LIGHT, Theme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.masks import MaskChoice
    from core.trace import Trace

HINT = "Click or drag over cells to hide them; again to show them."
REFUSED = "The kind of mask hides this cell already; choose another kind to open it."


class MaskPainting:
    """What maps of masks say is painted goes to the session; the large map is made when asked for.

    show: fills the large map.
    """

    def __init__(self, store: Store, session: Session, show: Callable[[], None]) -> None:
        self._store, self._session, self._show = store, session, show
        self._history = MaskHistory()
        self._theme = LIGHT
        self.editor: MaskEditor | None = None
        store.changed.connect(self._changed)

    def choice(self, site: str) -> MaskChoice:
        """The mask that a site obeys."""
        from core.masks import MaskChoice

        return self._store.state.masks.get(site, MaskChoice())

    def cells(
        self, site: str, trace: Trace, layer: int
    ) -> tuple[NDArray[np.bool_], frozenset[tuple[int, int]]]:
        """What a map shows: allowed[query, key], and the cells painted out. Those are the ones
        that are asked for: the run may be behind, or never come. Where one was taken back, the
        kind of mask that was run may hide the cell all the same."""
        from core import derive, masks

        stack, part = site.split(".")
        layer = min(layer, trace.spec.stack(stack).layers - 1)
        ran, asked = trace.request.mask(site), self.choice(site).blocked
        if frozenset(asked) == frozenset(ran.blocked):
            allowed = trace.allowed(site, layer)
        else:
            attention = trace.spec.stack(stack).attention(part, layer)
            context = derive.context(trace.tokens, site)
            allowed = masks.allowed(replace(ran, blocked=asked), context, attention)
        return allowed.numpy(), frozenset(asked)

    def follow(self, shown: MaskMap, site: Callable[[], str]) -> None:
        """Let cells be painted on a map of the mask of `site()`."""
        shown.began.connect(lambda: self._remember(site()))
        shown.painted.connect(lambda cells, on: self._paint(site(), cells, on))
        shown.undone.connect(lambda: self.go(site(), "undo"))
        shown.redone.connect(lambda: self.go(site(), "redo"))

    def clear(self, site: str) -> None:
        """Take back all that is painted; the kind of mask stays."""
        self.change(site, replace(self.choice(site), blocked=()))

    def change(self, site: str, choice: MaskChoice) -> None:
        """Another mask for a site, as one step that can be taken back."""
        if choice != self.choice(site):
            self._remember(site)
            self._session.mask(site, choice)

    def go(self, site: str, way: Literal["undo", "redo"]) -> None:
        """One change back or forward."""
        step = self._history.undone if way == "undo" else self._history.redone
        choice = step(site, self.choice(site))
        if choice is not None:
            self._session.mask(site, choice)

    def open(self, site: str, window: QWidget) -> None:
        """The mask of a site, large, above the window."""
        if self.editor is None:
            editor = self.editor = MaskEditor(window, HINT)
            editor.set_theme(self._theme)
            self.follow(editor.map, lambda: editor.site)
            editor.map.refused.connect(partial(editor.say, REFUSED))
            editor.cleared.connect(lambda: self.clear(editor.site))
        self.editor.edit(site, SITE_NAMES[site])
        self._offer()
        self._show()
        self.editor.show()
        self.editor.map.setFocus()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.editor is not None:
            self.editor.set_theme(theme)

    def _changed(self, names: frozenset[str]) -> None:
        if "model" in names:
            self._history.forget()
            model = self._store.state.model
            if self.editor is not None and (
                model is None or self.editor.site not in model.spec.sites
            ):
                self.editor.hide()  # there is no such attention any more
        if names & {"model", "masks"}:
            self._offer()

    def _offer(self) -> None:
        if self.editor is not None:
            site = self.editor.site
            now = self.choice(site)
            undo = self._history.can_undo(site, now)
            redo = self._history.can_redo(site, now)
            self.editor.offer(undo=undo, redo=redo, clear=bool(now.blocked))

    def _remember(self, site: str) -> None:
        self._history.began(site, self.choice(site))

    def _paint(self, site: str, cells: list[tuple[int, int]], on: bool) -> None:
        """Added to what is chosen, or taken from it; the last run may be behind that."""
        blocked = set(self.choice(site).blocked)
        blocked = blocked | set(cells) if on else blocked - set(cells)
        choice = replace(self.choice(site), blocked=tuple(sorted(blocked)))
        self._session.mask(site, choice)

"""Runs through the layers by itself, so that every view becomes a film over depth."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QToolButton, QWidget

from app.icons import icon
from app.looking import layers_at
from app.panels.pictures import Pictures
from app.store import Store
from app.theme import LIGHT, Theme

FRAME_MS = 700


class LayerPlay(QToolButton):
    """From the selected layer to the last, a frame a layer, longer where its picture takes longer
    to come; from the first when it stands at the last. Stops at the end, when pressed again, where
    a picture does not come, or when another model or site is looked at."""

    def __init__(self, store: Store, pictures: Pictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._pictures = store, pictures
        self._waited = False  # for the picture of this layer
        self._theme = LIGHT
        self._site = ""
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._next)
        self.clicked.connect(lambda _=False: self.toggle())
        store.changed.connect(self._changed)
        self._show()

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def toggle(self) -> None:
        """Start or stop."""
        if self.playing:
            self._stop()
            return
        state = self._store.state
        if state.model is None or self._last() == 0:
            return
        self._site = state.selection.site
        if state.selection.layer >= self._last():
            self._store.select(layer=0)
        self._waited = False
        self._timer.start()
        self._show()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show()

    def _last(self) -> int:
        state = self._store.state
        if state.model is None or state.selection.site not in state.model.spec.sites:
            return 0
        return layers_at(state.model.spec, state.selection.site) - 1

    def _next(self) -> None:
        if self._pictures.figure is None:
            if self._pictures.awaited:
                self._waited = True
            else:  # it was cancelled, or failed
                self._stop()
            return
        if self._waited:  # a picture that came late stands for a frame, too
            self._waited = False
            return
        layer = self._store.state.selection.layer
        if layer < self._last():
            self._store.select(layer=layer + 1)
        if self._store.state.selection.layer >= self._last():
            self._stop()

    def _stop(self) -> None:
        self._timer.stop()
        self._show()

    def _changed(self, names: frozenset[str]) -> None:
        elsewhere = "model" in names or self._store.state.selection.site != self._site
        if elsewhere and self.playing:
            self._stop()
        if names & {"model", "selection"}:
            self.setEnabled(self._last() > 0)

    def _show(self) -> None:
        name = "pause" if self.playing else "play"
        self.setIcon(icon(name, self._theme.text, self._theme.border))
        said = "Stop at this layer" if self.playing else "Play through the layers"
        self.setToolTip(said)
        self.setAccessibleName(said)

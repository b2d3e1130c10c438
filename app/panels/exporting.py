"""The picture in front, written to a file or copied."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from app.panels.pictures import Pictures
from app.panels.save_dialog import SaveDialog
from app.session import Session
from app.store import Store
from app.theme import LIGHT, Theme

if TYPE_CHECKING:  # the window's first paint needs neither a figure nor numpy
    from app.figure import Figure

FILE_TYPES = "SVG picture (*.svg);;PNG picture (*.png);;Numbers as CSV (*.csv)"


class PictureExport(QObject):
    """done: what was written or copied, in a few words."""

    done = Signal(str)

    def __init__(
        self,
        window: QWidget,
        store: Store,
        session: Session,
        pictures: Pictures,
        dialog: SaveDialog,
    ) -> None:
        super().__init__(window)
        self._store, self._session = store, session
        self._pictures, self._dialog = pictures, dialog
        self._theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """What is written looks as on screen."""
        self._theme = theme

    def choose(self) -> None:
        """Ask where to, unless there is no picture. What is written is the picture that was in
        front then: behind the dialog decoding may go on."""
        figure = self._picture("export")
        if figure is None:
            return
        name = f"{self._store.state.view}.svg"
        path = self._dialog.ask("Export the view", name, FILE_TYPES)
        if path is not None:
            self._write(figure, path)

    def save(self, path: Path) -> None:
        """Write the picture in front to .png, .svg or .csv; a failure is said."""
        figure = self._picture("export")
        if figure is not None:
            self._write(figure, path)

    def _write(self, figure: Figure, path: Path) -> None:
        from app.render import export

        try:
            export.save(figure, path, theme=self._theme)
        except export.ExportError as error:
            self._session.complain(str(error), "export")
        else:
            self._store.settle("export")
            self.done.emit(f"Exported to {path}")

    def copy(self) -> None:
        """The picture in front into the clipboard, as large as it is exported."""
        from app.render import export

        figure = self._picture("copy")
        if figure is None:
            return
        try:
            data = export.png(figure, theme=self._theme)
        except export.ExportError as error:
            self._session.complain(str(error), "export")
        else:
            QApplication.clipboard().setImage(QImage.fromData(data))
            self._store.settle("export")
            self.done.emit("Copied as a picture")

    def _picture(self, wanted: str) -> Figure | None:
        """The picture in front; None, and a sentence why, where there is none or only words that
        say what it needs."""
        from app.figure import Words

        figure = self._pictures.figure
        if figure is None:
            self._session.complain(f"There is no picture to {wanted} yet.", "export")
        elif len(figure.panels) == 1 and isinstance(words := figure.panels[0], Words):
            self._session.complain(f"There is no picture to {wanted}: {words.text}", "export")
        else:
            return figure
        return None

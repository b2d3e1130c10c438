"""A figure and the part of it that is in sight: zoomed maps, and where a page of panels begins."""

from __future__ import annotations

from app.figure import Figure, WordGrid
from app.render.drawing import Hit
from app.render.moving import panned, showing, zoomed
from app.render.page import Page
from app.render.places import map_of, whole_of
from app.render.window import Window
from app.theme import Theme


class Sight:
    """Lays the figure out anew when it is next asked for its page; free of Qt."""

    def __init__(self, figure: Figure, theme: Theme) -> None:
        self.figure = figure
        self._theme = theme
        self._size = 0.0, 0.0
        self._windows: dict[int, Window] = {}
        self._first = 0  # the row of panels that the page begins with
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The figure laid out, with what is in sight of it."""
        if self._page is None:
            windows, first = self._windows, self._first
            self._page = Page(
                self.figure, *self._size, self._theme, windows, first=first, hints=True
            )
        return self._page

    @property
    def zoomed(self) -> bool:
        """Whether some map does not show all of its cells."""
        return bool(self._windows)

    def zoomed_at(self, index: int) -> bool:
        """Whether the map of a panel does not show all of its cells."""
        return index in self._windows

    def forget(self) -> None:
        """What the page was made from is another now: a font, perhaps."""
        self._page = None

    def resize(self, width: float, height: float) -> None:
        """Room of so many logical pixels."""
        if self._size != (width, height):
            self._size = width, height
            self.forget()

    def dress(self, theme: Theme) -> None:
        self._theme = theme
        self.forget()

    def show(self, figure: Figure) -> None:
        """Another figure; what was zoomed stays zoomed while its shape, and the order of a table's
        rows, stay the same."""
        before = {index: whole_of(self.page, index) for index in self._windows}
        rows = {index: _names(self.figure, index) for index in self._windows}
        if len(figure.panels) != len(self.figure.panels):
            self._first = 0
        self.figure = figure
        self.forget()
        self._windows = {
            index: window
            for index, window in self._windows.items()
            if whole_of(self.page, index) == before[index] and _names(figure, index) == rows[index]
        }
        self.forget()

    def show_window(self, index: int, window: Window | None) -> None:
        """A part of a panel's cells; all that fit for None or the whole."""
        if window is None or window == whole_of(self.page, index):
            self._windows.pop(index, None)
        else:
            self._windows[index] = window
        self.forget()

    def show_all(self) -> None:
        """Every map with all of its cells."""
        self._windows = {}
        self.forget()

    def turn(self, down: int) -> None:
        """The panels that follow those in sight, or come before them."""
        self._first = self.page.turned(down)
        self.forget()

    def pan(self, index: int, rows: float, columns: float) -> None:
        """A panel's map moved by so many cells."""
        drawing = map_of(self.page, index)
        if drawing is not None:
            self.show_window(index, panned(drawing.window, drawing.whole, rows, columns))

    def zoom(self, index: int, row: float, column: float, factor: float) -> None:
        """`factor` times as many cells of a panel's map, the one at (row, column) in its place."""
        drawing = map_of(self.page, index)
        if drawing is not None:
            window = zoomed(drawing.window, drawing.whole, row, column, factor)
            self.show_window(index, window)

    def reveal(self, index: int, hit: Hit) -> bool:
        """Moves just so far that a place is in sight; whether there was need to."""
        moved = not self.page.layout.shows(index)
        if moved:
            self._first = self.page.layout.row_of(index)
            self.forget()
        drawing = map_of(self.page, index)
        if drawing is not None:
            window = showing(drawing.window, drawing.whole, hit.row, hit.column)
            if window != drawing.window:
                self.show_window(index, window)
                return True
        return moved


def _names(figure: Figure, index: int) -> tuple[str, ...]:
    """What the rows of a table are called: sorted anew it begins at its top again."""
    panel = figure.panels[index] if index < len(figure.panels) else None
    return panel.rows.labels if isinstance(panel, WordGrid) else ()

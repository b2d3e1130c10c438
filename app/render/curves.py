"""Named lines over a shared x axis, with a legend and the values under the pointer."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from app.figure import Curve, Curves
from app.render import text
from app.render.canvas import Canvas
from app.render.drawing import Hit
from app.render.geometry import Rect
from app.render.moving import walked
from app.render.numbers import number
from app.render.plot import fit, limits_of, paint_axes
from app.theme import Theme

SIZES = 12.0, 11.0, 10.0
LINE, SWATCH = 18.0, 18.0
LONGEST = 300.0  # a name is cut beyond, and where the panel ends
NAMED = 6  # so many values are read out; more would run off the line


class CurvesDrawing:
    """Curves in a box; emphasised ones stand out of the rest."""

    def __init__(self, panel: Curves, box: Rect, theme: Theme) -> None:
        self.panel, self.box, self.theme = panel, box, theme
        self._legend, legend_room = self._places(box)
        xs = np.concatenate([curve.x for curve in panel.curves] or [np.zeros(1, np.float32)])
        ys = np.concatenate([curve.y for curve in panel.curves] or [np.zeros(1, np.float32)])
        self._xs = np.unique(xs[np.isfinite(xs)]) if panel.curves else xs[:0]
        x = limits_of(xs, 0.02)
        y = panel.y_limits or limits_of(ys, 0.06)
        self.plot = fit(box.inset(top=legend_room), x, y, panel.x_title, panel.y_title)

    def paint(self, canvas: Canvas) -> None:
        panel = self.panel
        paint_axes(
            canvas,
            self.plot,
            self.theme,
            x_title=panel.x_title,
            y_title=panel.y_title,
            x_labels=panel.x_labels,
        )
        order = sorted(range(len(panel.curves)), key=lambda i: panel.curves[i].emphasised)
        for index in order:
            self._paint_curve(canvas, index)
        for index, (x, y) in enumerate(self._legend):
            colour, dash, width = self._style(index)
            line = [(x, y), (x + SWATCH, y)]
            canvas.line(line, colour=colour, width=width, dash=dash)
            strong = panel.curves[index].emphasised
            name = text.elide(panel.curves[index].name, self._longest, self._size, strong)
            at = x + SWATCH + 6
            canvas.text(at, y, name, colour=self.theme.text, size=self._size, bold=strong)

    def at(self, x: float, y: float) -> Hit | None:
        box, panel = self.plot.box, self.panel
        if not box.holds(x, y) or not panel.curves:
            return None
        low, high = self.plot.x
        near = low + (x - box.x) / box.width * (high - low)
        if self._xs.size == 0:
            return None
        return self._hit(int(np.abs(self._xs - near).argmin()), y)

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        place = walked(hit, down, right, 1, self._xs.size, (0, 0))
        return None if place is None else self._hit(place[1], self.plot.box.y)

    def _hit(self, place: int, y: float) -> Hit:
        """All curves at one x, the nearest to the height `y` first."""
        panel, value = self.panel, float(self._xs[place])
        ranked = sorted(panel.curves, key=lambda c: self._distance(c, value, y))
        said = [words for curve in ranked[:NAMED] if (words := self._says(curve, value))]
        if len(ranked) > NAMED:
            said.append("…")
        label = str(int(value)) if value.is_integer() else number(value)
        if panel.x_labels and value.is_integer() and 0 <= value < len(panel.x_labels):
            label = panel.x_labels[int(value)]
        title = panel.x_title.split("(")[0].strip().lower()
        words = f"{title} {label}: {' · '.join(said)}".strip()
        return Hit(text=words, row=0, column=place)

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        box, theme = self.plot.box, self.theme
        if hit.column is None:
            return
        value = float(self._xs[hit.column])
        x = self.plot.at(value, 0)[0]
        canvas.line([(x, box.y), (x, box.bottom)], colour=theme.muted, dash=True)
        for index, curve in enumerate(self.panel.curves):
            found = _y_at(curve, value)
            if found is not None and self.plot.y[0] <= found <= self.plot.y[1]:
                place = self.plot.at(value, found)
                canvas.dot(*place, 3.5, fill=self._style(index)[0], stroke=theme.surface)

    def _paint_curve(self, canvas: Canvas, index: int) -> None:
        curve = self.panel.curves[index]
        colour, dash, width = self._style(index)
        low, high = self.plot.y
        ys = np.clip(curve.y, low, high)
        run: list[tuple[float, float]] = []
        for x, y in zip(curve.x.tolist(), ys.tolist(), strict=True):
            if np.isfinite(x) and np.isfinite(y):
                run.append(self.plot.at(x, y))
                continue
            if len(run) > 1:
                canvas.line(run, colour=colour, width=width, dash=dash)
            run = []
        if len(run) > 1:
            canvas.line(run, colour=colour, width=width, dash=dash)
        if len(run) <= 24:  # few points: show that the line only joins them
            for x, y in run:
                canvas.dot(x, y, 1.0 + width, fill=colour)

    def _style(self, index: int) -> tuple[str, bool, float]:
        """Colour, dashed, width: a second round of the colours is dashed. Emphasis is a matter of
        width alone: a paler line could not be told from the others by its colour."""
        lines = self.theme.lines
        some = any(curve.emphasised for curve in self.panel.curves)
        strong = self.panel.curves[index].emphasised
        width = 3.0 if strong else 1.6 if some else 1.8
        dash = (index // len(lines)) % 2 == 1
        return lines[index % len(lines)], dash, width

    @property
    def _longest(self) -> float:
        return min(LONGEST, max(40.0, self.box.width - SWATCH - 14))

    @cached_property
    def _size(self) -> float:
        """Of the names: smaller before any is cut."""
        for size in SIZES:
            wide = (text.width(c.name, size, c.emphasised) for c in self.panel.curves)
            if max(wide, default=0.0) <= self._longest:
                return size
        return SIZES[-1]

    def _places(self, box: Rect) -> tuple[list[tuple[float, float]], float]:
        """Where each legend entry starts, and the height of all; none for a single curve whose
        name the axis title already says."""
        curves = self.panel.curves
        if len(curves) == 1 and curves[0].name in ("", self.panel.y_title):
            return [], 0.0
        places: list[tuple[float, float]] = []
        x, y = box.x + 4, box.y + LINE / 2
        for curve in curves:
            named = min(self._longest, text.width(curve.name, self._size, curve.emphasised))
            wide = SWATCH + 6 + named + 18
            if x > box.x + 4 and x + wide - 18 > box.right:
                x, y = box.x + 4, y + LINE
            places.append((x, y))
            x += wide
        return places, y - box.y + LINE / 2 + 4 if places else 0.0

    def _distance(self, curve: Curve, value: float, y: float) -> float:
        found = _y_at(curve, value)
        return np.inf if found is None else abs(self.plot.at(value, found)[1] - y)

    def _says(self, curve: Curve, value: float) -> str:
        found = _y_at(curve, value)
        return "" if found is None else f"{curve.name or self.panel.y_title} {number(found)}"


def _y_at(curve: Curve, value: float) -> float | None:
    found = np.flatnonzero(curve.x == value)
    if found.size == 0 or not np.isfinite(curve.y[found[0]]):
        return None
    return float(curve.y[found[0]])

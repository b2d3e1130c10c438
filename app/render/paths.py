"""Points that move in two dimensions: one path a token, its steps from faint to full colour."""

from __future__ import annotations

import math

import numpy as np

from app.figure import Paths
from app.render import text
from app.render.canvas import Canvas
from app.render.drawing import Hit
from app.render.frames import around
from app.render.free_places import FreePlaces, around_point
from app.render.geometry import Rect
from app.render.moving import walked
from app.render.numbers import number
from app.render.plot import fit, limits_of, paint_axes
from app.theme import Theme

SIZE, LEGEND = 12.0, 22.0
AHEAD = 0.25  # opacity of what comes after the reached step
DOT = 4.2  # half of a point that is reached
APART = 4.0  # between names side by side: closer ones would be read as one
REACH = 14.0  # the pointer finds a point so many pixels away


class PathsDrawing:
    """Paths in a box, each named at the point it has reached where the name finds room."""

    def __init__(self, panel: Paths, box: Rect, theme: Theme) -> None:
        self.panel, self.box, self.theme = panel, box, theme
        x = limits_of(panel.points[..., 0], 0.08)
        y = limits_of(panel.points[..., 1], 0.08)
        self.plot = fit(box.inset(top=LEGEND), x, y, panel.x_title, panel.y_title)
        where = [self.plot.at(*point) for point in panel.points.reshape(-1, 2).tolist()]
        self._places = np.asarray(where, dtype=np.float64).reshape(panel.points.shape)
        table = theme.table("sequential")
        steps = panel.points.shape[1]
        self._reached = steps - 1 if panel.reached is None else min(panel.reached, steps - 1)
        # From the middle of the table on: its low end is nearly the surface's colour.
        entries = np.linspace(88, 235, max(1, steps)).astype(int)
        self._colours = ["#" + bytes(table[entry]).hex() for entry in entries]

    def paint(self, canvas: Canvas) -> None:
        panel, theme = self.panel, self.theme
        paint_axes(canvas, self.plot, theme, x_title=panel.x_title, y_title=panel.y_title)
        paths = [path for path in range(len(panel.labels)) if path != panel.emphasised]
        for path in paths:
            self._paint_path(canvas, path, 1.2, 0.75)
        if panel.emphasised is not None:
            self._paint_path(canvas, panel.emphasised, 2.6, 1.0)
        self._paint_legend(canvas, self._paint_labels(canvas))

    def at(self, x: float, y: float) -> Hit | None:
        if not self.plot.box.holds(x, y) or self._places.size == 0:
            return None
        far = np.hypot(self._places[..., 0] - x, self._places[..., 1] - y)
        path, step = (int(i) for i in np.unravel_index(np.nanargmin(far), far.shape))
        if far[path, step] > REACH:
            return None
        return self._hit(path, step)

    def beside(self, hit: Hit | None, down: int, right: int) -> Hit | None:
        paths, steps = self.panel.points.shape[:2]
        place = walked(hit, down, right, paths, steps, (self.panel.emphasised or 0, 0))
        return None if place is None else self._hit(*place)

    def _hit(self, path: int, step: int) -> Hit:
        panel = self.panel
        across, up = (number(float(value)) for value in panel.points[path, step])
        place = panel.place(path)
        words = f"“{panel.labels[path]}” ({place}), {panel.step_labels[step]}: {across}, {up}"
        picks = {} if panel.pick is None else {panel.pick: place}
        return Hit(text=words, picks=picks, row=path, column=step)

    def paint_hover(self, canvas: Canvas, hit: Hit) -> None:
        if hit.row is None or hit.column is None:
            return
        theme = self.theme
        where = [(float(x), float(y)) for x, y in self._places[hit.row]]
        canvas.line(where, colour=theme.accent, width=2.2)
        for x, y in where:
            canvas.dot(x, y, 2.6, fill=theme.accent)
        x, y = where[hit.column]
        canvas.dot(x, y, 5, fill=theme.accent, stroke=theme.surface)
        label = self.panel.labels[hit.row]
        wide = text.width(label, SIZE, True)
        end_x, end_y = where[-1]
        plate = Rect(end_x + 5, end_y - 9, wide + 6, 18)
        canvas.rect(plate, fill=theme.surface, opacity=0.9, radius=3)
        canvas.text(end_x + 8, end_y, label, colour=theme.accent, size=SIZE, bold=True)

    def _paint_path(self, canvas: Canvas, path: int, width: float, opacity: float) -> None:
        where = [(float(x), float(y)) for x, y in self._places[path]]
        for step in range(1, len(where)):
            canvas.line(
                where[step - 1 : step + 1],
                colour=self._colours[step],
                width=width,
                opacity=opacity if step <= self._reached else AHEAD,
            )
        for step, (x, y) in enumerate(where):
            size = DOT if step == self._reached else 1.2 + width / 3
            if step > self._reached:
                size = 1.2
            canvas.dot(x, y, size, fill=self._colours[step])

    def _paint_labels(self, canvas: Canvas) -> int:
        """The emphasised name first, and always; further ones where they cover neither a point nor
        another name. How many find no such place."""
        panel, theme = self.panel, self.theme
        here = self._places[:, self._reached].tolist() if self._places.size else []
        places = FreePlaces(self.plot.box)
        for x, y in here:
            if math.isfinite(x + y):
                places.take(Rect(x - DOT, y - DOT, 2 * DOT, 2 * DOT))
        order = sorted(range(len(here)), key=lambda path: path != panel.emphasised)
        left_out = 0
        for path in order:
            strong, (x, y) = path == panel.emphasised, here[path]
            if not math.isfinite(x + y):
                continue
            label = text.elide(panel.labels[path], 110, SIZE, strong)
            wanted = list(around_point(x, y, text.width(label, SIZE, strong)))
            room = next((room for room in wanted if places.free(room)), None)
            if room is None and strong:
                room = wanted[wanted[0].right > self.plot.box.right]
            if room is None:
                left_out += 1
                continue
            places.take(Rect(room.x - APART, room.y, room.width + 2 * APART, room.height))
            colour = theme.accent if strong else theme.text
            canvas.rect(around(room, 1), fill=theme.surface, opacity=0.7, radius=3)
            canvas.text(room.x, room.middle[1], label, colour=colour, size=SIZE, bold=strong)
        return left_out

    def _paint_legend(self, canvas: Canvas, left_out: int) -> None:
        """First to last step, in the colours of the paths. left_out: so many names are missing."""
        names = self.panel.step_labels
        if not names:
            return
        x, y = self.plot.box.x, self.box.y + LEGEND / 2 - 2
        canvas.text(x, y, names[0], colour=self.theme.muted, size=SIZE)
        x += text.width(names[0], SIZE) + 10
        for colour in self._colours:
            canvas.dot(x, y, 3.2, fill=colour)
            x += max(4.0, min(12.0, 120.0 / len(self._colours)))
        canvas.text(x + 2, y, names[-1], colour=self.theme.muted, size=SIZE)
        room = self.plot.box.right - x - text.width(names[-1], SIZE)
        self._paint_left_out(canvas, left_out, room)

    def _paint_left_out(self, canvas: Canvas, count: int, room: float) -> None:
        """How many points stand without a name, at the legend's right."""
        if not count:
            return
        short = f"{count} name{'s' * (count > 1)} left out"
        ways = f"{short} for want of room", short, f"{count} unnamed", ""
        said = next(words for words in ways if not words or text.width(words, SIZE) <= room - 18)
        place = self.plot.box.right, self.box.y + LEGEND / 2 - 2
        canvas.text(*place, said, colour=self.theme.muted, size=SIZE, align="right")

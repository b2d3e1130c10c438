"""One scale of colours for several maps of a figure, beside its title."""

from __future__ import annotations

from dataclasses import dataclass

from app.figure import Figure, Heatmap
from app.render import colour_bar, pixels
from app.render.canvas import Canvas
from app.render.geometry import Rect
from app.theme import Theme

AWAY = 16.0  # from the title


@dataclass(frozen=True, slots=True)
class SharedScale:
    """A scale in one line: weight 0 ▬▬▬ 1."""

    limits: tuple[float, float]
    name: str
    scale: str

    @property
    def width(self) -> float:
        """What it takes beside the title, with the room before it."""
        return colour_bar.line_width(self.limits, self.name) + AWAY

    def paint(self, canvas: Canvas, right: float, y: float, theme: Theme) -> None:
        """Draws it up to `right` about `y`."""
        wide = self.width - AWAY
        box = Rect(right - wide, y - 9, wide, 18)
        table = pixels.colours(theme, self.scale)
        colour_bar.paint_line(canvas, box, table, theme, limits=self.limits, name=self.name)


def shared_scale(figure: Figure) -> SharedScale | None:
    """The scale of the panels that leave theirs to the figure's title; None where none does."""
    for panel in figure.panels:
        if isinstance(panel, Heatmap) and panel.scale_at == "title":
            return SharedScale(panel.limits, panel.value_name, panel.scale)
    return None

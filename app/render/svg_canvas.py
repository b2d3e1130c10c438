"""Drawing as SVG text: what QPainter shows, for browsers, Inkscape and LaTeX.

pyqtgraph's own SVG exporter raises with current versions, and neither sizes nor escapes well.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from app.render import pixels, text
from app.render.canvas import Align, Bools, Indices, Point
from app.render.geometry import Rect
from app.render.qt_canvas import indexed_image, png_data

MOST_CELLS = 10_000  # beyond, one embedded image is smaller than rectangles and opens faster
RATIO = 2  # pixels to a unit, of embedded images
FALLBACK = (
    "Noto Sans, Noto Sans CJK SC, Microsoft YaHei, PingFang SC, WenQuanYi Micro Hei, sans-serif"
)
ANCHOR = {"left": "start", "center": "middle", "right": "end"}
# What XML 1.0 cannot hold even escaped; a token may be any control character.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class SvgCanvas:
    """See `canvas.Canvas`. `document` gives the finished text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._stripes: tuple[str, str] | None = None

    def document(self, width: float, height: float, scale: float, title: str) -> str:
        """The SVG of everything drawn, `width` × `height` units shown `scale` times as large."""
        defs = ""
        if self._stripes is not None:
            ground, stripe = self._stripes
            defs = (
                '<defs><pattern id="masked" width="6" height="6" patternUnits="userSpaceOnUse" '
                f'patternTransform="rotate(45)"><rect width="6" height="6" fill="{ground}"/>'
                f'<rect width="1.4" height="6" fill="{stripe}"/></pattern></defs>'
            )
        family = quoteattr(f"{text.family()}, {FALLBACK}")
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'width="{_n(width * scale)}" height="{_n(height * scale)}" '
            f'viewBox="0 0 {_n(width)} {_n(height)}" font-family={family}>\n'
            f"<title>{_text(title)}</title>\n{defs}" + "\n".join(self._parts) + "\n</svg>\n"
        )

    def rect(
        self,
        box: Rect,
        *,
        fill: str | None = None,
        stroke: str | None = None,
        width: float = 1.0,
        radius: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        half = width / 2 if stroke else 0.0
        inner = box.inset(half, half, half, half)
        line = f' stroke="{stroke}" stroke-width="{_n(width)}"' if stroke else ""
        rounded = f' rx="{_n(radius)}"' if radius else ""
        self._parts.append(
            f'<rect {_box(inner)} fill="{fill or "none"}"{line}{rounded}{_opacity(opacity)}/>'
        )

    def line(
        self,
        points: Sequence[Point],
        *,
        colour: str,
        width: float = 1.0,
        dash: bool = False,
        opacity: float = 1.0,
    ) -> None:
        dashes = f' stroke-dasharray="{_n(4 * width)} {_n(2 * width)}"' if dash else ""
        self._parts.append(
            f'<polyline points="{_points(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="{_n(width)}" stroke-linejoin="round"{dashes}{_opacity(opacity)}/>'
        )

    def polygon(self, points: Sequence[Point], *, fill: str, opacity: float = 1.0) -> None:
        shape = f'<polygon points="{_points(points)}" fill="{fill}"{_opacity(opacity)}/>'
        self._parts.append(shape)

    def dot(self, x: float, y: float, radius: float, *, fill: str, stroke: str = "") -> None:
        rim = f' stroke="{stroke}"' if stroke else ""
        circle = f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="{fill}"{rim}/>'
        self._parts.append(circle)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        colour: str,
        size: float = 13,
        bold: bool = False,
        align: Align = "left",
        turn: float = 0,
    ) -> None:
        if not words:
            return
        weight = ' font-weight="bold"' if bold else ""
        turned = f' transform="rotate({_n(turn)} {_n(x)} {_n(y)})"' if turn else ""
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y + text.MIDDLE * size)}" font-size="{_n(size)}" '
            f'fill="{colour}" text-anchor="{ANCHOR[align]}"{weight}{turned} '
            f'xml:space="preserve">{_text(words)}</text>'
        )

    def cells(
        self,
        box: Rect,
        index: Indices,
        hatched: Bools | None,
        table: Indices,
        *,
        blank: Bools | None = None,
        diverging: bool = False,
    ) -> None:
        if index.size > MOST_CELLS:

            def draw(width: int, height: int) -> Indices:
                return pixels.image(
                    *(index, hatched, width, height),
                    blank=blank,
                    ratio=RATIO,
                    diverging=diverging,
                )

            self.raster(box, draw, table)
            return
        # Hatched cells count as one more colour, so that runs of them join as well.
        colours = index.astype(np.int16)
        if blank is not None:
            colours[blank] = pixels.GAP
        if hatched is not None and hatched.any():
            colours[hatched] = 256
            self._stripes = _hex(table, pixels.HATCH), _hex(table, pixels.HATCH_LINE)
        wide, high = box.width / index.shape[1], box.height / index.shape[0]
        self._parts.append('<g shape-rendering="crispEdges">')
        for row, first, count, colour in _runs(colours):
            fill = "url(#masked)" if colour == 256 else _hex(table, colour)
            cell = Rect(box.x + first * wide, box.y + row * high, count * wide, high)
            self._parts.append(f'<rect {_box(cell)} fill="{fill}"/>')
        self._parts.append("</g>")

    def raster(self, box: Rect, draw: Callable[[int, int], Indices], table: Indices) -> None:
        width, height = round(box.width * RATIO), round(box.height * RATIO)
        if width < 1 or height < 1:
            return
        data = base64.b64encode(png_data(indexed_image(draw(width, height), table))).decode("ascii")
        self._parts.append(
            f'<image {_box(box)} preserveAspectRatio="none" image-rendering="pixelated" '
            f'style="image-rendering:pixelated" xlink:href="data:image/png;base64,{data}"/>'
        )


def _runs(colours: NDArray[np.int16]) -> Iterator[tuple[int, int, int, int]]:
    """(row, first column, columns, colour) of neighbours of one colour, row by row."""
    for row, line in enumerate(colours):
        starts = np.flatnonzero(np.diff(line, prepend=line[0] - 1))
        counts = np.diff(starts, append=line.size)
        for first, count in zip(starts.tolist(), counts.tolist(), strict=True):
            yield row, first, count, int(line[first])


def _n(value: float) -> str:
    """A coordinate to a hundredth, without trailing zeros."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def _box(box: Rect) -> str:
    x, y, width, height = map(_n, box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _opacity(opacity: float) -> str:
    return f' opacity="{_n(opacity)}"' if opacity < 1 else ""


def _hex(table: Indices, entry: int) -> str:
    return "#" + bytes(table[entry].tolist()).hex()


def _text(words: str) -> str:
    return escape(FORBIDDEN.sub("\ufffd", words))

"""A figure as a file: PNG, SVG or CSV. Works with a QGuiApplication alone, on the screen or off."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QImage, QPainter

from app.figure import Figure
from app.render.figure_csv import csv_text
from app.render.page import Page, page_height, page_width
from app.render.qt_canvas import QtCanvas, png_data
from app.render.svg_canvas import SvgCanvas
from app.theme import LIGHT, Theme
from app.whole_file import SaveError, write

WIDTH = 1200
NARROWEST, WIDEST = 200, 16_000
TALLEST = 32_000  # QImage and most viewers give up not far beyond
# A picture is laid out this wide at most and then drawn larger, so that its text keeps its
# proportion to the whole whatever the width asked for.
LAID_OUT = 800
SPREAD = 1600  # at most so wide, and drawn smaller, where a panel would hide a part of itself
KINDS = (".png", ".svg", ".csv")


class ExportError(Exception):
    """A figure could not be saved; str() is one sentence for the person."""


def save(
    figure: Figure, path: str | os.PathLike[str], width: int | None = None, theme: Theme = LIGHT
) -> Path:
    """Writes the figure; the kind follows from the name's end: .png, .svg or .csv.

    width: of the picture in pixels, 1200 unless given; CSV ignores it. The file appears whole or
    not at all: on failure a file of that name stays as it was. Returns the path; raises
    ExportError.
    """
    target = Path(path).expanduser()
    kind = target.suffix.lower()
    if kind not in KINDS:
        named = f"not as {target.suffix}" if target.suffix else "but the name has no such ending"
        raise ExportError(f"A figure is saved as .png, .svg or .csv, {named}: {target.name}")
    wide = WIDTH if width is None else width
    if kind != ".csv" and not NARROWEST <= wide <= WIDEST:
        raise ExportError(
            f"A picture may be {NARROWEST} to {WIDEST} pixels wide; {wide} was asked for."
        )
    if kind == ".csv":
        # The byte order mark makes spreadsheets read the labels as UTF-8.
        data = csv_text(figure).encode("utf-8-sig", errors="replace")
    elif kind == ".svg":
        data = svg(figure, wide, theme).encode("utf-8", errors="replace")
    else:
        data = png(figure, wide, theme)
    try:
        write(target, data)
    except SaveError as error:
        raise ExportError(str(error)) from error
    return target


def svg(figure: Figure, width: int = WIDTH, theme: Theme = LIGHT) -> str:
    """The figure as an SVG document `width` pixels wide."""
    page, ratio = _page(figure, width, theme)
    canvas = SvgCanvas()
    page.paint(canvas)
    title = figure.title or "Figure"
    return canvas.document(page.box.width, page.box.height, ratio, title)


def png(figure: Figure, width: int = WIDTH, theme: Theme = LIGHT) -> bytes:
    """The figure as PNG data exactly `width` pixels wide."""
    page, ratio = _page(figure, width, theme)
    image = QImage(width, round(page.box.height * ratio), QImage.Format.Format_RGB32)
    if image.isNull():
        raise ExportError(f"A picture {width} pixels wide does not fit into memory.")
    image.setDevicePixelRatio(ratio)
    image.fill(0xFFFFFFFF)
    image.setText("Title", figure.title)
    painter = QPainter(image)
    page.paint(QtCanvas(painter, ratio))
    painter.end()
    try:
        return png_data(image)
    except OSError as error:
        raise ExportError(f"Qt could not write the picture: {error}.") from error


def _page(figure: Figure, width: int, theme: Theme) -> tuple[Page, float]:
    """The figure laid out, and how many pixels a unit of it is."""
    if QGuiApplication.instance() is None:
        raise RuntimeError("PNG and SVG need a QGuiApplication, for the widths of texts")
    laid_out = max(min(width, LAID_OUT), min(page_width(figure), SPREAD))
    ratio = width / laid_out
    height = page_height(figure, laid_out)
    if height * ratio > TALLEST:
        raise ExportError(
            f"The picture would be {round(height * ratio)} pixels high, more than {TALLEST}; "
            "a smaller width is needed."
        )
    return Page(figure, laid_out, height, theme), ratio

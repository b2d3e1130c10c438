"""A figure's numbers as CSV: every value shown, with the labels and indices it belongs to.

One row a number, in the exact float32 spelling, so that a script or a spreadsheet can group and
pivot. Panels whose columns differ follow one another after an empty line. A mosaic has one row a
map row instead, empty where a cell is masked or left out: its hundred maps would run to millions of
lines.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.figure import (
    Axis,
    Bars,
    Curves,
    Diagram,
    Figure,
    Heatmap,
    Mosaic,
    Panel,
    Paths,
    WordGrid,
    Words,
)
from app.render.readout import noun

Row = list[str | int]


def csv_text(figure: Figure) -> str:
    """The whole figure; panels of the same columns share one heading."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    last: Row | None = None
    for panel in figure.panels:
        title = panel.title or figure.title
        for heading, rows in _parts(panel, title):
            if heading != last:
                if last is not None:
                    writer.writerow([])
                writer.writerow(heading)
                last = heading
            writer.writerows(rows)
    return out.getvalue()


def _parts(panel: Panel, title: str) -> Iterator[tuple[Row, Iterator[Row]]]:
    """Headings and the rows below them: one table a panel, of a diagram one more for the lines that
    stand for numbers."""
    yield _heading(panel), _rows(panel, title)
    if isinstance(panel, Diagram):
        lines = [arrow for arrow in panel.arrows if arrow.value is not None]
        if lines:
            yield ["panel", "line", "value"], ([title, a.note, repr(a.value)] for a in lines)


def _heading(panel: Panel) -> Row:
    match panel:
        case Heatmap():
            details = [name for name, _ in panel.details]
            unseen: Row = ["masked"] if panel.left_out is None else ["masked", "left out"]
            return ["panel", *_grid(panel), panel.value_name, *unseen, *details]
        case Mosaic():
            cells = [_tokens(panel, panel.across, i) for i in range(panel.values.shape[3])]
            down = noun(panel.down)
            return ["panel", *_grid(panel), down, f"{down} label", "tokens a cell", *cells]
        case Bars():
            return ["panel", "rank", "label", "token id", panel.value_name, "state", "note"]
        case Curves():
            return ["panel", "curve", panel.x_title, "x label", panel.y_title]
        case Paths():
            return ["panel", "path", "path label", "step", "step label", "x", "y"]
        case WordGrid():
            exact: Row = ["value"] if _has_values(panel) else []
            return ["panel", *_grid(panel), "text", *exact, panel.value_name or "strength", "note"]
        case Diagram():
            return ["panel", "box", "text", "note", "x", "y", "width", "height"]
        case Words():
            return ["panel", "text"]


def _has_values(panel: WordGrid) -> bool:
    return any(cell.value is not None for cells in panel.cells for cell in cells)


def _grid(panel: Heatmap | Mosaic | WordGrid) -> Row:
    """For example query, query label, key, key label."""
    row, column = noun(panel.rows) or "row", noun(panel.columns) or "column"
    if row == column:  # a table needs one name a column
        row, column = f"row {row}", f"column {column}"
    return [row, f"{row} label", column, f"{column} label"]


def _rows(panel: Panel, title: str) -> Iterator[Row]:
    match panel:
        case Heatmap():
            yield from _heatmap(panel, title)
        case Mosaic():
            yield from _mosaic(panel, title)
        case Bars():
            for rank, bar in enumerate(panel.bars):
                token = "" if bar.token is None else bar.token
                yield [title, rank, bar.label, token, repr(bar.value), bar.state, bar.note]
        case Curves():
            for curve in panel.curves:
                for x, y in zip(_exact(curve.x), _exact(curve.y), strict=True):
                    label = _x_label(panel, float(x))
                    yield [title, curve.name, x, label, y]
        case Paths():
            for path, step in np.ndindex(panel.points.shape[:2]):
                named: Row = [panel.place(path), panel.labels[path]]
                named += [step, panel.step_labels[step]]
                yield [title, *named, *_exact(panel.points[path, step])]
        case WordGrid():
            valued = _has_values(panel)
            for row, cells in enumerate(panel.cells):
                for column, cell in enumerate(cells):
                    place = _place(panel.rows, row, panel.columns, column)
                    said: Row = [cell.text]
                    if valued:
                        said.append("" if cell.value is None else repr(cell.value))
                    strength = "" if cell.strength is None else repr(cell.strength)
                    yield [title, *place, *said, strength, cell.note]
        case Diagram():
            for box in panel.boxes:
                edges = [repr(float(v)) for v in (box.x, box.y, box.width, box.height)]
                yield [title, box.key, f"{box.text} {box.value}".rstrip(), box.note, *edges]
        case Words():
            yield [title, panel.text]


def _heatmap(panel: Heatmap, title: str) -> Iterator[Row]:
    for row in range(panel.values.shape[0]):
        values = _exact(panel.values[row])
        details = [_exact(array[row]) for _, array in panel.details]
        for column, value in enumerate(values):
            unseen: Row = [int(panel.hidden is not None and bool(panel.hidden[row, column]))]
            if panel.left_out is not None:
                unseen.append(int(panel.left_out[row, column]))
            place = _place(panel.rows, row, panel.columns, column)
            more = [detail[column] for detail in details]
            yield [title, *place, value, *unseen, *more]


def _mosaic(panel: Mosaic, title: str) -> Iterator[Row]:
    unseen = np.zeros(panel.values.shape, bool)
    for reason in (panel.hidden, panel.left_out):
        unseen |= False if reason is None else reason
    for row, column, line in np.ndindex(panel.values.shape[:3]):
        place = _place(panel.rows, row, panel.columns, column)
        named: Row = [line * panel.factor, _tokens(panel, panel.down, line, numbered=False)]
        values = zip(
            _exact(panel.values[row, column, line]), unseen[row, column, line], strict=True
        )
        cells = ["" if gone else value for value, gone in values]
        yield [title, *place, *named, panel.factor, *cells]


def _tokens(panel: Mosaic, axis: Axis, cell: int, *, numbered: bool = True) -> str:
    """The tokens of one row or column of a mosaic's maps: “3 cat”, “4 sat – 7 mat”."""
    places = range(cell * panel.factor, (cell + 1) * panel.factor)
    if not axis.labels:
        return f"{noun(axis)} {cell}"
    there = [place for place in places if place < len(axis.labels)]
    ends = dict.fromkeys((there[0], there[-1]))
    return " – ".join(f"{i} {axis.labels[i]}" if numbered else axis.labels[i] for i in ends)


def _place(rows: Axis, row: int, columns: Axis, column: int) -> Row:
    return [*_counted(rows, row), *_counted(columns, column)]


def _counted(axis: Axis, index: int) -> Row:
    """A place's number, empty where it has none, and its label."""
    number = axis.number(index)
    return ["" if number is None else number, _label(axis, index)]


def _label(axis: Axis, index: int) -> str:
    return axis.labels[index] if index < len(axis.labels) else str(index)


def _x_label(panel: Curves, x: float) -> str:
    return panel.x_labels[int(x)] if x.is_integer() and 0 <= x < len(panel.x_labels) else ""


def _exact(values: NDArray[np.generic]) -> list[str]:
    """The shortest decimals that read back as the same numbers."""
    return [str(value) for value in np.asarray(values).ravel()]

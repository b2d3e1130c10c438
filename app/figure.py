"""What a picture is: plain data that the screen, PNG, SVG, CSV and the tests all read; no Qt.

A view returns a Figure; `app/render` turns it into pixels or text. Arrays are numpy. Positions on
axes count from 0; labels are ready to read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis of tokens or of indices.

    title: for example "Query (attends)". labels: one for each row or column, in full; the renderer
    draws those that fit. marks: places to set off (special tokens, padding) as index -> kind,
    kinds "special", "padding", "masked", "generated", "segment_b". numbers: what each place
    counts as in the read-out, where clicked and in CSV, on an axis that shows a part of a text or a
    choice of its tokens (None: it is no token); empty: 0, 1, 2 … notes: a word more on each place
    under the pointer; spoken: what a place is called there, unless by the title and its label.
    in_line: labels of rows that get as much room as these, so that the columns of maps one below
    the other stand in line.
    """

    title: str
    labels: tuple[str, ...]
    marks: tuple[tuple[int, str], ...] = ()
    numbers: tuple[int | None, ...] = ()
    notes: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    in_line: tuple[str, ...] = ()

    def number(self, index: int) -> int | None:
        """What a place counts as."""
        return self.numbers[index] if self.numbers else index

    def part(self, first: int, count: int) -> tuple[str, ...]:
        """The labels of so many places from the first one."""
        return self.labels[first : first + count]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heatmap:
    """Rows from top to bottom, columns from left to right, exactly as `values[row, column]`.

    limits: the value at either end of the colour scale. scale: "sequential" or "diverging".
    hidden: cells that are masked (hatched, not coloured). left_out: cells that are not shown
    because the person asked so (blank), which says nothing of what the model may see; one that is
    hidden too counts as hidden. dead_rows: rows that may see nothing.
    row and column: the pinned cell, row or column; cell_only: of a pinned cell, its row and column
    are not framed too. value_name: what a number is ("weight").
    picks: what clicking selects: pairs of Selection field names for (row, column), None for none.
    details: further named values at each cell, shown on hover. of_rows: a name and a number for
    each row, at least 0, written beside it with a bar, and the number of a bar of full length.
    scale_at: where the scale of the colours stands: "right", "below" in one line, or in the
    figure's "title", once for all panels of the same one.
    """

    title: str
    values: Floats
    rows: Axis
    columns: Axis
    limits: tuple[float, float]
    scale: str = "sequential"
    hidden: Bools | None = None
    left_out: Bools | None = None
    dead_rows: tuple[int, ...] = ()
    row: int | None = None
    column: int | None = None
    cell_only: bool = False
    value_name: str = "value"
    picks: tuple[str | None, str | None] = (None, None)
    details: tuple[tuple[str, Floats], ...] = ()
    of_rows: tuple[str, Floats, float] | None = None
    limits_note: str = ""
    scale_at: str = "right"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mosaic:
    """Many small maps in one image: `tiles[row][column]`, each a map [query, key] in 0–1 limits.

    values: [row, column, height, width], already shrunk by maximum. rows and columns label layers
    and heads; selected: (row, column) framed. hidden, left_out and picks as in Heatmap. across and
    down: the tokens of every map, for CSV, `factor` of them a cell.
    """

    title: str
    values: Floats
    rows: Axis
    columns: Axis
    limits: tuple[float, float] = (0.0, 1.0)
    hidden: Bools | None = None
    left_out: Bools | None = None
    selected: tuple[int, int] | None = None
    value_name: str = "weight"
    picks: tuple[str | None, str | None] = ("layer", "head")
    down: Axis = Axis(title="Map row", labels=())
    across: Axis = Axis(title="Cell", labels=())
    factor: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: a label, a value, and what stands behind it (token id for choosing, note).

    state: why it does not count like the others, in a word for CSV: "cut" by sampling, "masked",
    "not chosen", "not followed"; empty where it does. picks: what a click selects, as (Selection
    field or other name, index).
    """

    label: str
    value: float
    token: int | None = None
    note: str = ""
    state: str = ""
    picks: tuple[tuple[str, int], ...] = ()

    @property
    def dimmed(self) -> bool:
        """How it is painted."""
        return bool(self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Horizontal bars, largest first or as given. limit: value at full width.

    position: the place whose tokens these are, which a click names with the token. takes: whether
    a click takes the token, as the next one of decoding.
    """

    title: str
    bars: tuple[Bar, ...]
    limit: float = 1.0
    value_name: str = "probability"
    note: str = ""
    position: int | None = None
    takes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """A named line; x and y of the same length."""

    name: str
    x: Floats
    y: Floats
    emphasised: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Lines over a shared x axis. x_labels: texts for whole x values, empty for plain numbers."""

    title: str
    curves: tuple[Curve, ...]
    x_title: str
    y_title: str
    x_labels: tuple[str, ...] = ()
    y_limits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Points that move in two dimensions: points[path, step, 2], one path a token.

    places: the number of each path where it is not its place. pick: the Selection field that a
    click on a path sets to its number. reached: the step that stands out; later ones are faint.
    """

    title: str
    points: Floats
    labels: tuple[str, ...]
    step_labels: tuple[str, ...]
    x_title: str = ""
    y_title: str = ""
    emphasised: int | None = None
    places: tuple[int, ...] = ()
    pick: str | None = None
    reached: int | None = None

    def place(self, path: int) -> int:
        return self.places[path] if self.places else path


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a word grid: text, and its strength in 0–1 for the background (None: no colour).

    token: what a click takes, beside the grid's own picks; None where there is nothing to take.
    picks: what a click on the cell selects in place of the grid's own, as (field, index). value:
    the exact number, for CSV, where the text is a rounded one. action: what a click does, in words
    for the window alone.
    """

    text: str
    strength: float | None = 0.0
    note: str = ""
    value: float | None = None
    token: int | None = None
    picks: tuple[tuple[str, int], ...] = ()
    action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordGrid:
    """Words in rows and columns: the lens (layers × positions).

    value_name: what a cell's strength is ("probability"), for a scale below; empty: none is drawn.
    """

    title: str
    cells: tuple[tuple[Cell, ...], ...]
    rows: Axis
    columns: Axis
    picks: tuple[str | None, str | None] = (None, None)
    row: int | None = None
    column: int | None = None
    value_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A box of a diagram in its own coordinates (x right, y down).

    kind: plain, group (a frame behind others), text (no box), embedding, attention, feedforward,
    norm, residual, head or selected. target: the key of a view that a click opens. picks: what a
    click selects, as (Selection field, index); selects: the same for fields that hold words
    ("stack", "part"). series: a number whose colour tints it, as that of an `Arrow`. value: a few
    characters behind the text of a box in an even diagram, which are not cut. action: what a click
    does, in words for the window alone.
    """

    key: str
    text: str
    x: float
    y: float
    width: float
    height: float
    kind: str = "plain"
    note: str = ""
    target: str | None = None
    picks: tuple[tuple[str, int], ...] = ()
    selects: tuple[tuple[str, str], ...] = ()
    series: int | None = None
    value: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A line through points, arrow head at the last.

    kind: plain, selected, residual (dashed), link (a plain one without head) or attention (no
    head; width is the strength, 0–1). series: of attention, whose line it is: lines of one number
    have one colour. note: what hovering says; value: the number behind it, for CSV.
    """

    points: tuple[tuple[float, float], ...]
    kind: str = "plain"
    width: float = 1.0
    text: str = ""
    series: int | None = None
    note: str = ""
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """Boxes and arrows: the architecture, the stages of a layer, lines of attention.

    stretch: as wide as there is room, whatever its proportions. even: boxes of one size have
    letters of one size; what does not fit is cut.
    """

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...] = ()
    width: float = 100.0
    height: float = 100.0
    stretch: bool = False
    even: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Plain sentences where a picture would be: an empty state that says what is missing."""

    title: str
    text: str


Panel = Heatmap | Mosaic | Bars | Curves | Paths | WordGrid | Diagram | Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A whole picture: panels side by side or one below the other, and one sentence of note.

    hint: what can be done with it, for the window alone: an exported picture leaves it out.
    columns: how many panels stand side by side; most_columns: up to so many where they would
    otherwise be too low. weights: relative widths of panels, empty: equal. wide_last: the last
    panel takes all that is left of its row.
    """

    title: str
    panels: tuple[Panel, ...]
    note: str = ""
    hint: str = ""
    columns: int = 1
    most_columns: int = 0
    weights: tuple[float, ...] = field(default=())
    wide_last: bool = False

"""The sentence under the pointer, for example

query “bank” (4) → key “river” (2): weight 0.412 · score 3.17
"""

from __future__ import annotations

from app.figure import Axis, Heatmap
from app.render.numbers import number

# Axes of tokens: the word alone may occur twice, so its position is said too.
TOKEN_AXES = ("query", "key", "position", "token", "input token", "cached position")
KINDS = {
    "special": "special token",
    "padding": "padding",
    "masked": "mask token",  # "masked" is said of cells that may not be seen
    "generated": "generated",
    "segment_b": "segment B",
}


def noun(axis: Axis) -> str:
    """What one place on the axis is called: "query" of "Query (attends)"."""
    words = axis.title.split("(")[0].strip()
    return words[:1].lower() + words[1:]


def place(axis: Axis, index: int) -> str:
    """One place on an axis in words: query "bank" (4), layer 3."""
    name, number = noun(axis), axis.number(index)
    label = axis.labels[index] if index < len(axis.labels) else str(number)
    if axis.spoken:
        words = axis.spoken[index]
    elif label == str(number) or (label.isdigit() and not name.startswith(TOKEN_AXES)):
        words = f"{name} {label}"
    elif name.startswith(TOKEN_AXES) and number is not None:
        words = f"{name} “{label}” ({number})"
    else:
        words = label if name in label.split() else f"{name} {label}"
    more = [axis.notes[index]] if axis.notes else []
    more += [KINDS.get(kind, kind) for at, kind in axis.marks if at == index]
    return ", ".join([words.strip(), *more])


def places(rows: Axis, columns: Axis, row: int | None, column: int | None) -> str:
    """A cell's row and column in words, with an arrow from a query to a key."""
    parts = []
    if row is not None:
        parts.append(place(rows, row))
    if column is not None:
        parts.append(place(columns, column))
    arrow = noun(rows) == "query" and noun(columns) == "key"
    return (" → " if arrow else ", ").join(parts)


def cell(heatmap: Heatmap, row: int, column: int) -> str:
    """What one cell of a heatmap says: its place, its value and the further values named."""
    where = places(heatmap.rows, heatmap.columns, row, column)
    if row in heatmap.dead_rows:
        return f"{where}: no keys, every one is masked for this query"
    if heatmap.hidden is not None and heatmap.hidden[row, column]:
        return f"{where}: masked"
    if heatmap.left_out is not None and heatmap.left_out[row, column]:
        values = ["left out here"]
    else:
        values = [f"{heatmap.value_name} {number(float(heatmap.values[row, column]))}"]
    values += [f"{name} {number(float(array[row, column]))}" for name, array in heatmap.details]
    return f"{where}: {' · '.join(values)}"

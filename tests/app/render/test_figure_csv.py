"""A figure's numbers as CSV: all of them, exactly, with what they belong to."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from app.figure import Arrow, Axis, Bars, Box, Curves, Diagram, Figure, Heatmap, Mosaic, Paths
from app.render.figure_csv import csv_text
from tests.app.render.examples import (
    AWKWARD,
    ENGLISH,
    attention,
    bars,
    curves,
    figures,
    hidden_states,
    mosaic,
    paths,
    words,
)


def read(*panels: object) -> list[dict[str, str]]:
    """The rows of a file whose panels share one heading."""
    text = csv_text(Figure(title="t", panels=panels))  # type: ignore[arg-type]
    return list(csv.DictReader(io.StringIO(text)))


def test_a_heatmap_reads_back_exactly_with_labels_masks_and_details() -> None:
    panel = attention(AWKWARD, masked=True)
    rows = read(panel)
    assert len(rows) == len(AWKWARD) ** 2
    assert list(rows[0]) == [
        "panel",
        "query",
        "query label",
        "key",
        "key label",
        "weight",
        "masked",
        "score",
    ]
    assert panel.hidden is not None
    for row in rows:
        place = int(row["query"]), int(row["key"])
        assert (row["query label"], row["key label"]) == tuple(AWKWARD[i] for i in place)
        assert np.float32(row["weight"]) == panel.values[place]
        assert np.float32(row["score"]) == panel.details[0][1][place]
        assert bool(int(row["masked"])) == panel.hidden[place]


def test_what_is_left_out_is_not_said_to_be_masked() -> None:
    left_out = np.zeros((len(ENGLISH), len(ENGLISH)), dtype=bool)
    left_out[:, 2] = True
    panel = attention(ENGLISH, left_out=left_out)
    for row in read(panel):
        assert row["masked"] == "0"
        assert row["left out"] == str(int(row["key"] == "2"))


def test_bars_name_their_token_ids_and_what_is_cut() -> None:
    panel = bars(["a", "b", "a,b", '"', "\n", "f"])
    rows = read(panel)
    assert isinstance(panel, Bars)
    assert [row["label"] for row in rows] == [bar.label for bar in panel.bars]
    assert [int(row["token id"]) for row in rows] == [bar.token for bar in panel.bars]
    assert [float(row["probability"]) for row in rows] == [bar.value for bar in panel.bars]
    assert [row["state"] for row in rows] == [""] * 5 + ["cut"]


def test_curves_and_paths_read_back_exactly() -> None:
    panel = curves()
    assert isinstance(panel, Curves)
    rows = [row for row in read(panel) if row["curve"] == panel.curves[1].name]
    assert np.float32([row["bits"] for row in rows]).tolist() == panel.curves[1].y.tolist()
    assert rows[0]["x label"] == "embedding"
    tracks = paths(ENGLISH)
    assert isinstance(tracks, Paths)
    found = np.float32([[row["x"], row["y"]] for row in read(tracks)])
    assert (found.reshape(tracks.points.shape) == tracks.points).all()


def test_a_mosaic_has_a_line_for_each_row_of_each_map() -> None:
    panel = mosaic(2, 3, 5)
    assert isinstance(panel, Mosaic)
    rows = read(panel)
    assert len(rows) == 2 * 3 * 5
    said = np.array([[row[f"cell {i}"] for i in range(5)] for row in rows])
    assert panel.hidden is not None
    hidden = panel.hidden.reshape(said.shape)
    assert ((said == "") == hidden).all()  # which is not the same as a weight of 0
    assert (np.float32(said[~hidden]) == panel.values.reshape(said.shape)[~hidden]).all()
    assert (rows[-1]["layer"], rows[-1]["layer label"], rows[-1]["head label"]) == ("1", "2", "3")


@pytest.mark.parametrize(("factor", "keys"), [(1, "2 c"), (2, "4 e")])
def test_the_maps_of_a_mosaic_name_their_tokens_and_how_many_a_cell_holds(
    factor: int, keys: str
) -> None:
    """Of five tokens two a cell the last cell holds one; what is left out is empty too."""
    size = -(-5 // factor)
    left_out = np.zeros((1, 1, size, size), bool)
    left_out[..., 0] = True
    tokens = {
        name: Axis(title=title, labels=tuple("abcde"))
        for name, title in (("down", "Query (attends)"), ("across", "Key (attended to)"))
    }
    panel = replace(
        mosaic(1, 1, size), hidden=None, left_out=left_out, factor=factor, selected=None, **tokens
    )
    rows = read(panel)
    assert len(rows) == size
    found = np.float32([row[keys] for row in rows])
    assert (found == panel.values[0, 0, :, 2]).all()
    first = "0 a" if factor == 1 else "0 a – 1 b"
    assert {row[first] for row in rows} == {""}
    assert {row["tokens a cell"] for row in rows} == {str(factor)}
    assert rows[1]["query"] == str(factor)
    assert rows[1]["query label"] == ("b" if factor == 1 else "c – d")


def test_a_grid_of_words_keeps_its_words() -> None:
    rows = read(words(ENGLISH, 3))
    assert len(rows) == 3 * len(ENGLISH)
    assert rows[1]["text"] == ENGLISH[1]
    assert rows[1]["note"] == "probability 0.41"
    assert "value" not in rows[1]


def test_a_grid_of_numbers_reads_back_exactly() -> None:
    panel = words(ENGLISH, 2)
    cells = tuple(tuple(replace(cell, value=1 / 3) for cell in row) for row in panel.cells)
    gap = (replace(cells[0][0], text="–", value=None), *cells[0][1:])
    panel = replace(panel, cells=(gap, *cells[1:]), value_name="weight")
    rows = read(panel)
    assert rows[0]["value"] == ""
    assert float(rows[1]["value"]) == 1 / 3
    assert float(rows[1]["weight"]) == cells[0][1].strength


def test_a_part_of_a_text_keeps_the_positions_of_the_text() -> None:
    panel = words(ENGLISH, 2)
    numbers = (144, None, *range(146, 144 + len(ENGLISH)))
    panel = replace(panel, columns=replace(panel.columns, numbers=numbers))
    assert [row["position"] for row in read(panel)[:3]] == ["144", "", "146"]


def test_panels_of_different_columns_are_apart() -> None:
    panels = hidden_states(ENGLISH)
    text = csv_text(Figure(title="t", panels=panels))
    parts = text.split("\n\n")
    assert len(parts) == 2
    for part, panel in zip(parts, panels, strict=True):
        assert isinstance(panel, Heatmap)
        rows = list(csv.DictReader(io.StringIO(part)))
        assert len(rows) == panel.values.size
        assert {row["panel"] for row in rows} == {panel.title}


@pytest.mark.parametrize("name", figures())
def test_every_figure_has_a_heading_and_rows_of_its_length(name: str) -> None:
    for part in csv_text(figures()[name]).split("\n\n"):
        lines = list(csv.reader(io.StringIO(part)))
        assert len(lines) > 1
        assert {len(line) for line in lines} == {len(lines[0])}


def test_a_diagram_gives_its_boxes_and_the_numbers_of_its_lines() -> None:
    box = Box(key="a", text="A", x=0, y=0, width=10, height=5, note="n")
    lines = (
        Arrow(points=((0, 0), (1, 1)), note="query 1 → key 2", value=0.1 + 0.2),
        Arrow(points=((0, 0), (1, 1))),
    )
    text = csv_text(Figure(title="t", panels=(Diagram(title="", boxes=(box,), arrows=lines),)))
    boxes, numbers = (part.splitlines() for part in text.split("\n\n"))
    assert boxes == ["panel,box,text,note,x,y,width,height", "t,a,A,n,0.0,0.0,10.0,5.0"]
    assert numbers == ["panel,line,value", f"t,query 1 → key 2,{0.1 + 0.2!r}"]


def test_no_two_columns_have_one_name() -> None:
    axis, values = Axis(title="Token", labels=("a", "b")), np.eye(2, dtype=np.float32)
    panel = Heatmap(title="", values=values, rows=axis, columns=axis, limits=(0, 1))
    heading = csv_text(Figure(title="t", panels=(panel,))).splitlines()[0].split(",")
    assert len(set(heading)) == len(heading)
    assert {"row token", "column token"} <= set(heading)

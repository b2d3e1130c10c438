"""Pictures as files: complete and exact."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.figure import Figure
from app.render import export, svg_canvas
from app.render.export import save
from app.render.page import Page
from app.render.qt_canvas import indexed_image
from app.render.widget import FigureWidget
from app.render.word_grid import WordGridDrawing
from app.theme import DARK, LIGHT, Theme
from tests.app.render.examples import attention, causal, figures, heatmap, words
from tests.app.render.recording import record
from tests.app.render.seven_tokens import LABELS, seven

pytestmark = pytest.mark.usefixtures("qapp")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("width", [300, 801, 1200, 3000])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_png_is_exactly_as_wide_as_asked(tmp_path: Path, width: int, theme: Theme) -> None:
    image = QImage(str(save(seven(), tmp_path / "map.png", width, theme)))
    assert image.width() == width
    assert image.pixelColor(1, 1).name() == theme.surface
    assert image.pixelColor(width - 2, image.height() - 2).name() == theme.surface


def test_a_png_without_a_width_is_1200_wide(tmp_path: Path) -> None:
    assert QImage(str(save(seven(), tmp_path / "map.PNG"))).width() == 1200


@pytest.mark.parametrize("name", figures())
def test_title_axes_and_colour_bar_are_complete(name: str) -> None:
    """All texts of every example lie inside the page at the size of an export."""
    figure = figures()[name]
    height = export.page_height(figure, 800)
    canvas = record(figure, 800, height)
    assert figure.title in canvas.words
    for text in canvas.texts:
        assert text.box.x >= 0, text
        assert text.box.y >= 0, text
        assert text.box.right <= 800, text
        assert text.box.bottom <= height, text


def svg_of(figure: Figure, width: int = 1200, theme: Theme = LIGHT) -> ET.Element:
    return ET.fromstring(export.svg(figure, width, theme))


def test_an_svg_is_well_formed_and_sized(tmp_path: Path) -> None:
    root = ET.parse(save(seven(), tmp_path / "map.svg")).getroot()
    assert root.tag == f"{SVG}svg"
    assert root.get("width") == "1200"
    left, top, width, height = map(float, (root.get("viewBox") or "").split())
    assert (left, top, width) == (0, 0, 800)
    assert float(root.get("height") or 0) == pytest.approx(height * 1.5)
    assert root.findtext(f"{SVG}title") == "Attention <of> a & b"


def test_labels_are_escaped_and_whole() -> None:
    texts = [node.text for node in svg_of(seven()).iter(f"{SVG}text")]
    for label in LABELS:
        assert texts.count(label) == 2
    assert {"Query (attends)", "Key (attended to)", "weight", "masked"} <= set(texts)


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\ud83d", "\ufffe", "\uffff"])
def test_characters_that_xml_cannot_hold_do_not_break_it(character: str) -> None:
    figure = Figure(title=f"a{character}b", panels=(heatmap(np.eye(2), [character, "x"]),))
    assert "a\ufffdb" in [node.text for node in svg_of(figure).iter(f"{SVG}text")]
    assert len(export.png(figure)) > 1000


@pytest.mark.parametrize("name", figures())
def test_every_figure_is_saved_in_every_way(tmp_path: Path, name: str) -> None:
    figure = figures()[name]
    assert not QImage(str(save(figure, tmp_path / "a.png", 700))).isNull()
    ET.parse(save(figure, tmp_path / "a.svg"))
    assert save(figure, tmp_path / "a.csv").stat().st_size > 10
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.png", "a.svg"]


def test_svg_cells_have_the_colours_of_the_png() -> None:
    """Rectangles of one colour each, crisp, in the same places as the PNG's pixels."""
    figure = seven()
    image = QImage.fromData(export.png(figure, 1600))  # two pixels a unit
    root = svg_of(figure)
    groups = [g for g in root.iter(f"{SVG}g") if g.get("shape-rendering") == "crispEdges"]
    cells = max(groups, key=len)
    coloured = 0
    for cell in cells:
        x, y, wide, high = (float(cell.get(k) or 0) for k in ("x", "y", "width", "height"))
        if (cell.get("fill") or "").startswith("url"):
            continue
        coloured += 1
        # Near the corner: a number may be written in the middle.
        for place in ((x + 2, y + 2), (x + wide - 2, y + high - 2)):
            pixel = image.pixelColor(round(2 * place[0]), round(2 * place[1]))
            assert pixel == QColor(cell.get("fill"))
    assert coloured >= 7
    assert root.find(f".//{SVG}pattern") is not None


def test_a_large_map_is_one_crisp_image_in_the_svg() -> None:
    values = np.zeros((256, 256), np.float32)
    values[0, 255] = 1
    hidden = causal(256).T
    figure = Figure(title="t", panels=(heatmap(values, hidden=hidden),))
    images = list(svg_of(figure).iter(f"{SVG}image"))
    largest = max(images, key=lambda node: float(node.get("width") or 0))
    assert largest.get("image-rendering") == "pixelated"
    data = (largest.get("{http://www.w3.org/1999/xlink}href") or "").partition("base64,")[2]
    image = QImage.fromData(base64.b64decode(data))
    peak = "#" + bytes(LIGHT.table("sequential")[255]).hex()
    assert image.pixelColor(image.width() - 1, 0).name() == peak
    assert image.pixelColor(0, image.height() - 1).name() in (LIGHT.hatch, LIGHT.hatch_line)


def test_screen_and_png_are_the_same_picture(qtbot: QtBot) -> None:
    figure = figures()["attention"]
    height = export.page_height(figure, 800)
    widget = FigureWidget()
    qtbot.addWidget(widget)
    widget.resize(800, round(height))
    widget.show_figure(figure)
    screen = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    saved = QImage.fromData(export.png(figure, 800)).convertToFormat(QImage.Format.Format_RGB32)
    assert saved.size() == screen.size()
    assert saved == screen


@pytest.mark.parametrize("name", figures())
def test_screen_and_svg_say_the_same(name: str) -> None:
    figure = figures()[name]
    page, _ = export._page(figure, 1200, LIGHT)
    drawn = record(figure, page.box.width, page.box.height).words
    clean = [re.sub("[\x00-\x08]", "\ufffd", words) for words in drawn if words]
    assert [node.text for node in svg_of(figure).iter(f"{SVG}text")] == clean


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_cells_are_crisp_at_every_pixel_ratio(ratio: float) -> None:
    """No pixel of a map mixes two cells: only colours of the table are in it."""
    from PySide6.QtGui import QPainter

    from app.render.heatmap import HeatmapDrawing
    from app.render.qt_canvas import QtCanvas

    values = np.indices((40, 40)).sum(axis=0) % 2
    page = Page(Figure(title="t", panels=(heatmap(values),)), 500, 400, LIGHT)
    image = QImage(round(500 * ratio), round(400 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    page.paint(QtCanvas(painter, ratio))
    painter.end()
    drawing = page.placed[0].drawing
    assert isinstance(drawing, HeatmapDrawing)
    box = drawing.grid.box
    table = LIGHT.table("sequential")
    ends = {"#" + bytes(table[entry]).hex() for entry in (0, 255)}
    seen = {
        image.pixelColor(x, y).name()
        for x in range(round(box.x * ratio), round(box.right * ratio))
        for y in range(round(box.y * ratio), round(box.bottom * ratio), 7)
    }
    assert seen == ends


def test_it_works_without_a_window_or_widgets(tmp_path: Path) -> None:
    """A QGuiApplication is enough, as the command line has it."""
    code = (
        "import sys; from PySide6.QtGui import QGuiApplication; app = QGuiApplication([])\n"
        "from tests.app.render.examples import figures\n"
        "from app.render.export import save\n"
        "for name, figure in figures().items():\n"
        f"    save(figure, r'{tmp_path}' + '/' + name + '.png', 600)\n"
        f"    save(figure, r'{tmp_path}' + '/' + name + '.svg')\n"
        "print('PySide6.QtWidgets' in sys.modules, 'pyqtgraph' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "False False"
    assert len(list(tmp_path.iterdir())) == 2 * len(figures())


def test_attention_of_512_tokens_stays_a_small_svg() -> None:
    panel = attention([f"t{i}" for i in range(512)], masked=True)
    assert len(export.svg(Figure(title="t", panels=(panel,)))) < 2_000_000


def test_an_image_index_survives_the_round_trip() -> None:
    index = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image = QImage.fromData(svg_canvas.png_data(indexed_image(index, LIGHT.table("sequential"))))
    assert (image.width(), image.height()) == (4, 3)
    expected = LIGHT.table("sequential")[6].tolist()
    colour = image.pixelColor(2, 1)
    assert [colour.red(), colour.green(), colour.blue()] == expected


@pytest.mark.parametrize("width", [600, 800, 1200, 2400])
def test_a_saved_grid_of_words_shows_all_its_columns(qapp: object, width: int) -> None:
    """Nobody can scroll in a file."""
    labels = [f"word{i}" for i in range(24)]
    figure = Figure(title="t", panels=(words(labels, 5),))
    page, ratio = export._page(figure, width, LIGHT)
    drawing = page.placed[0].drawing
    assert isinstance(drawing, WordGridDrawing)
    assert drawing.window == drawing.whole
    assert page.box.width * ratio == pytest.approx(width)
    few, _ = export._page(Figure(title="t", panels=(words(labels[:4], 5),)), width, LIGHT)
    assert few.box.width == min(width, 800)

"""Screenshots of the real window: what should be seen is really painted, and nothing is cut."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.theme import DARK, LIGHT
from app.wiring import App
from tests.app.driver import Opener, heatmap, settled

Pixels = np.ndarray


def shot(app: App, widget: QWidget) -> Pixels:
    """[row, column, RGB] of a widget, cut out of a picture of the whole window."""
    image = app.window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4).copy()
    corner = widget.mapTo(app.window, QPoint(0, 0))
    area = QRect(corner, widget.size())
    return data[area.top() : area.bottom() + 1, area.left() : area.right() + 1, 2::-1]


def has(pixels: Pixels, colour: str, *, near: int = 0) -> int:
    wanted = np.array(QColor(colour).getRgb()[:3], int)
    return int((np.abs(pixels.astype(int) - wanted).max(axis=-1) <= near).sum())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_heatmap_has_the_colours_of_its_values(
    qtbot: QtBot, open_app: Opener, theme: str
) -> None:
    app = open_app()
    app.session.display(theme=theme)
    app.window.prompt.text.setPlainText("ab")
    settled(qtbot, app)
    widget = app.window.pictures.widgets["attention"]
    pixels = shot(app, widget)
    table = (LIGHT if theme == "light" else DARK).table("sequential")
    values = heatmap(app).values
    # A cell is large, and only the number in its middle is not of its colour.
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            red, green, blue = table[round(255 * float(values[row, column]))]
            assert has(pixels, QColor(int(red), int(green), int(blue)).name(), near=3) > 200


def test_labels_are_painted_beside_the_map(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.prompt.text.setPlainText("ab")
    settled(qtbot, app)
    widget = app.window.pictures.widgets["attention"]
    points = [
        (x, y)
        for y in range(0, widget.height(), 3)
        for x in range(0, widget.width(), 3)
        if (hit := widget.page.at(x, y)) is not None
        and {"query", "key"} <= dict(hit[1].picks).keys()
    ]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    pixels = shot(app, widget)
    beside, above = pixels[top:, 30:left], pixels[40:top, left:]
    for margin in (beside, above):
        assert has(margin, LIGHT.text, near=40) > 20, "no writing beside the map"


def test_chips_are_painted_each_in_its_kind(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.prompt.text.setPlainText("ab [MASK]")
    app.window.prompt.pad_to.setValue(8)
    settled(qtbot, app)
    chips = app.window.prompt.chips
    pixels = shot(app, chips)

    def cut(kind: str) -> Pixels:
        index = next(i for i, chip in enumerate(chips.chips) if chip.kind == kind)
        box = chips.box(index).toRect()
        return pixels[box.top() : box.bottom() + 1, box.left() : box.right() + 1]

    masked = cut("masked")
    assert has(masked, LIGHT.accent) > masked.shape[0] * masked.shape[1] / 2
    assert has(cut("special"), LIGHT.kind("special"), near=60) > 20
    assert has(cut("word"), LIGHT.text, near=60) > 5
    assert has(cut("padding"), LIGHT.kind("padding"), near=40) > 10


def test_mask_thumbnail_and_prediction_bars_are_painted(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    thumbnail = shot(app, app.window.mask_panel.maps["decoder.self"])
    seen, hidden = has(thumbnail, LIGHT.lines[0]), has(thumbnail, LIGHT.hatch_line)
    assert 0.6 < hidden / seen < 1.2, "half a causal mask is hidden"
    app.window.predictions.narrowing.temperature.setValue(0)
    settled(qtbot, app)
    qtbot.wait(20)
    bars = shot(app, app.window.predictions.figure)
    assert len(np.unique(bars.reshape(-1, 3), axis=0)) > 10


def visible(window: QWidget, kind: type[QWidget]) -> list[QWidget]:
    return [widget for widget in window.findChildren(kind) if widget.isVisible()]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("source", ["random:encoder", "random:decoder", "random:encoder-decoder"])
def test_nothing_is_cut_at_1366_by_768(
    qtbot: QtBot, open_app: Opener, source: str, theme: str
) -> None:
    app = open_app(source)
    app.session.display(theme=theme)
    window = app.window
    window.resize(1366, 768 - 28)  # a title bar
    settled(qtbot, app)
    qtbot.wait(30)  # for layouts to follow the last texts
    assert (window.width(), window.height()) == (1366, 740), "the window needs more room"
    whole = window.rect()
    for widget in visible(window, QWidget):
        if not _inside_scrolling(widget):
            corner = widget.mapTo(window, QPoint(0, 0))
            assert whole.contains(QRect(corner, widget.size())), widget
    for label in visible(window, QLabel):
        if label.text() and not label.wordWrap() and not _inside_scrolling(label):
            assert label.width() >= label.sizeHint().width() - 1, label.text()
        elif label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()) - 1, label.text()
    for button in visible(window, QAbstractButton):
        if isinstance(button, (QPushButton, QToolButton, QCheckBox)) and button.text():
            assert button.width() >= button.sizeHint().width() - 1, button.text()
    for combo in visible(window, QComboBox):
        room = combo.width() - 24
        assert QFontMetrics(combo.font()).horizontalAdvance(combo.currentText()) <= room
    for line in visible(window, QLineEdit):
        needed = QFontMetrics(line.font()).horizontalAdvance(line.text() or line.displayText())
        assert line.width() >= needed, line.text()
    for bar in visible(window, QTabBar):
        last = max(bar.tabRect(i).right() for i in range(bar.count()) if bar.isTabVisible(i))
        assert last <= bar.width(), "the tabs do not fit"


def _inside_scrolling(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            return True
        parent = parent.parentWidget()
    return False


def test_everything_that_can_be_used_has_a_name(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    nameless = []
    for kind in (QAbstractButton, QComboBox, QLineEdit):
        for widget in visible(app.window, kind):
            named = widget.accessibleName() or (
                widget.text() if isinstance(widget, QAbstractButton) else ""
            )
            inside = widget.parentWidget()
            if not named and not (inside is not None and inside.accessibleName()):
                nameless.append(widget)
    # Qt's own buttons of docks and tabs speak for themselves.
    assert not [w for w in nameless if type(w).__module__.startswith("app.")]
    assert len([w for w in nameless if not w.objectName().startswith(("qt_", "Scroll"))]) == 0


@pytest.mark.parametrize("model", ["encoder", "encoder-decoder"])
def test_every_stop_of_the_tab_key_has_a_name(qtbot: QtBot, open_app: Opener, model: str) -> None:
    app = open_app(f"random:{model}")
    settled(qtbot, app)
    stops = [
        widget
        for widget in visible(app.window, QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    ]
    assert len(stops) > 20
    for widget in stops:
        around = widget.parentWidget()
        named = widget.accessibleName() or str(widget.property("text") or "")
        # Qt's own parts speak for themselves.
        assert named or (around is not None and around.accessibleName()), widget
    assert app.window.predictions.figure is not None
    assert app.window.predictions.figure.accessibleName() == "Predictions"


def test_the_panels_keep_their_widths_from_model_to_model(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    widths = [dock.width() for dock in app.window.docks]
    for architecture in ("encoder-decoder", "decoder", "encoder"):
        app.session.opening.choose_architecture(architecture)
        qtbot.waitUntil(
            lambda a=architecture: (
                app.store.state.model.spec.architecture == a and app.store.state.answer is not None
            )
        )
        settled(qtbot, app)
        qtbot.wait(30)
        assert [dock.width() for dock in app.window.docks] == widths, architecture

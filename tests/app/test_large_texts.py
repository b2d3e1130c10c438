"""Where the system's texts are large the window still fits, and its controls stand in two rows."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.panels.folding import Folding
from app.wiring import App
from tests.app.driver import Opener, settled

USUAL = 12  # pixels of the usual text here
SCREENS = {1.0: (1024, 700), 1.5: (1024, 768), 2.0: (1366, 768)}
CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox)


@pytest.fixture(params=[1.5, 2.0], ids=["150 %", "200 %"])
def screen(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """Width and height of the smallest screen for texts as large as the system's now."""
    before, larger = QApplication.font(), QApplication.font()
    larger.setPixelSize(round(request.param * USUAL))
    QApplication.setFont(larger)
    yield SCREENS[request.param]
    QApplication.setFont(before)


def placed(qtbot: QtBot, app: App, size: tuple[int, int]) -> None:
    app.window.resize(*size)
    settled(qtbot, app)
    qtbot.waitUntil(lambda: app.window.size().toTuple() == size)


def cut(panel: QWidget) -> list[str]:
    """The controls in sight that reach over an edge of what they stand in, or lack letters."""
    found = []
    for control in [c for kind in CONTROLS for c in panel.findChildren(kind)]:
        parent = control.parentWidget()
        if not control.isVisible() or isinstance(parent, CONTROLS):
            continue
        over = control.geometry().right() >= parent.width()
        if over or (control.width() < control.minimumSizeHint().width() and not _short(control)):
            found.append(control.accessibleName() or type(control).__name__)
    return found


def _short(control: QWidget) -> bool:
    """Made narrower on purpose, as its usual number is short, or it is an icon."""
    return isinstance(control, QAbstractSpinBox) or not getattr(control, "text", str)()


@pytest.mark.parametrize("model", ["encoder", "decoder", "encoder-decoder"])
def test_the_window_fits_a_small_screen(
    qtbot: QtBot, open_app: Opener, screen: tuple[int, int], model: str
) -> None:
    app = open_app(f"random:{model}")
    placed(qtbot, app, screen)
    if model != "encoder":
        app.session.stepping.choose(strategy="beam", max_new_tokens=3)
        app.session.stepping.last()
        settled(qtbot, app)
    least = app.window.minimumSizeHint()
    assert least.width() <= screen[0]
    assert least.height() <= screen[1] - 60, "a title and a bar of tasks stand on it too"
    assert app.window.size().toTuple() == screen
    for panel in (app.window.sitebar, app.window.prompt, app.window.predictions.narrowing):
        qtbot.waitUntil(lambda p=panel: not cut(p))


def test_controls_stand_in_two_rows_and_come_back_to_one(
    qtbot: QtBot, open_app: Opener, screen: tuple[int, int]
) -> None:
    app = open_app("random:decoder")
    placed(qtbot, app, screen)
    app.session.stepping.choose(strategy="beam")
    (options,) = app.window.prompt.findChildren(Folding)
    (steered,) = app.window.decoding.findChildren(Folding)
    qtbot.waitUntil(lambda: options.folded and steered.folded)
    assert app.window.prompt.special.y() > app.window.prompt.pad_to.y()
    placed(qtbot, app, (app.window.minimumSizeHint().width(), screen[1]))
    bar, narrowing = app.window.sitebar, app.window.predictions.narrowing
    qtbot.waitUntil(lambda: bar.head.y() > bar.layer.geometry().bottom())
    qtbot.waitUntil(lambda: narrowing.top_p.y() > narrowing.temperature.y())
    placed(qtbot, app, (2200, screen[1]))
    qtbot.waitUntil(lambda: not steered.folded)
    qtbot.waitUntil(lambda: bar.head.x() > bar.layer.geometry().right())


@pytest.mark.parametrize("model", ["encoder", "decoder", "encoder-decoder"])
def test_usual_texts_stand_in_one_row(qtbot: QtBot, open_app: Opener, model: str) -> None:
    app = open_app(f"random:{model}")
    placed(qtbot, app, SCREENS[1.0])
    app.session.stepping.choose(strategy="beam")
    settled(qtbot, app)
    folding = app.window.findChildren(Folding)
    assert len(folding) == 2
    bar, narrowing = app.window.sitebar, app.window.predictions.narrowing
    qtbot.waitUntil(lambda: not any(row.folded for row in folding))
    assert bar.head.x() > bar.layer.geometry().right()
    assert narrowing.top_p.y() == narrowing.temperature.y()
    tabs = app.window.pictures.tabs
    assert tabs.groups.font().pixelSize() in (-1, QFontInfo(QApplication.font()).pixelSize())


def test_names_of_views_are_smaller_before_they_are_cut(
    qtbot: QtBot, open_app: Opener, screen: tuple[int, int]
) -> None:
    app = open_app("random:decoder")
    placed(qtbot, app, screen)
    groups = app.window.pictures.tabs.groups
    whole = QFontInfo(QApplication.font()).pixelSize()
    qtbot.waitUntil(lambda: 13 <= QFontInfo(groups.font()).pixelSize() < whole)
    placed(qtbot, app, (2600, screen[1]))
    qtbot.waitUntil(lambda: QFontInfo(groups.font()).pixelSize() == whole)


def test_what_is_going_on_does_not_widen_the_window(
    qtbot: QtBot, open_app: Opener, screen: tuple[int, int]
) -> None:
    app = open_app("random:encoder-decoder")
    placed(qtbot, app, screen)
    status = app.window.status
    facts = (status.tokens, status.times)
    others = sum(max(f.minimumSizeHint().width(), f.minimumWidth()) for f in facts)
    letter = status.fontMetrics().horizontalAdvance("m")
    status.model.setText("m" * ((screen[0] - others - 200) // letter))  # 200 are too few for a bar
    qtbot.wait(20)
    assert app.window.size().toTuple() == screen
    done = Event()
    app.tasks.submit("run", lambda job: done.wait(20), lambda _: None, lambda _: None)
    qtbot.waitUntil(status.cancel.isVisible)
    qtbot.wait(20)
    assert app.window.size().toTuple() == screen
    assert not status.model.isVisible()
    done.set()
    qtbot.waitUntil(status.model.isVisible)

"""The widget that shows figures, of a usual size and on screen."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.render.widget import FigureWidget


@pytest.fixture
def widget(qtbot: QtBot) -> FigureWidget:
    made = FigureWidget()
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.show()
    return made

"""The real window on small random models, with settings of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.imports import finish_torch, import_core
from app.settings import Settings
from app.wiring import App
from tests.app.driver import Opener, QuickCore, settled


@pytest.fixture
def open_app(qtbot: QtBot, tmp_path: Path) -> Iterator[Opener]:
    """Opens the window on a model and waits for its first picture."""
    import_core()  # once: imports cannot be interrupted, and a test may end in the middle of one
    finish_torch()
    opened: list[App] = []
    QApplication.setStyle("Fusion")

    def opener(source: str = "random:encoder", *, core: Any = None, wait: bool = True) -> App:
        made = App(
            source,
            settings=Settings(tmp_path / "settings.ini"),
            core=core if core is not None else QuickCore(),
        )
        opened.append(made)
        made.window.resize(1366, 768)
        made.window.show()
        if wait:
            qtbot.waitUntil(lambda: made.store.state.answer is not None, timeout=30_000)
            settled(qtbot, made)
        return made

    yield opener
    for made in opened:
        made.window.close()
        assert made.clean, "the worker did not end with the window"
        made.window.deleteLater()
        made.deleteLater()
    opened.clear()
    qtbot.wait(1)

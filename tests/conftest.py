"""What every test runs under. The variables count only if set before Qt and torch are imported."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The models under test are tiny: a second thread costs more than it brings, and libgomp's waiting
# threads spin against the window's.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# A test that would reach for the network fails at once, on every machine.
os.environ["HF_HUB_OFFLINE"] = "1"
# Neither reads nor changes the settings of the person who runs the tests.
_SETTINGS = tempfile.mkdtemp(prefix="trifocal-tests-")
atexit.register(shutil.rmtree, _SETTINGS, ignore_errors=True)
os.environ["XDG_CONFIG_HOME"] = _SETTINGS


@pytest.fixture(autouse=True)
def no_widget_left_alive(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves a top-level widget behind, as a leaked window or dialog does."""
    before = _top_level_widgets()
    failed_before = request.session.testsfailed
    yield
    if request.session.testsfailed > failed_before:
        return  # its traceback may keep widgets alive
    left = _top_level_widgets() - before
    if left:
        gc.collect()
        left = _top_level_widgets() - before
    assert not left, f"top-level widgets left alive: {sorted(name for _, name in left)}"


def _top_level_widgets() -> set[tuple[int, str]]:
    """The C++ address and a description of each; a Python reference would keep a widget alive."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return set()
    from PySide6.QtCore import QCoreApplication, QEvent
    from shiboken6 import getCppPointer

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return {
        (getCppPointer(widget)[0], f"{type(widget).__name__} {widget.objectName()!r}")
        for widget in widgets.QApplication.topLevelWidgets()
    }

"""In a process of its own: first paint before torch, a clean end at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FIRST_PAINT = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from app.settings import Settings
from app.wiring import App

application = QApplication([])
app = App("random:encoder", settings=Settings(Path(sys.argv[1])))

def painted():
    image = app.window.grab().toImage()
    colours = {image.pixelColor(x, 40).name() for x in range(image.width())}
    assert len(colours) > 3, "nothing was painted"
    print({"torch", "numpy"} & set(sys.modules))
    application.quit()

app.window.painted.disconnect()
app.window.painted.connect(painted)
app.window.show()
application.exec()
app.window.close()
"""

CLOSING = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app import wiring
from app.engine import Engine

when = sys.argv[2]

class Slow(Engine):
    def abilities(self):
        if when == "import":
            close_soon()
        return super().abilities()

    def load(self, source, device, report, stop):
        if when == "load":
            close_soon()
            time.sleep(1)
        return super().load(source, device, report, stop)

    def run(self, question, previous, stop):
        if when == "run":
            close_soon()
            time.sleep(1)
        return super().run(question, previous, stop)

    def advance(self, *arguments, **more):
        close_soon()
        time.sleep(1)
        return super().advance(*arguments, **more)

stamp = Path(sys.argv[1]).with_suffix(".stamp")

def close_soon():
    stamp.write_text(repr(time.time()))

wiring.Engine = Slow

def watch():
    windows = [w for w in QApplication.topLevelWidgets() if type(w).__name__ == "Window"]
    for window in windows:
        if when == "decode" and window.decoding.buttons["step"].isEnabled() and not stamp.exists():
            window.decoding.buttons["last"].click()
        if when == "export" and window._store.state.answer is not None:
            stamp.write_text(repr(time.time()))
            window.exporting.save(Path(sys.argv[1]).with_suffix(".svg"))
            window.close()
        elif stamp.exists():
            window.close()
    QTimer.singleShot(20, watch)

application = QApplication([])
QTimer.singleShot(0, watch)
code = wiring.open_window("random:decoder", Path(sys.argv[1]))
sys.exit(code)
"""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_the_window_is_painted_before_torch_and_numpy_are_imported(tmp_path: Path) -> None:
    done = run(FIRST_PAINT, str(tmp_path / "s.ini"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "set()", "numpy too takes a fifth of the time to first paint"


@pytest.mark.parametrize("moment", ["import", "load", "run", "decode", "export"])
def test_closing_the_window_at_any_moment_ends_cleanly(tmp_path: Path, moment: str) -> None:
    settings = tmp_path / "s.ini"
    done = run(CLOSING, str(settings), moment)
    ended = time.time()
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert not told
    asked = float(settings.with_suffix(".stamp").read_text())
    assert ended - asked < 3, "it took longer than three seconds to go away"

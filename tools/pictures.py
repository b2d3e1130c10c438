"""The README's pictures: `python tools/pictures.py` draws docs/*.png with the built-in models."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.wiring import App


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A window to photograph. inputs, look: fields of Inputs and of Selection; steps: how many
    tokens to decode first."""

    name: str
    model: str
    inputs: dict[str, Any]
    view: str = "attention"
    look: dict[str, Any]
    steps: int = 0
    theme: str = "light"
    size: tuple[int, int] = (1366, 768)


SCENES = (
    Scene(
        name="window",
        model="builtin:encoder",
        inputs={"text": "She opened the [MASK] and went out."},
        look={"layer": 1, "head": None, "query": 4},
    ),
    Scene(
        name="translation",
        model="builtin:translator",
        inputs={"text": "<2en>我爱AI。"},
        look={"stack": "decoder", "part": "cross", "layer": 2, "head": None},
        steps=5,
        theme="dark",
    ),
    Scene(
        name="decoding",
        model="builtin:decoder",
        inputs={"text": "Once upon a time there was a"},
        view="over_time",
        look={"stack": "decoder"},
        steps=10,
    ),
    Scene(
        name="induction",
        model="builtin:decoder",
        inputs={"text": "blue river seven lamp green stone. blue river seven"},
        view="inside_head",
        look={"stack": "decoder", "layer": 3, "head": 2},
    ),
    Scene(
        name="lens",
        model="builtin:encoder",
        inputs={"text": "He sat on the bank of the [MASK]."},
        view="lens",
        look={"layer": 2},
        theme="dark",
    ),
    Scene(
        name="architecture",
        model="builtin:translator",
        inputs={"text": "<2en>我爱AI。", "target": "I love AI."},
        view="architecture",
        look={},
    ),
)


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    application.setStyle("Fusion")
    (ROOT / "docs").mkdir(exist_ok=True)
    wanted = set(sys.argv[1:]) or {scene.name for scene in SCENES}
    for scene in SCENES:
        if scene.name in wanted:
            picture = ROOT / "docs" / f"{scene.name}.png"
            take(application, scene, picture)
            print(picture.relative_to(ROOT))
    return 0


def take(application: QApplication, scene: Scene, picture: Path) -> None:
    """Open the window as a person would, and save what it shows."""
    from app.settings import Settings
    from app.wiring import App

    with tempfile.TemporaryDirectory() as folder:
        app = App(scene.model, settings=Settings(Path(folder) / "settings.ini"))
        app.session.display(theme=scene.theme)
        app.window.resize(*scene.size)
        app.window.show()
        settle(application, app, lambda: app.store.state.answer is not None)
        app.session.write(**scene.inputs)
        settle(application, app)
        for _ in range(scene.steps):
            if app.store.state.ending:
                break
            app.window.decoding.buttons["step"].click()
            settle(application, app)
        app.session.look_at(scene.view)
        app.store.select(**scene.look)
        settle(application, app)
        app.window.setFocus()
        application.processEvents()
        app.window.grab().save(str(picture))
        app.window.close()
        app.deleteLater()


def settle(application: QApplication, app: App, also: Callable[[], bool] = lambda: True) -> None:
    """Let the event loop turn until nothing runs and the newest state is drawn."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        application.processEvents()
        state = app.store.state
        current = state.answer is not None and state.answer.inputs == state.inputs
        if state.busy is None and not app.window.pictures.pending and current and also():
            application.processEvents()
            return
        time.sleep(0.005)
    raise TimeoutError("the window did not settle")


if __name__ == "__main__":
    sys.exit(main())

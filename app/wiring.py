"""Start-up: the only place that knows everyone."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app import examples, finishing, resting
from app.engine import Engine
from app.finishing import Finishing
from app.lanes import LANES, LASTING
from app.resting import Resting
from app.session import Core, Session
from app.settings import Remembered, Settings
from app.starting import START
from app.store import State, Store
from app.tasks import Tasks
from app.telling import told
from app.window import Window
from core.memory import keep_freed_memory


class App(QObject):
    """Store, tasks, session and window, wired; remembers choices when the window goes away."""

    def __init__(
        self, source: str = "", *, settings: Settings | None = None, core: Core | None = None
    ) -> None:
        super().__init__()
        self.settings = settings if settings is not None else Settings()
        known = self.settings.load()
        self.store = Store(_state(known))
        lanes = (START, *LANES, finishing.LANE, resting.LANE)
        self.tasks = Tasks(*lanes, lasting=LASTING, parent=self)
        self.session = Session(
            self.store,
            self.tasks,
            core if core is not None else Engine(),
            known=known.by_architecture,
            parent=self,
        )
        self.session.opening.starting.expect(source or known.source)
        self.window = Window(self.store, self.session, examples.read())
        self.window.restore(known.geometry, known.layout)
        self.finishing = Finishing(self.store, self.tasks, parent=self)
        self.resting = Resting(self.store, self.tasks, parent=self)
        self._closed, self._clean = False, True
        self.window.painted.connect(self._start)
        self.window.closed.connect(self.close)

    def _start(self) -> None:
        """Only now, with the window on screen, is the core imported, in the worker."""
        self.session.opening.start()

    def close(self) -> bool:
        """Remember the choices and end the work; False if something could not be interrupted."""
        if self._closed:
            return self._clean
        self._closed = True
        self._remember()
        self.window.hide()  # what cannot be interrupted is waited for out of sight
        self._clean = self.tasks.close()
        for error in self.tasks.untold:  # the window that would say so is gone
            print(told(error, self.store.state.model), file=sys.stderr)
        return self._clean

    @property
    def clean(self) -> bool:
        """Whether the worker has ended, so that Python may shut down in its ordinary way."""
        return self._clean

    def _remember(self) -> None:
        state = self.store.state
        known = self.session.opening.keep()
        geometry, layout = self.window.layout_state()
        self.settings.save(
            Remembered(
                source=state.model.source if state.model is not None else state.source,
                device=state.device,
                view=state.view,
                fronts=dict(state.fronts),
                display=state.display,
                narrowing=state.narrowing,
                decode=state.decode,
                recent=state.recent,
                by_architecture=known,
                geometry=geometry,
                layout=layout,
            )
        )


def _state(known: Remembered) -> State:
    return replace(
        State(),
        device=known.device,
        view=known.view,
        fronts=known.fronts,
        display=known.display,
        narrowing=known.narrowing,
        decode=known.decode,
        recent=known.recent,
    )


def open_window(source: str, settings: Path | None = None) -> NoReturn:
    """Show the window until it is closed, then end the process with the exit code."""
    # Waiting OpenMP threads would spin against the window's; must be set before torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    keep_freed_memory()
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Trifocal")
    application.setStyle("Fusion")
    app = App(source, settings=Settings(settings))
    # A projector may be smaller than the window would like to be.
    app.window.resize(app.window.size().boundedTo(app.window.screen().availableSize()))
    app.window.show()
    code = application.exec()
    app.close()
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything is saved. The worker may be inside an import or a C call, under which Python's own
    # shutdown could crash; and with torch that takes up to a second.
    os._exit(code)

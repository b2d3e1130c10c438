"""Dear pictures are prepared off the window's thread, and never computed in it. What gave way to
something else is prepared again."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.panels.nothing_read import PREPARING, UNPREPARED
from app.panels.status import StatusLine
from app.wiring import App
from core.errors import Cancelled
from core.progress import Watch
from tests.app.driver import Opener, QuickCore, settled


def test_looking_elsewhere_meanwhile_waits_for_its_own_preparation(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.session.look_at("lens")
    settled(qtbot, app)
    pictures = app.window.pictures
    real = pictures._views["lens"]
    go_on, ready, drawn = threading.Event(), set[int | None](), []

    def prepare(trace: Any, selection: Any, options: Any, stop: Any) -> None:
        assert go_on.wait(10)
        ready.add(selection.query)

    def draw(trace: Any, selection: Any, options: Any) -> Any:
        drawn.append((selection.query, selection.query in ready))
        return real.draw(trace, selection, options)

    pictures._views["lens"] = replace(
        real, prepare=prepare, draw=draw, ready=lambda t, selection, o: selection.query in ready
    )
    app.store.select(query=1)
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))
    app.store.select(query=2)
    qtbot.wait(20)
    go_on.set()
    settled(qtbot, app)
    assert drawn == [(2, True)]


def test_other_options_meanwhile_wait_for_their_own_preparation(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.session.look_at("head_table")
    settled(qtbot, app)
    pictures = app.window.pictures
    real = pictures._views["head_table"]
    go_on, ready, drawn = threading.Event(), set[bool](), []

    def prepare(trace: Any, selection: Any, options: Any, stop: Any) -> None:
        assert go_on.wait(10)
        ready.add(options.drop_sinks)

    def draw(trace: Any, selection: Any, options: Any) -> Any:
        drawn.append((options.drop_sinks, options.drop_sinks in ready))
        return real.draw(trace, selection, options)

    pictures._views["head_table"] = replace(
        real, prepare=prepare, draw=draw, ready=lambda t, s, options: options.drop_sinks in ready
    )
    app.store.select(layer=1)
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))
    app.session.display(drop_sinks=True)
    qtbot.waitUntil(lambda: not pictures.pending)
    go_on.set()
    settled(qtbot, app)
    assert drawn == [(True, True)]


def test_the_status_line_tells_how_far_it_is(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    go_on = threading.Event()
    pictures = app.window.pictures
    real = pictures._views["ablation"]
    assert real.prepare is not None
    prepare = real.prepare

    def waiting(trace: Any, selection: Any, options: Any, stop: Any) -> None:
        heard: list[float] = []

        def report(fraction: float) -> None:
            stop.done(fraction)
            heard.append(fraction)
            assert len(heard) < 2 or go_on.wait(10)

        prepare(trace, selection, options, Watch(stop, report))

    def reached(fraction: float) -> bool:
        busy = app.store.state.busy
        return busy is not None and busy.fraction == pytest.approx(fraction)

    pictures._views["ablation"] = replace(real, prepare=waiting)
    monkeypatch.setattr("app.tasks._REPORT_EVERY", 0.0)
    try:
        app.session.look_at("ablation")
        qtbot.waitUntil(lambda: reached(0.4))  # of 4 + 3 + 2 + 1 layers to run again, the first 4
        status = app.window.statusBar()
        assert isinstance(status, StatusLine)
        qtbot.waitUntil(lambda: not status.progress.isHidden())
        assert status.progress.value() == 400
        assert status.activity.text() == "Preparing the picture"
    finally:
        go_on.set()
    settled(qtbot, app)
    assert status.progress.isHidden()


class Endless(QuickCore):
    """A core that loads another model until it is stopped."""

    def load(self, source: str, device: str, report: Any, stop: Any) -> Any:
        while self._opened and not stop():
            time.sleep(0.01)
        if self._opened:
            raise Cancelled("Loading was cancelled.")
        self._opened = True
        return super().load(source, device, report, stop)


def held(app: App, key: str) -> threading.Event:
    """Nothing of a view is ready before it was prepared, and that waits for this."""
    go_on, ready = threading.Event(), set[Any]()
    pictures = app.window.pictures

    def prepare(trace: Any, selection: Any, options: Any, stop: Any) -> None:
        while not go_on.wait(0.01):
            if stop():
                raise Cancelled("The work was stopped.")
        ready.add(trace)

    pictures._views[key] = replace(
        pictures._views[key], prepare=prepare, ready=lambda trace, s, o: trace in ready
    )
    return go_on


@pytest.mark.parametrize("following", ["builtin:decoder", "builtin:encoder"])
@pytest.mark.parametrize("end", ["cancel", "choose"])
def test_what_gave_way_to_a_load_that_came_to_nothing_is_prepared_again(
    qtbot: QtBot, open_app: Opener, following: str, end: str
) -> None:
    app = open_app("random:encoder", core=Endless())
    go_on = held(app, "ablation")
    app.session.look_at("ablation")
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))
    app.session.opening.open(following)
    qtbot.waitUntil(lambda: not app.session._tasks.active("prepare"))
    go_on.set()
    if end == "cancel":
        app.session.cancel()
    else:
        app.session.opening.choose_architecture("encoder")
    qtbot.waitUntil(lambda: app.window.pictures.figure is not None, timeout=10_000)
    assert "without one head" in app.window.pictures.figure.title
    assert app.store.state.model.source == "random:encoder"


def test_no_other_views_picture_stands_under_one_that_is_not_prepared(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    pictures = app.window.pictures
    qtbot.waitUntil(lambda: not pictures._patience.isActive())
    go_on = held(app, "ablation")
    app.session.look_at("ablation")
    qtbot.waitUntil(pictures.waiting.isVisible)
    assert pictures.waiting.text() == PREPARING
    app.session.cancel()
    settled(qtbot, app)
    assert pictures.waiting.isVisible() and pictures.waiting.text() == UNPREPARED
    app.session.look_at("attention")
    settled(qtbot, app)
    assert not pictures.waiting.isVisible()
    go_on.set()
    app.session.look_at("ablation")
    settled(qtbot, app)
    assert not pictures.waiting.isVisible() and pictures.figure is not None


def test_the_page_says_how_to_prepare_the_picture_whatever_the_banner_says(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    window, page = app.window, app.window.pictures.waiting
    held(app, "ablation")
    app.session.look_at("ablation")
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))
    app.session.cancel()
    qtbot.waitUntil(page.isVisible)
    window.exporting.copy()
    assert window.banner.label.text() == "There is no picture to copy yet."
    assert page.isVisible() and page.text() == UNPREPARED
    app.session.dismiss()
    assert page.isVisible() and page.text() == UNPREPARED


def test_a_picture_that_cannot_be_prepared_says_why_above_the_page(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    window, pictures = app.window, app.window.pictures

    def prepare(trace: Any, selection: Any, options: Any, stop: Any) -> None:
        raise MemoryError("too large")

    pictures._views["ablation"] = replace(
        pictures._views["ablation"], prepare=prepare, ready=lambda t, s, o: False
    )
    app.session.look_at("ablation")
    qtbot.waitUntil(window.banner.isVisible)
    assert "memory" in window.banner.label.text().lower()
    qtbot.waitUntil(pictures.waiting.isVisible)
    assert pictures.waiting.text() == UNPREPARED


def prepared(qtbot: QtBot, app: App, text: str) -> None:
    """A dear picture of this text, in front."""
    app.session.look_at("ablation")
    app.session.write(text=text)
    settled(qtbot, app)
    assert app.window.pictures.figure is not None
    assert not app.window.pictures.waiting.isVisible()


def being_prepared(qtbot: QtBot, app: App) -> None:
    """The text in the editor is read, and its picture on its way."""
    qtbot.waitUntil(lambda: app.store.state.answered and app.session._tasks.active("prepare"))


def test_a_picture_of_the_text_before_does_not_stay_where_the_next_was_cancelled(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    prepared(qtbot, app, "a longer text")
    pictures = app.window.pictures
    held(app, "ablation")
    app.session.write(text="ab")
    being_prepared(qtbot, app)
    assert pictures.figure is None, "what is exported must be of this text"
    assert not pictures.waiting.isVisible(), "the older one stays while the next is on its way"
    app.session.cancel()
    qtbot.waitUntil(pictures.waiting.isVisible)
    assert pictures.waiting.text() == UNPREPARED
    assert pictures.figure is None


@pytest.mark.parametrize("older", [True, False])
def test_what_gave_way_to_a_refused_text_is_prepared_again(
    qtbot: QtBot, open_app: Opener, older: bool
) -> None:
    app = open_app()
    if older:
        prepared(qtbot, app, "a longer text")
    pictures = app.window.pictures
    before = pictures.figure
    go_on = held(app, "ablation")
    app.session.look_at("ablation")
    app.session.write(text="ab")
    being_prepared(qtbot, app)
    app.session.write(text="a" * 6000)
    qtbot.waitUntil(lambda: app.store.state.refused is not None)
    go_on.set()
    qtbot.waitUntil(lambda: pictures.figure not in (None, before), timeout=10_000)
    settled(qtbot, app)
    assert "without one head" in pictures.figure.title
    assert not pictures.waiting.isVisible()
    assert app.store.state.old and len(app.store.state.trace.tokens["encoder"]) == 4


def test_cancelling_a_preparation_says_nothing_of_the_text_that_was_refused(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    held(app, "ablation")
    app.session.look_at("ablation")
    app.session.write(text="ab")
    being_prepared(qtbot, app)
    app.session.write(text="a" * 6000)
    qtbot.waitUntil(lambda: app.store.state.refused is not None)
    refused = app.store.state.refused
    qtbot.waitUntil(lambda: app.session._tasks.active("prepare"))
    app.session.cancel()
    settled(qtbot, app)
    assert app.store.state.refused == refused

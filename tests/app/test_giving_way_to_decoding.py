"""A preparation gives way to decoding, and is made again where no other picture comes of that."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.wiring import App
from core.errors import Cancelled, RequestError
from tests.app.driver import Opener, QuickCore, settled
from tests.app.test_giving_way import preparing


def another_token(app: App) -> None:
    app.session.stepping.take(7)


def beams(app: App) -> None:
    app.session.stepping.choose(strategy="beam", max_new_tokens=3)
    app.session.stepping.on()


@pytest.mark.parametrize("act", [lambda app: app.session.stepping.on(), another_token, beams])
@pytest.mark.parametrize("view", ["ablation", "attention"])
def test_a_step_does_not_wait_for_a_picture(
    qtbot: QtBot, open_app: Opener, act: Callable[[App], None], view: str
) -> None:
    app = open_app("random:decoder")
    endless = preparing(qtbot, app)
    app.session.look_at(view)
    act(app)
    qtbot.waitUntil(lambda: bool(app.store.state.steps))
    settled(qtbot, app)
    assert endless.stopped == 1
    assert endless.begun == (2 if view == "ablation" else 1)
    assert app.window.pictures.figure is not None
    assert app.store.state.problem is None


def test_a_hypothesis_does_not_wait_for_a_picture(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    beams(app)
    settled(qtbot, app)
    search, steps = app.store.state.search, app.store.state.steps
    assert search is not None
    endless = preparing(qtbot, app)
    app.session.stepping.writer.searching.show(search.best[1].id)
    qtbot.waitUntil(lambda: app.store.state.steps != steps)
    settled(qtbot, app)
    assert (endless.begun, endless.stopped) == (2, 1)


def test_a_fill_does_not_wait_for_a_picture(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    app.session.write(text="a[MASK]b")
    settled(qtbot, app)
    endless = preparing(qtbot, app)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: bool(app.store.state.fills))
    settled(qtbot, app)
    assert (endless.begun, endless.stopped) == (2, 1)


def test_a_view_that_needs_nothing_prepared_stops_that_of_the_view_before(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    endless = preparing(qtbot, app)
    app.session.look_at("attention")
    qtbot.waitUntil(lambda: endless.stopped == 1)
    settled(qtbot, app)
    assert endless.begun == 1
    app.session.look_at("ablation")
    settled(qtbot, app)
    assert endless.begun == 2
    assert app.window.pictures.figure is not None
    assert "without one head" in app.window.pictures.figure.title


class NoStep(QuickCore):
    """A core whose steps fail, or last until they are stopped."""

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def advance(self, *args: Any, **kwargs: Any) -> Any:
        if self._fails:
            raise RequestError("no step here")
        stop = args[-1]
        while not stop():
            time.sleep(0.005)
        raise Cancelled("The step was stopped.")


@pytest.mark.parametrize("fails", [True, False])
def test_what_gave_way_to_a_step_that_came_to_nothing_is_prepared_again(
    qtbot: QtBot, open_app: Opener, fails: bool
) -> None:
    app = open_app("random:decoder", core=NoStep(fails=fails))
    endless = preparing(qtbot, app)
    app.session.stepping.on()
    qtbot.waitUntil(lambda: endless.stopped == 1)
    if not fails:
        app.session.cancel()
    qtbot.waitUntil(lambda: app.window.pictures.figure is not None, timeout=10_000)
    assert endless.begun == 2
    assert not app.store.state.steps
    settled(qtbot, app)


class Lasting:
    """Replaces a view's preparation by one that lasts a while, longer than a frame of playing;
    shown: the moves whose pictures were drawn."""

    def __init__(self, app: App, key: str) -> None:
        self.begun, self.stopped = 0, 0
        self.ready: set[Any] = set()
        self.shown: list[int | None] = []
        views = app.window.pictures._views
        views[key] = replace(
            views[key], prepare=self._prepare, ready=lambda trace, s, o: trace in self.ready
        )
        app.window.pictures.drawn.connect(
            lambda _: self.shown.append(app.store.state.selection.step)
        )

    def _prepare(self, trace: Any, selection: Any, options: Any, stop: Any) -> None:
        self.begun += 1
        for _ in range(40):
            time.sleep(0.01)
            if stop():
                self.stopped += 1
                raise Cancelled("stopped")
        self.ready.add(trace)


class SlowStep(QuickCore):
    """A core whose steps last longer than a frame of playing."""

    def advance(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(0.13)
        return super().advance(*args, **kwargs)


def test_playing_shows_the_dear_picture_of_every_move(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder", core=SlowStep())
    app.session.look_at("ablation")
    settled(qtbot, app)
    app.session.stepping.choose(max_new_tokens=3, speed=10)

    def late(names: frozenset[str]) -> None:
        """When a step is there the next frame is due already, before its picture is begun."""
        if "steps" in names:
            time.sleep(0.15)

    app.store.changed.connect(late)
    lasting = Lasting(app, "ablation")
    app.session.stepping.play()
    qtbot.waitUntil(lambda: not app.store.state.playing, timeout=20_000)
    settled(qtbot, app)
    assert len(app.store.state.steps) == 3
    assert (lasting.begun, lasting.stopped) == (3, 0), "none begins in vain"
    assert lasting.shown == [0, 1, 2]

    app.session.stepping.first()
    settled(qtbot, app)
    lasting.ready.clear()
    lasting.shown.clear()
    app.session.stepping.play()
    qtbot.waitUntil(lambda: not app.store.state.playing, timeout=20_000)
    settled(qtbot, app)
    assert lasting.shown == [0, 1, 2], "those that are there already"


def test_to_the_end_prepares_only_the_last_picture(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.session.look_at("ablation")
    settled(qtbot, app)
    app.session.stepping.choose(max_new_tokens=6)
    lasting = Lasting(app, "ablation")
    app.session.stepping.last()
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 6, timeout=20_000)
    settled(qtbot, app)
    assert (lasting.begun, lasting.stopped) == (1, 0)
    assert lasting.shown == [5]

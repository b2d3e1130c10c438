"""What is asked of a text that is still being read is done once it is."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.wiring import App
from core.errors import RequestError
from tests.app.driver import Opener, QuickCore, settled


class Slow(QuickCore):
    """Reads a text once it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.go_on.set()
        self.fails = False

    def run(self, question: Any, previous: Any, stop: Any) -> Any:
        assert self.go_on.wait(10)
        if self.fails:
            raise RequestError("It cannot be read.")
        return super().run(question, previous, stop)


@pytest.fixture
def core() -> Slow:
    return Slow()


@pytest.fixture
def app(open_app: Opener, core: Slow) -> App:
    made: App = open_app("random:decoder", core=core)
    made.session.stepping.choose(max_new_tokens=4)
    return made


def reading(app: App, core: Slow, text: str) -> None:
    core.go_on.clear()
    app.session.write(text=text)


def let(qtbot: QtBot, app: App, core: Slow) -> None:
    core.go_on.set()
    settled(qtbot, app)


def test_to_the_end(qtbot: QtBot, app: App, core: Slow) -> None:
    reading(app, core, "ab")
    app.session.stepping.last()
    let(qtbot, app, core)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 4, timeout=10_000)
    settled(qtbot, app)
    assert app.store.state.answer.inputs.text == "ab"


def test_one_step(qtbot: QtBot, app: App, core: Slow) -> None:
    reading(app, core, "ab")
    app.session.stepping.on()
    let(qtbot, app, core)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 1, timeout=10_000)
    settled(qtbot, app)


def test_play(qtbot: QtBot, app: App, core: Slow) -> None:
    reading(app, core, "ab")
    app.session.stepping.play()
    let(qtbot, app, core)
    qtbot.waitUntil(lambda: app.store.state.playing, timeout=10_000)
    app.session.stepping.halt()
    settled(qtbot, app)


def test_playing_does_not_go_on_in_another_text(qtbot: QtBot, app: App, core: Slow) -> None:
    app.session.stepping.choose(max_new_tokens=500, speed=20)
    app.session.stepping.play()
    qtbot.waitUntil(lambda: len(app.store.state.steps) >= 2, timeout=10_000)
    reading(app, core, "ab")
    qtbot.wait(200)  # for several steps, had they been asked for
    let(qtbot, app, core)
    qtbot.wait(150)
    assert not app.store.state.playing
    assert app.store.state.steps == ()


def test_a_step_is_one_of_the_new_text(qtbot: QtBot, app: App, core: Slow) -> None:
    app.session.stepping.last()
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 4, timeout=10_000)
    app.session.stepping.first()
    reading(app, core, "ab")
    app.session.stepping.on()
    assert app.store.state.selection.step is None, "it is no step of the old one"
    let(qtbot, app, core)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 1, timeout=10_000)
    assert app.store.state.answer.inputs.text == "ab"
    assert app.store.state.selection.step == 0
    settled(qtbot, app)


def test_play_twice_is_off_again(qtbot: QtBot, app: App, core: Slow) -> None:
    reading(app, core, "ab")
    app.session.stepping.play()
    app.session.stepping.play()
    let(qtbot, app, core)
    qtbot.wait(100)
    assert not app.store.state.playing
    assert app.store.state.steps == ()


@pytest.mark.parametrize("how", ["another text", "home", "cancel"])
def test_a_wish_that_is_taken_back_is_not_done(
    qtbot: QtBot, app: App, core: Slow, how: str
) -> None:
    reading(app, core, "ab")
    app.session.stepping.last()
    if how == "another text":
        app.session.write(text="abc")
    elif how == "home":
        app.session.stepping.first()
    else:
        app.session.cancel()
        app.session.write(text="abc")
    let(qtbot, app, core)
    qtbot.wait(50)
    assert app.store.state.steps == ()


def kept(app: App) -> list[str]:
    return [one.inputs.text for one in app.store.state.kept]


def test_the_text_that_is_being_read_is_the_one_that_is_kept(
    qtbot: QtBot, app: App, core: Slow
) -> None:
    reading(app, core, "second text")
    app.session.running.keep()
    assert kept(app) == []
    let(qtbot, app, core)
    assert kept(app) == ["second text"]


def test_it_is_kept_though_another_is_typed_while_it_is_read(
    qtbot: QtBot, app: App, core: Slow
) -> None:
    reading(app, core, "second text")
    qtbot.waitUntil(lambda: app.store.state.busy is not None)
    qtbot.wait(30)  # for the worker to have begun
    app.session.running.keep()
    app.session.write(text="third")
    let(qtbot, app, core)
    assert kept(app) == ["second text"]
    assert app.store.state.problem is None


def test_one_that_another_forestalls_is_told_of(qtbot: QtBot, app: App, core: Slow) -> None:
    reading(app, core, "first")
    qtbot.waitUntil(lambda: app.store.state.busy is not None)
    qtbot.wait(30)
    app.session.write(text="second")
    app.session.running.keep()
    app.session.write(text="third")
    let(qtbot, app, core)
    assert kept(app) == []
    assert "“second” was not kept" in app.window.banner.label.text()


def test_a_text_that_is_refused_keeps_nothing(qtbot: QtBot, app: App, core: Slow) -> None:
    core.fails = True
    app.session.write(text="ab")
    qtbot.waitUntil(lambda: app.store.state.old)
    app.session.running.keep()
    assert kept(app) == []
    assert "nothing to keep" in app.window.banner.label.text()

"""The other text of an example that compares is kept, whatever one does while it waits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.examples import Example
from app.wiring import App
from core.masks import MaskChoice
from tests.app.driver import Opener, settled, type_text
from tests.app.test_cancelled_runs import Held
from tests.app.test_writing_while_loading import Gated

EXAMPLE = Example(
    title="Two", model="random:encoder", text="abc", against="abd", view="compare", note="See."
)


def waiting(qtbot: QtBot, app: App, core: Held) -> None:
    """The example is shown while a run goes on."""
    core.gate.clear()
    type_text(app, "x")
    qtbot.waitUntil(lambda: core.texts[-1] == "x")
    app.session.opening.show_example(EXAMPLE)


def let_go(qtbot: QtBot, app: App, core: Held) -> list[str]:
    """The texts that are kept in the end."""
    core.gate.set()
    settled(qtbot, app)
    return [answer.inputs.text for answer in app.store.state.kept]


def test_one_types(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    waiting(qtbot, app, core)
    type_text(app, "yes")
    assert let_go(qtbot, app, core) == ["abd"]
    assert app.store.state.answer.inputs.text == "yes"
    assert core.texts[-3:] == ["x", "abd", "yes"], "nothing is run in vain"


def test_another_mask_is_chosen(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    waiting(qtbot, app, core)
    app.session.mask("encoder.self", MaskChoice(key="causal"))
    assert let_go(qtbot, app, core) == ["abd"]
    state = app.store.state
    assert state.answered and state.example == EXAMPLE
    assert dict(state.answer.request.masks) == {"encoder.self": MaskChoice(key="causal")}


def test_another_model_is_chosen_and_given_up(qtbot: QtBot, open_app: Opener) -> None:
    class Slow(Held, Gated):
        """Both runs and loads wait."""

    core = Slow()
    app = open_app(core=core)
    waiting(qtbot, app, core)
    app.session.opening.open("random:decoder")
    app.session.opening.open("random:encoder")
    assert let_go(qtbot, app, core) == ["abd"]
    assert app.store.state.answer.inputs.text == "abc"


def test_another_example_is_chosen(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    waiting(qtbot, app, core)
    app.session.opening.show_example(replace(EXAMPLE, text="hello", against=""))
    assert let_go(qtbot, app, core) == []
    assert app.store.state.answer.inputs.text == "hello"
    assert core.texts[-2:] == ["x", "hello"], "nothing is run in vain"


@pytest.mark.parametrize("show", [True, False])
def test_it_is_cancelled(qtbot: QtBot, open_app: Opener, show: bool) -> None:
    core = Held()
    app = open_app(core=core)
    waiting(qtbot, app, core)
    app.session.cancel()
    if show:
        app.session.opening.show_example(EXAMPLE)
    assert let_go(qtbot, app, core) == (["abd"] if show else [])

"""Whose a kept run is, and what becomes of a run that is asked to be kept."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.wiring import App
from core.masks import choose
from tests.app.driver import Opener, settled, type_text
from tests.app.test_cancelled_runs import Held
from tests.app.test_example_compares import EXAMPLE, let_go
from tests.app.test_writing_while_loading import Gated

NEXT = replace(EXAMPLE, text="hello", against="xyw")
NOT_RUN = "What is asked was not run, so there is nothing to keep."


def shown(qtbot: QtBot, app: App, example: object = EXAMPLE) -> None:
    app.window.show_example(example)
    settled(qtbot, app)


def kept(app: App) -> list[str]:
    return [answer.inputs.text for answer in app.store.state.kept]


def test_a_run_under_another_mask_is_not_the_examples(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.session.write(text="abd")
    app.session.mask("encoder.self", choose("local:window=2"))
    settled(qtbot, app)
    app.session.running.keep()
    shown(qtbot, app)
    assert kept(app) == ["abd", "abd"]
    shown(qtbot, app, NEXT)
    assert kept(app) == ["abd", "xyw"]
    assert dict(app.store.state.kept[0].request.masks) == {"encoder.self": choose("local:window=2")}


def test_the_other_text_kept_while_it_is_read_is_the_persons(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Held()
    app = open_app(core=core)
    shown(qtbot, app)
    core.gate.clear()
    app.session.write(text="abd")
    app.session.running.keep()
    assert let_go(qtbot, app, core) == ["abd"]
    shown(qtbot, app, NEXT)
    assert kept(app) == ["abd", "xyw"]


def test_the_models_own_mask_is_kept_once(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    shown(qtbot, app, replace(EXAMPLE, against="abc", mask="causal", against_mask="model"))
    app.session.mask("encoder.self", choose("model"))
    settled(qtbot, app)
    app.session.running.keep()
    assert kept(app) == ["abc"]
    assert app.store.state.kept == (app.store.state.answer,)
    app.session.mask("encoder.self", choose("causal"))
    settled(qtbot, app)
    assert app.window.banner.label.text() == "See."
    app.session.running.keep()
    said = app.window.banner.label.text()
    assert said.startswith("Compared with the run under the model&#x27;s own mask: See. ")


def test_the_way_back_compares_with_the_examples_own_other_text(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    shown(qtbot, app)
    app.session.running.forget_kept()
    app.session.write(text="abc ab")
    settled(qtbot, app)
    app.session.running.keep()
    assert app.store.state.example is EXAMPLE
    app.session.opening.back_to_example()
    settled(qtbot, app)
    assert kept(app) == ["abc ab", "abd"]
    assert app.store.state.answer.inputs.text == "abc"


def test_where_it_is_kept_it_is_not_run_again(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    shown(qtbot, app)
    before, runs = app.store.state.kept, len(core.texts)
    app.window.sitebar.move_layer(1)
    app.session.opening.back_to_example()
    settled(qtbot, app)
    assert (app.store.state.kept, len(core.texts)) == (before, runs)


def test_what_could_not_be_kept_is_told_until_something_is(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    core.gate.clear()
    type_text(app, "abc")
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)
    app.session.running.keep()
    assert app.window.banner.label.text() == NOT_RUN
    type_text(app, "abd")
    settled(qtbot, app)
    app.session.running.keep()
    assert kept(app) == ["abd"]
    assert app.store.state.problem is None


def test_a_text_that_was_gone_back_from_is_not_kept_later(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    shown(qtbot, app)
    app.session.running.forget_kept()
    core.gate.clear()
    app.session.write(text="abc ab")
    app.session.running.keep()
    app.session.opening.back_to_example()
    assert let_go(qtbot, app, core) == ["abd"]
    assert app.store.state.problem.text.startswith("“abc ab” was not kept")
    app.session.write(text="abc ab")
    settled(qtbot, app)
    assert kept(app) == ["abd"]


def test_while_a_model_loads_the_text_before_is_not_kept_for_this_one(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Gated()
    app = open_app("random:encoder", core=core)
    core.gate.clear()
    app.session.opening.open("random:decoder")
    type_text(app, "typed since")
    app.session.running.keep()
    assert kept(app) == []
    assert app.store.state.problem.text == NOT_RUN
    core.gate.set()
    settled(qtbot, app)


def test_the_note_says_with_what_and_how_it_is_true(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    shown(qtbot, app)
    assert app.window.banner.label.text() == "See."
    app.session.write(text="abc ab")
    settled(qtbot, app)
    app.session.running.keep()
    app.session.write(text="abc")
    app.session.stepping.choose(order="left-to-right")
    settled(qtbot, app)
    said = app.window.banner.label.text()
    assert said.startswith("Filled in order of confidence, compared with “abd”: See. ")
    app.session.opening.back_to_example()
    settled(qtbot, app)
    assert app.window.banner.label.text() == "See."
    assert app.store.state.decode.order == "confident"
    assert kept(app) == ["abc ab", "abd"]
    tale = replace(EXAMPLE, model="random:decoder", against="", view="attention")
    shown(qtbot, app, tale)
    app.session.stepping.choose(strategy="sample")
    assert app.window.banner.label.text().startswith("Decoded greedily: See. ")

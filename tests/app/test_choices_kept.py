"""How one decodes is each architecture's own, and an example opens as its note says."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.by_architecture import ByArchitecture
from app.choices import DecodeChoice, Narrowing
from app.examples import Example
from app.settings import Remembered, Settings
from app.wiring import App
from tests.app.driver import Opener, settled, type_text
from tests.app.test_remembering import switch

TALE = Example(title="A tale", model="random:decoder", text="abc", site="decoder.self")
GAP = Example(title="A gap", model="random:encoder", text="a [MASK] b", site="encoder.self")


def wait(qtbot: QtBot, app: App, example: Example) -> None:
    """Until the example is read."""
    qtbot.waitUntil(lambda: app.store.state.example is example, timeout=20_000)
    qtbot.waitUntil(lambda: app.store.state.answered, timeout=20_000)
    settled(qtbot, app)


def step(qtbot: QtBot, app: App) -> None:
    made = len(app.store.state.moves)
    app.window.decoding.buttons["step"].click()
    qtbot.waitUntil(lambda: len(app.store.state.moves) == made + 1, timeout=20_000)
    settled(qtbot, app)


def test_a_look_at_another_architecture_leaves_the_choices(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app)  # comes back with the decoder, and must bring nothing to the encoder
    switch(qtbot, app, "encoder")
    app.session.stepping.choose(order="left-to-right", speed=7)
    switch(qtbot, app, "encoder-decoder")
    app.session.stepping.choose(strategy="sample", seed=7, max_new_tokens=50)
    app.session.narrow(temperature=2.0)
    switch(qtbot, app, "decoder")
    assert app.store.state.decode == DecodeChoice(speed=7)
    assert app.store.state.narrowing == Narrowing()
    switch(qtbot, app, "encoder")
    assert app.store.state.decode.order == "left-to-right"
    switch(qtbot, app, "encoder-decoder")
    choice = app.store.state.decode
    assert (choice.strategy, choice.seed, choice.max_new_tokens) == ("sample", 7, 50)
    assert app.store.state.narrowing.temperature == 2.0
    app.window.close()
    later = open_app("random:encoder")
    assert later.store.state.decode.order == "left-to-right"
    assert later.store.state.narrowing == Narrowing()


def test_the_choices_of_each_architecture_are_written_down(tmp_path: Path) -> None:
    known = ByArchitecture(
        decodings={"encoder": DecodeChoice(order="left-to-right"), "decoder": DecodeChoice(seed=3)},
        narrowings={"decoder": Narrowing(temperature=0.5, top_k=4)},
    )
    file = tmp_path / "s.ini"
    Settings(file).save(Remembered(by_architecture=known))
    assert Settings(file).load().by_architecture == known


def test_an_example_opens_greedily_and_with_the_models_own_distribution(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.session.narrow(temperature=2.0)
    app.session.stepping.choose(strategy="sample", seed=7, max_new_tokens=50)
    app.window.show_example(TALE)
    wait(qtbot, app, TALE)
    choice = app.store.state.decode
    assert (choice.strategy, choice.seed, choice.max_new_tokens) == ("greedy", 7, 50)
    assert app.store.state.narrowing == Narrowing()
    app.session.stepping.choose(strategy="beam")
    app.session.narrow(temperature=2.0)
    app.window.show_example(GAP)
    wait(qtbot, app, GAP)
    app.window.show_example(TALE)
    wait(qtbot, app, TALE)
    assert app.store.state.decode.strategy == "greedy"
    assert app.store.state.narrowing == Narrowing()


def test_an_example_chosen_again_keeps_what_was_decoded_of_it(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    app.window.show_example(GAP)
    wait(qtbot, app, GAP)
    step(qtbot, app)
    fills = app.store.state.fills
    app.window.show_example(GAP)
    settled(qtbot, app)
    assert app.store.state.fills == fills
    app.window.show_example(TALE)
    wait(qtbot, app, TALE)
    step(qtbot, app)
    greedy = app.store.state.steps
    app.session.stepping.choose(strategy="sample")
    step(qtbot, app)
    app.window.show_example(TALE)
    settled(qtbot, app)
    assert app.store.state.decode.strategy == "greedy"
    assert app.store.state.steps == greedy
    assert len(app.store.state.tree.branches) == 2, "the sampled one stays as a branch"


def test_a_run_of_another_text_is_not_shown_once_the_example_is_gone_back_to(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    app.window.show_example(GAP)
    wait(qtbot, app, GAP)
    type_text(app, "a [MASK] c")
    app.session.opening.back_to_example()
    qtbot.waitUntil(lambda: app.store.state.busy is None, timeout=20_000)
    settled(qtbot, app)
    assert app.store.state.answer.inputs == GAP.inputs

"""The other text of an example that compares is kept, whatever one does while it waits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.engine import Question
from app.examples import Example
from app.store import Answer
from app.tasks import ShouldStop
from app.wiring import App
from core.errors import RequestError
from core.masks import MaskChoice, choose
from tests.app.driver import Opener, settled, type_text
from tests.app.test_cancelled_runs import Held
from tests.app.test_writing_while_loading import Gated

EXAMPLE = Example(
    title="Two", model="random:encoder", text="abc", against="abd", view="compare", note="See."
)


CANCELLED = "The run of the other text was cancelled."
NOT_RUN = "The other text was not run. No such text."


class Refusing(Held):
    """It refuses the other text."""

    def run(self, question: Question, previous: Answer | None, stop: ShouldStop) -> Answer:
        answer = super().run(question, previous, stop)
        if question.inputs.text == "abd":
            raise RequestError("no such text")
        return answer


def waiting(qtbot: QtBot, app: App, core: Held) -> None:
    """The example is shown while a run goes on."""
    core.gate.clear()
    type_text(app, "x")
    qtbot.waitUntil(lambda: core.texts[-1] == "x")
    app.session.opening.show_example(EXAMPLE)


def answered(qtbot: QtBot, app: App, core: Held) -> None:
    """The example is shown, whose own text was read before, and the other one is being run."""
    type_text(app, "abc")
    settled(qtbot, app)
    core.gate.clear()
    app.session.opening.show_example(EXAMPLE)
    qtbot.waitUntil(lambda: core.texts[-1] == "abd")
    assert app.store.state.answered


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


def test_after_a_load_that_was_given_up_it_is_run_under_its_own_mask(
    qtbot: QtBot, open_app: Opener
) -> None:
    class Slow(Held, Gated):
        """Both runs and loads wait."""

    core = Slow()
    app = open_app(core=core)
    core.gate.clear()
    app.session.opening.show_example(replace(EXAMPLE, mask="sliding_window:window=2"))
    own = dict(app.store.state.masks)
    app.session.opening.open("random:decoder")
    app.session.mask("encoder.self", MaskChoice(key="causal"))
    app.session.cancel()
    assert let_go(qtbot, app, core) == ["abd"]
    assert dict(app.store.state.kept[0].request.masks) == own
    chosen = {"encoder.self": MaskChoice(key="causal")}
    assert dict(app.store.state.answer.request.masks) == chosen


def test_the_other_text_has_a_mask_of_its_own(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app(core=Held())
    one_text = replace(EXAMPLE, against="abc", mask="causal", view="two_runs")
    app.session.opening.show_example(replace(one_text, against_mask="local:window=1"))
    qtbot.waitUntil(lambda: app.store.state.answered and len(app.store.state.kept) == 1)
    settled(qtbot, app)
    causal, local = (app.store.state.answer, app.store.state.kept[0])
    assert dict(causal.request.masks) == {"encoder.self": MaskChoice(key="causal")}
    assert dict(local.request.masks) == {"encoder.self": choose("local:window=1")}
    assert [panel.title for panel in app.window.pictures.figure.panels[:2]] == [
        "Kept: mask “Local (both sides), window 1” · “abc”",
        "This run: mask “Causal” · “abc”",
    ]


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
    assert app.window.banner.label.text() == ("See." if show else CANCELLED)


def test_another_model_is_given_up_where_the_text_was_read_before(
    qtbot: QtBot, open_app: Opener
) -> None:
    class Slow(Held, Gated):
        """Both runs and loads wait."""

    core = Slow()
    app = open_app(core=core)
    answered(qtbot, app, core)
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    app.session.cancel()
    assert let_go(qtbot, app, core) == ["abd"]
    assert app.store.state.example == EXAMPLE


def test_another_model_comes_back_with_its_answer(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app("random:decoder", core=core)
    app.session.running.keep()
    kept = [app.store.state.inputs.text]
    app.session.opening.open("random:encoder")
    settled(qtbot, app)
    answered(qtbot, app, core)
    app.session.opening.open("random:decoder")
    assert let_go(qtbot, app, core) == kept
    app.session.opening.open("/nowhere/to/be/found")
    qtbot.waitUntil(lambda: app.store.state.problem is not None)
    assert let_go(qtbot, app, core) == kept, "it was for the other model"
    assert app.store.state.model.source == "random:decoder"


def test_it_is_cancelled_where_the_text_was_read_before(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    answered(qtbot, app, core)
    app.session.cancel()
    assert let_go(qtbot, app, core) == []
    assert app.window.banner.label.text() == CANCELLED
    assert app.store.state.refused is None, "what is shown is not old"


def test_it_is_refused(qtbot: QtBot, open_app: Opener) -> None:
    core = Refusing()
    app = open_app(core=core)
    waiting(qtbot, app, core)
    refused = []
    app.store.changed.connect(lambda names: refused.append(app.store.state.refused))
    assert let_go(qtbot, app, core) == []
    assert app.store.state.answer.inputs.text == "abc"
    assert not any(refused), "this text is not to blame"
    assert app.window.banner.label.text() == NOT_RUN
    app.session.mask("encoder.self", MaskChoice(key="causal"))
    settled(qtbot, app)
    assert app.window.banner.label.text() == NOT_RUN, "it is still true"
    app.session.opening.show_example(replace(EXAMPLE, text="hello", against=""))
    settled(qtbot, app)
    assert app.window.banner.label.text() == "See.", "it is another example's"


def test_what_became_of_it_is_said_until_the_example_is_left(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Held()
    app = open_app(core=core)
    answered(qtbot, app, core)
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)
    assert app.window.banner.label.text() == CANCELLED
    type_text(app, "abe")
    settled(qtbot, app)
    assert not app.window.banner.isVisible()


def test_behind_it_the_note_waits_to_be_read(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    answered(qtbot, app, core)
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)
    app.window.banner.close_button.click()
    assert app.window.banner.label.text().startswith("See.")
    app.window.banner.close_button.click()
    assert not app.window.banner.isVisible() and app.store.state.example is None


def test_a_text_that_a_person_keeps_is_no_examples(qtbot: QtBot, open_app: Opener) -> None:
    core = Held()
    app = open_app(core=core)
    answered(qtbot, app, core)
    assert let_go(qtbot, app, core) == ["abd"]
    app.session.running.forget_kept()
    for text in ("abd", "qqq"):
        type_text(app, text)
        settled(qtbot, app)
        app.session.running.keep()
    app.session.opening.show_example(replace(EXAMPLE, text="hello", against="xyw"))
    assert let_go(qtbot, app, core) == ["abd", "qqq", "xyw"]

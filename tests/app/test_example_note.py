"""What is said of an example is said of where it holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.examples import Example
from app.wiring import App
from core.masks import MaskChoice
from tests.app.driver import Opener, settled, type_text

NOTE = "Each letter sees <two> & no more."
EXAMPLE = Example(
    title="A narrow window",
    model="random:decoder",
    text="abcdef",
    site="decoder.self",
    mask="sliding_window:window=2",
    layer=2,
    head=3,
    note=NOTE,
)


@pytest.fixture
def app(qtbot: QtBot, open_app: Opener) -> App:
    made: App = open_app("random:decoder")
    made.window.show_example(EXAMPLE)
    settled(qtbot, made)
    return made


def told(app: App) -> str:
    assert app.window.banner.isVisible()
    return app.window.banner.label.text()


def test_where_an_example_is_looked_at_its_note_stands_alone(app: App) -> None:
    assert told(app) == NOTE


def test_away_from_it_the_note_says_where_it_holds(qtbot: QtBot, app: App) -> None:
    app.window.sitebar.move_layer(-1)
    assert told(app).startswith("Layer 2: Each letter sees &lt;two&gt; &amp; no more. <a ")
    app.window.sitebar.toggle_mean()
    assert told(app).startswith("Layer 2, head 3: ")
    app.session.mask("decoder.self", MaskChoice())
    settled(qtbot, app)
    said = told(app)
    assert said.startswith("Layer 2, head 3, with the mask “")
    assert "2”: Each letter" in said
    app.session.look_at("lens")
    assert told(app).startswith("Example “A narrow window”. <a ")


def test_the_way_back_leads_to_mask_place_and_view(qtbot: QtBot, app: App) -> None:
    app.window.sitebar.move_layer(-1)
    app.session.mask("decoder.self", MaskChoice())
    app.session.look_at("lens")
    settled(qtbot, app)
    label = app.window.banner.label
    label.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(label, Qt.Key.Key_Return)
    settled(qtbot, app)
    state = app.store.state
    assert told(app) == NOTE
    assert (state.view, state.selection.layer, state.selection.head) == ("attention", 1, 2)
    assert state.masks["decoder.self"].key == "sliding_window"
    assert state.answered


def test_what_was_decoded_stays_on_the_way_back(qtbot: QtBot, app: App) -> None:
    app.window.decoding.buttons["step"].click()
    settled(qtbot, app)
    made = app.store.state.steps
    assert len(made) == 1
    app.window.sitebar.move_layer(-1)
    app.session.opening.back_to_example()
    settled(qtbot, app)
    assert told(app) == NOTE
    assert app.store.state.steps == made


def test_an_edited_text_keeps_the_note_with_the_text_that_it_is_of(qtbot: QtBot, app: App) -> None:
    app.session.write(text="abcdef abc")
    settled(qtbot, app)
    assert told(app).startswith("Of “abcdef”: Each letter sees &lt;two&gt;")
    app.window.sitebar.move_layer(-1)
    assert told(app).startswith("Of “abcdef”, layer 2: ")
    app.session.opening.back_to_example()
    settled(qtbot, app)
    state = app.store.state
    assert told(app) == NOTE
    assert state.inputs.text == "abcdef" and state.answered
    app.session.write(text="abcdef abc")
    app.session.write(text="abcdef")
    settled(qtbot, app)
    assert told(app) == NOTE, "the very text was written again"


def test_what_its_note_suggests_may_be_written_from_the_beginning(qtbot: QtBot, app: App) -> None:
    app.window.show_example(replace(EXAMPLE, note="With “Tom ran.” it looks at “Tom”."))
    type_text(app, "Tom ran.")
    settled(qtbot, app)
    assert told(app).startswith("Of “abcdef”: With “Tom ran.” it")
    app.session.write(text="")
    settled(qtbot, app)
    assert app.store.state.example is not None, "no text is not another one"
    app.session.write(text="Tom ra")
    assert app.store.state.example is not None, "the last word is being written yet"
    app.session.write(text="Tim ran")
    assert app.store.state.example is None and app.store.state.note == ""
    settled(qtbot, app)


def test_of_a_second_sentence_and_of_padding_it_is_said_too(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    both = Example(title="Two", model="random:encoder", text="ab", pair="cd", note="See.")
    app.window.show_example(both)
    settled(qtbot, app)
    app.session.write(pair="ce", pad_to=20)
    settled(qtbot, app)
    assert told(app).startswith("With the second sentence “cd”, without padding: See.")
    app.session.opening.back_to_example()
    settled(qtbot, app)
    assert told(app) == "See."
    assert app.store.state.inputs == both.inputs


def test_another_text_or_dismissing_ends_it(qtbot: QtBot, app: App) -> None:
    type_text(app, "xyz")
    settled(qtbot, app)
    assert not app.window.banner.isVisible()
    assert app.store.state.example is None
    app.window.show_example(EXAMPLE)
    settled(qtbot, app)
    app.window.banner.close_button.click()
    app.window.sitebar.move_layer(-1)
    assert not app.window.banner.isVisible()


PAIRED = Example(
    title="It follows",
    model="random:encoder",
    text="Tom was very hungry.",
    pair="He ate some bread and cheese.",
    note="With “Paris is the capital of France.” as the second it says “random”.",
)


def test_what_an_example_put_beside_its_text_goes_with_it(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    app.window.show_example(PAIRED)
    settled(qtbot, app)
    type_text(app, "Tom was hungry")
    settled(qtbot, app)
    assert app.store.state.inputs.pair == PAIRED.pair, "it is the example's text yet"
    type_text(app, "The [MASK] fell from the tree.")
    settled(qtbot, app)
    assert app.store.state.example is None
    assert app.store.state.answer.inputs == Inputs(text="The [MASK] fell from the tree.")
    assert app.window.prompt.pair.toPlainText() == ""


def test_a_second_sentence_of_ones_own_stays(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder")
    app.window.show_example(PAIRED)
    settled(qtbot, app)
    app.session.write(pair="My own one.")
    app.session.write(text="xyz")
    settled(qtbot, app)
    assert app.store.state.example is None
    assert app.store.state.inputs.pair == "My own one."


def test_where_distributions_are_narrowed_it_holds_with_the_models_own(
    qtbot: QtBot, app: App
) -> None:
    app.session.narrow(repetition_penalty=1.0)  # none, in so many words
    assert told(app) == NOTE
    app.session.narrow(temperature=2.0)
    assert told(app).startswith("With the model&#x27;s own probabilities: Each letter")
    app.session.opening.back_to_example()
    settled(qtbot, app)
    assert told(app) == NOTE

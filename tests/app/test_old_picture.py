"""Of which text an old picture is, in words that tell it from the one in the editor."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.panels.old_picture import still_shown
from app.store import Answer
from app.wiring import App
from tests.app.driver import Opener, settled

SENTENCE = "The little girl opened the door. "
BEGINNING = "The little girl opened the door. The little girl opened the…"


def told(qtbot: QtBot, app: App, text: str) -> str:
    app.window.prompt.text.setPlainText(text)
    settled(qtbot, app)
    return app.window.banner.label.text() if app.window.banner.isVisible() else ""


def test_a_text_that_begins_like_the_new_one_is_told_by_its_length(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    assert told(qtbot, app, SENTENCE * 3) == ""
    read = app.window.status.tokens.text()
    said = told(qtbot, app, SENTENCE * 40)
    assert "at most 512" in app.window.prompt.problem.text()
    assert said == f"Old picture: it still shows the text of {read} “{BEGINNING}”"
    said = told(qtbot, app, f"Another text. {SENTENCE * 40}")
    assert said == f"Old picture: it still shows “{BEGINNING}”"


@pytest.fixture
def answer(qtbot: QtBot, open_app: Opener) -> Answer:
    """A run of an encoder-decoder."""
    app = open_app("random:encoder-decoder")
    found = app.store.state.answer
    assert found is not None
    return replace(found, inputs=Inputs(text="ab", target="c"))


def test_a_short_text_is_quoted_whole_and_needs_no_length(answer: Answer) -> None:
    assert still_shown(answer, Inputs(text="abc")) == "Old picture: it still shows “ab”."
    assert still_shown(answer, Inputs(text="")) == "Old picture: it still shows “ab”."


def test_another_target_or_padding_is_told_by_lengths(answer: Answer) -> None:
    here, there = (len(tokens) for tokens in answer.trace.tokens.values())
    said = f"Old picture: it still shows the text of {here} + {there} tokens “ab”."
    assert still_shown(answer, Inputs(text="ab", target="d" * 600)) == said
    assert still_shown(answer, replace(answer.inputs, pad_to=600)) == said


def test_the_same_text_was_read_under_another_mask(answer: Answer) -> None:
    said = "Old picture: it still shows this text under the mask before."
    assert still_shown(answer, answer.inputs) == said

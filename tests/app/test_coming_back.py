"""What was kept and decoded with a model is there again when one comes back to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.examples import Example
from core.loaded import LoadedModel
from core.masks import MaskChoice
from tests.app.driver import Opener, settled
from tests.app.test_decoding import step
from tests.app.test_opening import opened
from tests.app.test_remembering import switch
from tests.app.test_writing_while_loading import Gated


class OfAFolder(Gated):
    """In a folder lies a random decoder, read anew each time."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder

    def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        if source != self._folder:
            return super().load(source, device, report, stop)
        return replace(super().load("random:decoder", device, report, stop), source=source)


def test_kept_texts_and_decoded_tokens_wait_for_their_model(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.session.running.keep()
    kept = app.store.state.kept
    app.session.stepping.choose(strategy="sample", seed=3)
    step(qtbot, app, 3)
    app.session.stepping.back()
    before = app.store.state
    switch(qtbot, app, "encoder")
    assert app.store.state.kept == ()
    assert app.store.state.steps == ()
    app.session.running.keep()
    app.session.stepping.choose(strategy="greedy", speed=9)
    switch(qtbot, app, "decoder")
    state = app.store.state
    assert state.kept == kept
    assert state.steps == before.steps
    assert state.answer is before.answer
    assert state.selection.step == 1
    assert (state.decode.strategy, state.decode.seed, state.decode.speed) == ("sample", 3, 9)
    assert len(app.window.decoding.chips.chips) == 3
    step(qtbot, app, 2)
    assert app.store.state.steps[:3] == before.steps, "it goes on where it was"
    switch(qtbot, app, "encoder")
    assert len(app.store.state.kept) == 1


def test_under_another_text_only_the_kept_ones_come_back(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.session.running.keep()
    step(qtbot, app, 2)
    switch(qtbot, app, "encoder")
    app.session.opening.known.texts["decoder"] = Inputs(text="another one")
    switch(qtbot, app, "decoder")
    state = app.store.state
    assert [answer.inputs.text for answer in state.kept] == ["Once upon a time"]
    assert state.steps == ()
    assert state.answer.inputs.text == "another one"


def test_of_a_large_model_it_is_said_that_nothing_can_wait(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    name = app.store.state.model.name
    monkeypatch.setattr("app.left.MOST_WEIGHTS", 1000)
    switch(qtbot, app, "encoder")
    assert f"the decoded tokens of {name} are gone" in app.window.banner.label.text().replace(
        "\u200b", ""
    )
    switch(qtbot, app, "decoder")
    assert app.store.state.steps == ()


def test_of_the_first_of_several_models_it_is_said_too(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    first = app.store.state.model
    switch(qtbot, app, "encoder")
    assert not app.window.banner.isVisible()
    app.session.running.keep()
    monkeypatch.setattr("app.left.MOST_WEIGHTS", app.store.state.model.parameters)
    switch(qtbot, app, "encoder-decoder")
    said = app.window.banner.label.text().replace("\u200b", "")
    assert f"the decoded tokens of {first.name} are gone" in said
    assert "not all models" in said
    switch(qtbot, app, "encoder")
    assert len(app.store.state.kept) == 1


def test_tokens_decoded_after_a_mask_was_reset_are_there_again(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.session.mask("decoder.self", MaskChoice(key="bidirectional"))
    settled(qtbot, app)
    QTest.mouseClick(app.window.mask_panel.clear, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert dict(app.store.state.masks) == {}
    step(qtbot, app, 2)
    steps = app.store.state.steps
    assert len(steps) == 2
    switch(qtbot, app, "encoder")
    switch(qtbot, app, "decoder")
    assert app.store.state.steps == steps


def test_it_is_said_that_nothing_comes_back_to_a_folder_that_is_opened_anew(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    folder = str(tmp_path)
    app = open_app("random:encoder", core=OfAFolder(folder))
    app.session.opening.open(folder)
    opened(qtbot, app, folder)
    app.session.running.keep()
    first, anew = app.store.state.model, " it was opened anew."
    app.session.opening.open(folder)
    qtbot.waitUntil(lambda: app.store.state.model is not first)
    settled(qtbot, app)
    assert app.store.state.kept == ()
    assert app.window.banner.label.text().endswith(anew)
    step(qtbot, app, 2)
    switch(qtbot, app, "encoder")
    assert app.store.state.note == ""
    app.session.opening.open(folder)
    opened(qtbot, app, folder)
    assert app.store.state.steps == ()
    assert app.window.banner.label.text().endswith(anew)


def test_what_waits_for_a_folder_waits_on_where_opening_it_anew_was_cancelled(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    folder = str(tmp_path)
    core = OfAFolder(folder)
    app = open_app("random:encoder", core=core)
    app.session.opening.open(folder)
    opened(qtbot, app, folder)
    app.session.running.keep()
    kept = app.store.state.kept
    switch(qtbot, app, "encoder")
    core.gate.clear()
    app.session.opening.open(folder)
    app.session.cancel()
    core.gate.set()
    settled(qtbot, app)
    switch(qtbot, app, "decoder")
    assert app.store.state.kept == kept


def test_the_note_of_an_example_does_not_hide_that_something_is_gone(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    name = app.store.state.model.name
    monkeypatch.setattr("app.left.MOST_WEIGHTS", 1000)
    app.session.opening.show_example(
        Example(title="Two", model="random:encoder", text="ab", note="See here.")
    )
    opened(qtbot, app, "random:encoder")
    assert app.window.banner.label.text() == (
        f"See here. The kept texts and the decoded tokens of {name} are gone: it is too large to "
        "stay in memory beside another model."
    )

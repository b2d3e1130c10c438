"""Padding is hidden or left visible, and is not counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.panels.mask_words import HIDDEN, words
from core.mask_kinds import KINDS
from core.masks import MaskChoice
from tests.app.choosing import choose
from tests.app.driver import Opener, heatmap, settled, type_text


def test_a_mask_of_padding_alone_needs_no_switch(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "ab")
    panel = app.window.mask_panel
    panel.hide_padding.click()
    settled(qtbot, app)
    choose(qtbot, app, panel.kind.combo, "padding")
    assert not panel.hide_padding.isEnabled()
    assert panel.hide_padding.isChecked()
    assert "Padding is seen" not in panel.explanation.text()
    choose(qtbot, app, panel.kind.combo, "causal")
    assert panel.hide_padding.isEnabled()
    assert not panel.hide_padding.isChecked(), "as it was before"


def test_padding_can_be_left_visible(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "ab")
    app.window.prompt.pad_to.setValue(6)
    settled(qtbot, app)
    assert (heatmap(app).values[:4, 4:] == 0).all()
    told = app.window.mask_panel.explanation.text()
    assert told == "As the model is built: a token sees every token but padding."
    app.window.mask_panel.hide_padding.click()
    settled(qtbot, app)
    assert (heatmap(app).values[:4, 4:] > 0).all()
    explanation = app.window.mask_panel.explanation
    assert "where distance counts, all of it stands at the last token." in explanation.text()
    side = app.window.prompt.pad_side
    side.setCurrentIndex(side.findData("left"))
    side.activated.emit(side.currentIndex())
    settled(qtbot, app)
    assert app.store.state.inputs.pad_side == "left"
    assert "all of it stands before the first token." in explanation.text()
    assert "last token" not in explanation.text()


@pytest.mark.parametrize("key", [key for key in KINDS if key != "padding"])
def test_every_kind_of_mask_says_that_padding_is_hidden_where_there_is_any(key: str) -> None:
    choice = MaskChoice(key=key)
    assert words(choice, KINDS, (), "right", padded=True).endswith(HIDDEN)
    assert "padding" not in words(choice, KINDS, (), "right")
    seen = replace(choice, hide_padding=False)
    assert HIDDEN not in words(seen, KINDS, (), "right", padded=True)


def test_the_read_out_counts_past_the_padding(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "ab")
    app.window.prompt.pad_to.setValue(6)
    app.session.write(pad_side="left")
    settled(qtbot, app)
    app.store.select(query=3, key=0)
    settled(qtbot, app)
    lines = dict(app.window.readout.lines)
    assert "index 3, position 1, id" in lines["query"]
    assert "index 0, padding, id" in lines["key"]

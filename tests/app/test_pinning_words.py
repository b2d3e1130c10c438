"""A click on a word of the other stack goes there, as far as that stack has the place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.engine import Engine
from app.selection import Selection
from core import random_models
from tests.app.driver import Opener, click_chip, settled


def test_a_word_of_a_stack_with_fewer_layers(
    qtbot: QtBot, open_app: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = random_models.RECIPES["encoder-decoder"]
    config = {**recipe.config, "decoder_layers": 2, "decoder_attention_heads": 2}
    changed = {"encoder-decoder": replace(recipe, config=config)}
    monkeypatch.setattr(random_models, "RECIPES", changed)
    app = open_app("random:encoder-decoder", core=Engine())
    app.session.write(text="abc", target="de")
    settled(qtbot, app)
    app.store.select(layer=2, head=3, key=1)
    settled(qtbot, app)
    click_chip(app.window.prompt.target_chips, 1)
    settled(qtbot, app)
    there = Selection(stack="decoder", part="self", layer=1, head=1, query=1)
    assert app.store.state.selection == there
    assert app.store.state.problem is None
    assert "layer 2 of 2" in app.window.pictures.figure.title
    click_chip(app.window.prompt.target_chips, 1)
    assert app.store.state.selection == replace(there, query=None)

"""The explanation of a mask: the model's own, of the site in sight, to its end."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.panels.mask_words import own_words
from core.masks import MaskChoice
from tests.app.choosing import choose
from tests.app.driver import Opener, mask_at, settled, type_text
from tests.core import tiny


def test_a_long_explanation_can_be_read_to_its_end(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    mask = app.window.mask_panel
    choose(qtbot, app, mask.kind.combo, "strided")
    choose(qtbot, app, mask.second.combo, "global_local")
    told = mask.explanation
    needed = told.heightForWidth(told.width())
    view = told.parentWidget()
    assert view is not None
    qtbot.waitUntil(lambda: told.height() >= needed)
    assert needed > view.height() > 60, "it scrolls"


def test_the_models_own_mask_is_told_with_its_windows() -> None:
    plain, near = tiny.attention(causal=True), tiny.attention(causal=True, window=4)
    before = "As the model is built: a token sees itself and the tokens before it, none after it"
    assert own_words([plain] * 2) == f"{before}."
    assert own_words([near] * 2) == f"{before}; but only the nearest 4 of them."
    assert own_words([plain, near]) == f"{before}; but only the nearest 4 of them in 1 of 2 layers."
    both = tiny.attention(causal=False, window=3)
    told = "As the model is built: a token sees every token; but only those less than 3 positions"
    assert own_words([both]) == f"{told} away."
    assert own_words([tiny.attention(causal=False)]).endswith("sees every token.")
    assert own_words([plain], hidden=True) == f"{before}, and no padding."


def test_three_sites_explain_the_mask_of_the_one_that_is_looked_at(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder-decoder")
    app.window.resize(1024, 700)
    type_text(app, "ab")
    settled(qtbot, app)
    panel = app.window.mask_panel
    assert "sees every token." in panel.explanation.text()
    QTest.mouseClick(panel.buttons["decoder.self"], Qt.MouseButton.LeftButton)
    assert "none after it." in panel.explanation.text()
    view = panel.explanation.parentWidget()
    assert view is not None
    assert view.height() >= panel.explanation.fontMetrics().height(), "a line is in sight"
    app.session.mask("decoder.self", MaskChoice(blocked=((0, 0),)))
    settled(qtbot, app)
    assert "1 cell is painted out" in panel.explanation.text()
    panel.explanation.linkActivated.emit("clear")
    settled(qtbot, app)
    assert mask_at(app, "decoder.self").blocked == ()

"""What is said of a mask: right at every attention site, and to be read where there is room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.panels.mask_words import explained, own_words, words
from core.mask_kinds import KINDS
from core.masks import MaskChoice
from tests.app.driver import Opener, opened_on, settled
from tests.app.test_decoding import step
from tests.core import tiny


@pytest.mark.parametrize("key", [key for key, kind in KINDS.items() if "cross" in kind.sites])
def test_across_stacks_no_token_is_said_to_see_itself(key: str) -> None:
    told = words(MaskChoice(key=key), KINDS, (), "right", site="cross")
    assert told == explained(KINDS[key], "cross")
    assert "arget token" in told
    assert "source token" in told
    assert "itself" not in told
    for parameter in KINDS[key].parameters:
        assert f"“{parameter.label}”" in told
    assert explained(KINDS[key], "self") == KINDS[key].explanation


def test_the_models_own_mask_across_stacks() -> None:
    told = own_words([tiny.attention(causal=False)], site="cross")
    assert told == "As the model is built: a target token sees every source token."


@pytest.mark.parametrize(
    ("count", "beyond", "told"),
    [
        (1, 0, "1 cell is painted out, in every text ("),
        (1, 1, "1 cell is painted out, in every text; it lies beyond this one ("),
        (4, 1, "4 cells are painted out, in every text; 1 of them lies beyond this one ("),
        (4, 3, "4 cells are painted out, in every text; 3 of them lie beyond this one ("),
        (4, 4, "4 cells are painted out, in every text; all of them lie beyond this one ("),
    ],
)
def test_painted_cells_that_the_text_is_too_short_for_are_told(
    count: int, beyond: int, told: str
) -> None:
    choice = MaskChoice(blocked=tuple((9, key) for key in range(count)))
    said = words(choice, KINDS, [tiny.attention(causal=True)], "right", beyond=beyond)
    assert f"But {told}<a href='clear'>" in said


def test_an_explanation_below_three_thumbnails_has_the_lines_it_needs(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder-decoder")
    panel = app.window.mask_panel
    told = panel.explanation
    panel.buttons["decoder.cross"].click()
    app.session.mask("decoder.cross", MaskChoice(key="local", params=(("window", 3),)))
    settled(qtbot, app)
    assert told.text() == explained(KINDS["local"], "cross")
    tip = panel.kind.combo.itemData(panel.kind.combo.findData("local"), Qt.ItemDataRole.ToolTipRole)
    assert tip == told.text()
    view = told.parentWidget()
    room = app.window.docks[1].widget()
    assert view is not None
    needed = told.heightForWidth(told.width())
    assert needed > told.fontMetrics().lineSpacing(), "more than one line"
    qtbot.waitUntil(lambda: view.height() >= needed)
    qtbot.waitUntil(lambda: not room.verticalScrollBar().isVisible())


def test_a_prefix_beyond_the_text_is_told_and_stays_for_a_longer_one(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abcdef", "random:decoder")
    panel = app.window.mask_panel
    app.session.mask("decoder.self", MaskChoice(key="prefix", params=(("prefix", 99),)))
    settled(qtbot, app)
    spin = panel.kind.spins["prefix"]
    assert (spin.value(), spin.maximum()) == (99, 99), "no other number than the mask has"
    beyond = (
        "Prefix 99 of the mask 'Prefix LM' is more than the tokens of the text and acts like 6."
    )
    assert panel.explanation.text() == f"{KINDS['prefix'].explanation} {beyond}"
    assert bool(app.store.state.trace.allowed("decoder.self", 0).all())
    app.session.write(text="ab" * 60)
    settled(qtbot, app)
    assert panel.explanation.text() == KINDS["prefix"].explanation
    assert (spin.value(), spin.maximum()) == (99, 120)
    assert app.store.state.masks["decoder.self"].params == (("prefix", 99),)
    spin.setValue(5)
    assert app.store.state.masks["decoder.self"].params == (("prefix", 5),)


def test_a_prefix_is_held_against_the_tokens_of_the_step_that_is_looked_at(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abc", "random:decoder")
    panel, whole = app.window.mask_panel, KINDS["prefix"].explanation
    app.session.mask("decoder.self", MaskChoice(key="prefix", params=(("prefix", 6),)))
    settled(qtbot, app)
    beyond = "Prefix 6 of the mask 'Prefix LM' is more than the tokens of the text and acts like"
    assert panel.explanation.text() == f"{whole} {beyond} 3."
    step(qtbot, app, 8)

    def at(index: int) -> int:
        app.session.stepping.show(index)
        settled(qtbot, app)
        return int(app.store.state.trace.allowed("decoder.self", 0)[0].sum())

    for index, seen in ((0, 3), (2, 5)):
        assert at(index) == seen
        assert panel.explanation.text() == f"{whole} {beyond} {seen}."
    assert at(7) == 6 and panel.explanation.text() == whole
    assert panel.kind.spins["prefix"].maximum() == 10
    app.session.stepping.first()
    assert panel.explanation.text() == f"{whole} {beyond} 3."

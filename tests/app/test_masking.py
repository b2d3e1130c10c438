"""Attention masks: choosing a kind, painting cells, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.panels.mask_words import HIDDEN, own_words, words
from app.wiring import App
from core.mask_kinds import KINDS
from core.masks import MaskChoice
from tests.app.driver import (
    Opener,
    click_at,
    drag,
    heatmap,
    mask_at,
    mask_editor,
    opened_on,
    settled,
    type_text,
)
from tests.core import tiny


def choose(qtbot: QtBot, app: App, combo: QComboBox, key: str) -> None:
    """Through the keyboard, as a person without a mouse would."""
    combo.setFocus()
    target = combo.findData(key)
    assert target >= 0, key
    step = Qt.Key.Key_Down if target > combo.currentIndex() else Qt.Key.Key_Up
    while combo.currentIndex() != target:
        QTest.keyClick(combo, step)
    settled(qtbot, app)


def test_a_kind_changes_what_every_query_may_see(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    choose(qtbot, app, app.window.mask_panel.kind.combo, "causal")
    values, hidden = heatmap(app).values, heatmap(app).hidden
    assert hidden is not None
    for query in range(6):
        for key in range(6):
            assert hidden[query, key] == (key > query)
            assert not hidden[query, key] or values[query, key] == 0


def test_parameters_become_spin_boxes(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    choose(qtbot, app, app.window.mask_panel.kind.combo, "sliding_window")
    spins = app.window.mask_panel.kind.spins
    assert list(spins) == ["window"]
    spins["window"].setValue(1)
    settled(qtbot, app)
    assert (heatmap(app).values.diagonal() == 1).all()
    choose(qtbot, app, app.window.mask_panel.kind.combo, "strided")
    assert sorted(app.window.mask_panel.kind.spins) == ["local", "stride"]


def test_two_kinds_combine(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    mask = app.window.mask_panel
    choose(qtbot, app, mask.kind.combo, "causal")
    choose(qtbot, app, mask.second.combo, "no_self")
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert hidden.diagonal().all()
    assert heatmap(app).dead_rows == (0,)
    told = [KINDS[key].explanation for key in ("causal", "no_self")]
    both = f"1. {told[0]} 2. {told[1]}"
    assert mask.explanation.text() == f"{both} Only what every kind allows is seen."
    choose(qtbot, app, mask.how, "or")
    assert mask.explanation.text() == f"{both} What any one kind allows is seen."
    hidden = heatmap(app).hidden
    assert hidden is None or not hidden.any()


def test_a_cell_painted_in_the_thumbnail_is_hidden(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab")
    thumbnail = app.window.mask_panel.maps["encoder.self"]
    click_at(thumbnail, thumbnail.cell_centre(1, 2))
    settled(qtbot, app)
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert [tuple(cell) for cell in zip(*hidden.nonzero(), strict=True)] == [(1, 2)]
    assert heatmap(app).values[1, 2] == 0
    click_at(thumbnail, thumbnail.cell_centre(1, 2))
    settled(qtbot, app)
    hidden = heatmap(app).hidden
    assert hidden is None or not hidden.any()


def test_the_large_mask_editor_paints_too(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab")
    editor = mask_editor(qtbot, app)
    click_at(editor.map, editor.map.cell_centre(3, 0))
    settled(qtbot, app)
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert hidden[3, 0]
    QTest.mouseClick(app.window.mask_panel.clear, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ()
    editor.close()


def test_painting_is_undone_stroke_by_stroke_and_cleared_at_once(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    panel = app.window.mask_panel
    thumbnail = panel.maps["encoder.self"]

    def blocked() -> set[tuple[int, int]]:
        settled(qtbot, app)
        return set(mask_at(app, "encoder.self").blocked)

    drag(thumbnail, *(thumbnail.cell_centre(1, key) for key in (2, 3, 4)))
    stroke = blocked()
    assert stroke == {(1, 2), (1, 3), (1, 4)}
    click_at(thumbnail, thumbnail.cell_centre(1, 3))  # shown again
    assert blocked() == {(1, 2), (1, 4)}
    assert panel.edit.text() == "2 painted…"
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == stroke
    assert app.window.prompt.text.toPlainText() == "abcd"
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == set()
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == set()
    assert panel.edit.text() == "Paint…"
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, shift)
    assert blocked() == stroke
    QTest.keyClick(thumbnail, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == {(1, 2), (1, 4)}
    QTest.keyClick(thumbnail, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == {(1, 2), (1, 4)}, "there is no more"
    QTest.keyClick(thumbnail, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == stroke
    click_at(thumbnail, thumbnail.cell_centre(2, 2))
    QTest.keyClick(thumbnail, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert blocked() == stroke | {(2, 2)}, "a new stroke ends what could be done again"


def test_painted_cells_are_cleared_without_the_kind_of_mask(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    panel = app.window.mask_panel
    choose(qtbot, app, panel.kind.combo, "causal")
    thumbnail = panel.maps["encoder.self"]
    click_at(thumbnail, thumbnail.cell_centre(3, 1))
    settled(qtbot, app)
    type_text(app, "ab")
    settled(qtbot, app)
    told = panel.explanation.text()
    assert "But 1 cell is painted out, in every text" in told
    QTest.mouseClick(panel.edit, Qt.MouseButton.LeftButton)
    editor = panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    assert editor.undo.isEnabled()
    QTest.mouseClick(editor.clear, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    choice = mask_at(app, "encoder.self")
    assert (choice.key, choice.blocked) == ("causal", ())
    assert not editor.clear.isEnabled()
    assert not editor.redo.isEnabled()
    QTest.mouseClick(editor.undo, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ((3, 1),)
    QTest.mouseClick(editor.redo, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ()
    QTest.mouseClick(editor.undo, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    editor.close()
    panel.explanation.linkActivated.emit("clear")
    settled(qtbot, app)
    assert mask_at(app, "encoder.self").blocked == ()
    assert "painted" not in panel.explanation.text()


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


def test_every_site_has_its_own_mask_and_thumbnail(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    mask = app.window.mask_panel
    assert [site for site, shown in mask.maps.items() if shown.isVisible()] == [
        "encoder.self",
        "decoder.self",
        "decoder.cross",
    ]
    QTest.mouseClick(mask.buttons["decoder.cross"], Qt.MouseButton.LeftButton)
    offered = {mask.kind.combo.itemData(i) for i in range(mask.kind.combo.count())}
    assert "local" in offered
    assert "causal" not in offered, "a cross-attention has no before and after"
    choose(qtbot, app, mask.kind.combo, "local")
    assert set(app.store.state.masks) == {"decoder.cross"}


def test_the_editor_leaves_the_picture_in_sight_and_explains_its_colours(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.window.mask_panel.edit.click()
    editor = app.window.mask_panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    picture = app.window.pictures
    covered = editor.frameGeometry().right() - picture.mapToGlobal(QPoint(0, 0)).x()
    assert covered < 0.1 * picture.width()
    lists = app.window.predictions
    assert editor.frameGeometry().right() < lists.mapToGlobal(QPoint(0, 0)).x()
    assert app.window.frameGeometry().contains(editor.frameGeometry().center())
    editor.move(30, 40)
    editor.close()
    app.window.mask_panel.edit.click()
    assert editor.pos() == QPoint(30, 40)
    theme = app.window.theme
    assert theme is not None
    for colour in (theme.lines[0], theme.hatch_line, theme.accent):
        assert colour in editor.legend.text()
    editor.close()


def test_the_editor_says_itself_why_a_cell_is_hidden_already(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = opened_on(qtbot, open_app, "ab", "random:decoder")
    editor = mask_editor(qtbot, app)
    painted = editor.map.geometry()
    click_at(editor.map, editor.map.cell_centre(0, 1))
    assert editor.problem.isVisible()
    assert "hides this cell already" in editor.problem.text()
    assert app.store.state.problem is None
    qtbot.wait(20)
    assert editor.map.geometry() == painted, "the cells moved"
    click_at(editor.map, editor.map.cell_centre(1, 0))
    settled(qtbot, app)
    assert not editor.problem.isVisible()
    click_at(editor.map, editor.map.cell_centre(0, 1))
    editor.close()
    editor.show()
    assert not editor.problem.isVisible()
    editor.close()


def test_the_panel_says_itself_why_a_cell_is_hidden_already(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "ab", "random:decoder")
    panel = app.window.mask_panel
    shown, before = panel.maps["decoder.self"], panel.explanation.text()
    click_at(shown, shown.cell_centre(0, 1))
    assert "hides this cell already" in panel.explanation.text()
    assert app.window.theme is not None
    assert app.window.theme.warning in panel.explanation.styleSheet()
    assert app.store.state.problem is None
    assert not app.window.prompt.problem.text()
    app.store.select(layer=1)
    assert panel.explanation.text() == before
    assert app.window.theme.muted in panel.explanation.styleSheet()
    click_at(shown, shown.cell_centre(0, 1))
    click_at(shown, shown.cell_centre(1, 0))
    settled(qtbot, app)
    assert "hides this cell already" not in panel.explanation.text()


def test_the_editor_undoes_by_key_wherever_its_focus_is(qtbot: QtBot, open_app: Opener) -> None:
    app = opened_on(qtbot, open_app, "abcd")
    app.window.mask_panel.edit.click()
    editor = app.window.mask_panel.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    for key in (1, 2, 3):
        click_at(editor.map, editor.map.cell_centre(1, key))
        settled(qtbot, app)
    for focus in (editor.map, editor.undo, editor.clear):
        count = len(mask_at(app, "encoder.self").blocked)
        focus.setFocus()
        QTest.keyClick(focus, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settled(qtbot, app)
        assert len(mask_at(app, "encoder.self").blocked) == count - 1
    assert app.window.prompt.text.toPlainText() == "abcd"
    editor.close()


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


def test_the_site_whose_mask_is_chosen_is_shown(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    for site in ("decoder.cross", "encoder.self", "decoder.self"):
        QTest.mouseClick(app.window.mask_panel.buttons[site], Qt.MouseButton.LeftButton)
        settled(qtbot, app)
        assert app.store.state.selection.site == site
        assert app.window.sitebar.site.currentData() == site
        assert app.window.mask_panel.buttons[site].isChecked()

"""A query and a key are pinned, read out, kept on their words and let go."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.following import place
from tests.app.driver import Opener, click_at, find, front, heatmap, press, settled, type_text


def test_clicking_a_cell_pins_it_and_esc_lets_go(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abc")
    settled(qtbot, app)
    click_at(front(app), find(front(app), query=2, key=3))
    settled(qtbot, app)
    assert (heatmap(app).row, heatmap(app).column) == (2, 3)
    lines = dict(app.window.readout.lines)
    trace = app.store.state.answer.trace
    assert lines["query"].startswith("“b”")
    assert "position 2, id" in lines["query"]
    assert lines["key"].startswith("“c”")
    weight = float(trace.pattern("encoder.self", 0, 0)[2, 3])
    assert lines["weight"].startswith(f"{weight:.4f}")
    press(app, Qt.Key.Key_Escape)
    assert app.store.state.selection.query is None
    assert app.store.state.selection.key is None
    assert app.window.readout.lines == ()


def test_the_raw_score_is_the_product_of_query_and_key(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.store.select(query=1, key=2, layer=2, head=3)
    settled(qtbot, app)
    trace = app.store.state.answer.trace
    product = float(trace["encoder.2.self.q"][3, 1] @ trace["encoder.2.self.k"][3, 2])
    lines = app.window.readout.lines
    assert ("q·k", f"{product:.4f}".replace("-", "−")) in lines
    score, formula = dict(lines)["score"].split("  ")
    assert formula == "= q·k / √32"  # done already, not still to do
    assert float(score.replace("−", "-")) == pytest.approx(product / 32**0.5, abs=1e-4)


def test_pinning_a_row_and_a_column_with_keys_and_spin_boxes(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    press(app, Qt.Key.Key_Down, shift=True)
    press(app, Qt.Key.Key_Down, shift=True)
    assert app.store.state.selection.query == 1
    press(app, Qt.Key.Key_Left, shift=True)
    last = len(app.store.state.answer.trace.tokens["encoder"]) - 1
    assert app.store.state.selection.key == last
    app.window.readout.query.spin.setValue(5)
    assert app.store.state.selection.query == 5
    app.window.readout.key.spin.setValue(-1)
    assert app.store.state.selection.key is None


def test_a_pin_stays_on_its_word_while_the_text_is_edited(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "ab cd")
    settled(qtbot, app)
    before = app.store.state.answer.trace.tokens["encoder"].pieces
    app.store.select(query=before.index("c"), key=before.index("d"))

    def pinned() -> list[str | None]:
        settled(qtbot, app)
        answer, selection = app.store.state.answer, app.store.state.selection
        pieces = answer.trace.tokens["encoder"].pieces
        return [None if i is None else pieces[i] for i in (selection.query, selection.key)]

    app.session.write(text="xyz ab cd")
    assert pinned() == ["c", "d"]
    app.session.write(text="xyz ab cd and on")
    assert pinned() == ["c", "d"]
    app.session.write(text="ab ef and on")
    assert pinned() == [None, None]


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("abc", "abc", [0, 1, 2]),
        ("abc", "xabc", [1, 2, 3]),
        ("abc", "abxc", [0, 1, 3]),
        ("abc", "ac", [0, None, 1]),
        ("abc", "axc", [0, 1, 2]),
        ("abc", "", [None] * 3),
        ("aaa", "aaaa", [0, 1, 2]),
        ("abc", "xyzw", [None] * 3),
    ],
)
def test_where_a_token_stands_in_an_edited_text(
    old: str, new: str, places: list[int | None]
) -> None:
    ids, others = ([ord(letter) for letter in text] for text in (old, new))
    assert [place(index, ids, others) for index in range(len(old))] == places


def test_a_token_that_looks_like_a_tag_is_read_as_it_stands(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.store.select(query=1, key=None)
    settled(qtbot, app)
    values = app.window.readout.findChildren(QLabel)
    shown = [label for label in values if label.text().startswith("“")]
    assert shown
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in shown)


def test_a_double_click_that_shows_all_leaves_the_pins(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.store.select(query=1, key=0)
    settled(qtbot, app)
    widget = front(app)
    left = Qt.MouseButton.LeftButton

    def double_click() -> None:
        at = find(widget, query=3, key=3)
        click_at(widget, at)
        settled(qtbot, app)
        QTest.mouseDClick(widget, left, pos=at.toPoint())
        settled(qtbot, app)

    press(app, Qt.Key.Key_Plus)
    assert widget._sight.zoomed
    double_click()
    assert not widget._sight.zoomed
    assert (app.store.state.selection.query, app.store.state.selection.key) == (1, 0)
    # On a map that shows all already it is but a click.
    double_click()
    assert (app.store.state.selection.query, app.store.state.selection.key) == (3, 3)


def test_a_double_click_lets_no_pin_go(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.store.select(query=3, key=3)
    settled(qtbot, app)
    widget = front(app)
    press(app, Qt.Key.Key_Plus)
    at = find(widget, query=3, key=3)
    click_at(widget, at)
    assert app.store.state.selection.query is None
    QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert (app.store.state.selection.query, app.store.state.selection.key) == (3, 3)

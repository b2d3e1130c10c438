"""Looking around: layer, head, site, query and key, by mouse, keys and spin boxes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.following import place
from tests.app.driver import (
    Opener,
    click_at,
    find,
    front,
    go_to,
    heatmap,
    press,
    settled,
    type_text,
)

Key = Qt.Key


def test_looking_elsewhere_never_runs_the_model(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    answer = app.store.state.answer
    for key in (Key.Key_Right, Key.Key_Right, Key.Key_Down, Key.Key_Left, Key.Key_M):
        press(app, key)
        settled(qtbot, app)
    assert app.store.state.answer is answer
    assert app.store.state.selection.layer == 1
    assert app.store.state.selection.head is None
    mean = answer.trace.pattern("encoder.self", 1).mean(0).numpy()
    assert (heatmap(app).values == mean).all()


def test_arrows_stop_at_the_ends(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    press(app, Key.Key_Left)
    press(app, Key.Key_Up)
    assert (app.store.state.selection.layer, app.store.state.selection.head) == (0, 0)
    for _ in range(9):
        press(app, Key.Key_Right)
        press(app, Key.Key_Down)
    assert (app.store.state.selection.layer, app.store.state.selection.head) == (3, 3)


def test_spin_boxes_and_arrows_beside_them(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    bar = app.window.sitebar
    QTest.mouseClick(bar.head.on, Qt.MouseButton.LeftButton)
    assert app.store.state.selection.head == 1
    bar.layer.spin.selectAll()
    QTest.keyClicks(bar.layer.spin, "3")
    assert app.store.state.selection.layer == 2
    settled(qtbot, app)
    assert "layer 3 of 4 · head 2 of 4" in app.window.pictures.figure.title


def test_controls_rest_that_the_view_does_not_heed(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    bar = app.window.sitebar
    for view, active in (
        ("attention", (True, True, True, True)),
        ("hidden_states", (True, True, False, False)),
        ("embeddings", (True, False, False, False)),
        ("beams", (False, False, False, False)),
        ("attention", (True, True, True, True)),
    ):
        app.session.look_at(view)
        settled(qtbot, app)
        controls = (bar.site, bar.layer, bar.head, bar.mean)
        assert tuple(control.isEnabled() for control in controls) == active, view
    app.session.look_at("hidden_states")
    assert bar.head.toolTip() == "This view is the same for every head"
    assert not bar.play.isHidden()
    assert bar.play.isEnabled()
    app.session.look_at("embeddings")
    assert not bar.play.isEnabled()


def test_of_the_predictions_only_the_layers_of_the_stack_that_predicts_are_heeded(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder-decoder")
    bar = app.window.sitebar
    app.session.look_at("predictions")
    settled(qtbot, app)
    assert app.store.state.selection.stack == "encoder"
    assert not bar.layer.isEnabled()
    assert bar.layer.toolTip() == "This view is the same for every layer of the encoder"
    app.store.select(stack="decoder", part="cross")
    assert bar.layer.isEnabled()
    assert not bar.layer.toolTip()


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
    press(app, Key.Key_Escape)
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
    press(app, Key.Key_Down, shift=True)
    press(app, Key.Key_Down, shift=True)
    assert app.store.state.selection.query == 1
    press(app, Key.Key_Left, shift=True)
    last = len(app.store.state.answer.trace.tokens["encoder"]) - 1
    assert app.store.state.selection.key == last
    app.window.readout.query.spin.setValue(5)
    assert app.store.state.selection.query == 5
    app.window.readout.key.spin.setValue(-1)
    assert app.store.state.selection.key is None


def test_a_head_of_the_mosaic_opens(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    go_to(qtbot, app, "all_heads")
    assert app.store.state.view == "all_heads"
    click_at(front(app), find(front(app), layer=2, head=1))
    settled(qtbot, app)
    assert app.store.state.view == "attention"
    assert (app.store.state.selection.layer, app.store.state.selection.head) == (2, 1)


def test_sites_of_an_encoder_decoder(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    seen = []
    for _ in range(4):
        settled(qtbot, app)
        seen.append(app.store.state.selection.site)
        assert heatmap(app).values.ndim == 2
        press(app, Key.Key_S)
    assert seen == ["encoder.self", "decoder.self", "decoder.cross", "encoder.self"]


def test_a_part_of_the_architecture_leads_to_its_site(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    settled(qtbot, app)
    app.store.select(query=1, key=1, head=2)
    app.session.look_at("architecture")
    settled(qtbot, app)
    widget = front(app)
    drawing = widget.page.placed[0].drawing
    boxes = drawing.panel.boxes  # type: ignore[union-attr]
    (place,) = [i for i, box in enumerate(boxes) if box.text.startswith("Cross-attention")]
    x, y = drawing._boxes[place].middle  # type: ignore[union-attr]
    click_at(widget, QPointF(x, y))
    settled(qtbot, app)
    selection = app.store.state.selection
    assert (selection.site, selection.layer, selection.head) == ("decoder.cross", 0, 2)
    assert (selection.query, selection.key) == (None, None)
    assert app.store.state.view == "attention"


def test_keys_belong_to_the_text_while_one_types(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    before = app.store.state.selection
    editor = app.window.prompt.text
    editor.setFocus()
    editor.setPlainText("")
    QTest.keyClicks(editor, "m 1s2 nb")
    for key in (Key.Key_Left, Key.Key_Up, Key.Key_Home):
        QTest.keyClick(editor, key)
    settled(qtbot, app)
    assert editor.toPlainText() == "m 1s2 nb"
    assert app.store.state.selection == before
    assert app.store.state.view == "attention"


def test_after_a_click_on_a_button_the_keys_are_the_pictures(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.window.activateWindow()
    app.window.prompt.text.setFocus()
    QTest.mouseClick(app.window.sitebar.head.on, Qt.MouseButton.LeftButton)
    assert front(app).hasFocus()
    QTest.mouseClick(app.window.decoding.buttons["step"], Qt.MouseButton.LeftButton)
    assert front(app).hasFocus()
    button = app.window.decoding.buttons["step"]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert button.hasFocus(), "who came by Tab stays"


def test_only_the_view_in_front_draws(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    drawn: list[str] = []
    app.window.pictures.drawn.connect(drawn.append)
    type_text(app, "abc")
    settled(qtbot, app)
    assert set(drawn) == {"attention"}
    go_to(qtbot, app, "hidden_states")
    assert drawn[-1] == "hidden_states"


@pytest.mark.parametrize("source", ["random:encoder", "random:decoder", "random:encoder-decoder"])
def test_every_view_draws_on_every_architecture(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = open_app(source)
    for key in app.window.pictures.keys:
        app.session.look_at(key)
        settled(qtbot, app)
        assert app.store.state.problem is None, key
        assert app.window.pictures.figure.title, key


def test_the_table_of_heads_is_sorted_by_a_click_or_from_the_menu(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.session.look_at("head_table")
    settled(qtbot, app)
    click_at(front(app), find(front(app), sort=0))
    settled(qtbot, app)
    assert app.window.pictures.figure.title.endswith("by entropy, most first")
    assert app.window.menus.orders["entropy"].isChecked()
    click_at(front(app), find(front(app), sort=0))
    settled(qtbot, app)
    assert app.window.pictures.figure.title.endswith("by entropy, least first")
    app.window.menus.orders["copying"].trigger()
    settled(qtbot, app)
    assert app.window.pictures.figure.title.endswith("by copying, most first")
    click_at(front(app), find(front(app), layer=1, head=3))
    settled(qtbot, app)
    assert app.store.state.view == "attention"
    assert (app.store.state.selection.layer, app.store.state.selection.head) == (1, 3)


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


def test_the_mean_goes_inside_the_head_that_was_chosen(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    go_to(qtbot, app, "inside_head")
    app.store.select(head=2)
    app.window.sitebar.toggle_mean()
    settled(qtbot, app)
    figure = app.window.pictures.figure
    assert app.store.state.selection.head is None
    assert app.window.sitebar.head.spin.value() == 3
    assert figure.title.startswith("Inside head 3 of ")
    assert "A mean of heads has no q and k: head 3 is shown." in figure.note
    app.window.sitebar.toggle_mean()
    assert app.store.state.selection.head == 2


def test_a_token_that_looks_like_a_tag_is_read_as_it_stands(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.store.select(query=1, key=None)
    settled(qtbot, app)
    values = app.window.readout.findChildren(QLabel)
    shown = [label for label in values if label.text().startswith("“")]
    assert shown
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in shown)


def test_panels_without_room_are_a_page_further(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    go_to(qtbot, app, "inside_head")
    widget = front(app)
    widget.setFixedSize(500, 260)
    settled(qtbot, app)
    more, seen = widget.page.more, set()
    assert more is not None
    for _ in widget.page.layout.rows:
        layout = widget.page.layout
        seen |= {panel for panel in range(len(layout.boxes)) if layout.shows(panel)}
        click_at(widget, QPointF(more.x + 20, more.y + 10))
    assert seen == set(range(len(widget.figure.panels)))
    assert widget.page.layout.first == 0
    press(app, Qt.Key.Key_PageDown)
    assert widget.page.layout.first > 0
    press(app, Qt.Key.Key_PageUp)
    assert widget.page.layout.first == 0


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

    press(app, Key.Key_Plus)
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
    press(app, Key.Key_Plus)
    at = find(widget, query=3, key=3)
    click_at(widget, at)
    assert app.store.state.selection.query is None
    QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert (app.store.state.selection.query, app.store.state.selection.key) == (3, 3)

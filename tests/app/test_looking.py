"""Looking around: layer, head and site, by mouse, keys and spin boxes."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, click_at, find, front, go_to, heatmap, press, settled


def test_looking_elsewhere_never_runs_the_model(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    answer = app.store.state.answer
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_M):
        press(app, key)
        settled(qtbot, app)
    assert app.store.state.answer is answer
    assert app.store.state.selection.layer == 1
    assert app.store.state.selection.head is None
    mean = answer.trace.pattern("encoder.self", 1).mean(0).numpy()
    assert (heatmap(app).values == mean).all()


def test_arrows_stop_at_the_ends(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    press(app, Qt.Key.Key_Left)
    press(app, Qt.Key.Key_Up)
    assert (app.store.state.selection.layer, app.store.state.selection.head) == (0, 0)
    for _ in range(9):
        press(app, Qt.Key.Key_Right)
        press(app, Qt.Key.Key_Down)
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
        press(app, Qt.Key.Key_S)
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

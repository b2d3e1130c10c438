"""An encoder fills its masks one at a time, from the decoding bar."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.figure import Bars, WordGrid
from app.wiring import App
from core.decoding import Filling
from core.masks import MaskChoice
from tests.app.driver import (
    Opener,
    click_at,
    click_chip,
    find,
    front,
    heatmap,
    press,
    settled,
    type_text,
)
from tests.app.test_decoding import click, step, to_the_end, turn_to

TEXT = "a[MASK]c[MASK]e[MASK]"


def opened(qtbot: QtBot, open_app: Opener) -> App:
    app = open_app("random:encoder")
    type_text(app, TEXT)
    settled(qtbot, app)
    return app


@pytest.mark.parametrize("order", ["confident", "left-to-right"])
def test_masks_are_filled_in_order(qtbot: QtBot, open_app: Opener, order: str) -> None:
    app = opened(qtbot, open_app)
    choices = app.window.decoding.choices
    assert choices.order.isVisible()
    assert not choices.strategy.isVisible()
    choices.order.setCurrentIndex(choices.order.findData(order))
    choices.order.activated.emit(choices.order.currentIndex())
    to_the_end(qtbot, app)
    state = app.store.state
    own = Filling(state.model, state.answer.request, order=order)  # type: ignore[arg-type]
    while own.finished is None:
        own.step()
    assert [(f.position, f.token) for f in state.fills] == [
        (f.position, f.token) for f in own.steps
    ]
    bar = app.window.decoding
    assert bar.ending.text() == "Every mask is filled."
    for chip, fill in zip(bar.chips.chips, state.fills, strict=True):
        assert chip.below == f"{fill.probability:.1%}"
        assert f"position {fill.position}" in chip.tooltip


def test_each_fill_shows_the_whole_map_of_its_text(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    before = heatmap(app).values
    step(qtbot, app, 2)
    assert "Not autoregression" in app.window.decoding.text.text()
    assert app.window.decoding.count.text() == "fill 2 of 2"
    first, second = app.store.state.fills
    whole = app.store.state.model.trace(ids=list(first.tokens.ids))
    assert abs(heatmap(app).values - whole.pattern("encoder.self", 0, 0).numpy()).max() < 1e-5
    assert abs(heatmap(app).values - before).max() > 0, "also rows before the word have changed"
    marks = dict(heatmap(app).columns.marks)
    assert marks[first.position] == "generated"
    assert marks[second.position] == "masked"


def test_back_forward_and_play(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    step(qtbot, app, 2)
    made = app.store.state.fills
    click(app.window.decoding.buttons["back"])
    assert app.store.state.fill is made[0]
    click(app.window.decoding.buttons["first"])
    assert app.store.state.trace is app.store.state.answer.trace
    step(qtbot, app, 2)
    assert app.store.state.fills == made, "nothing was computed again"
    click_chip(app.window.decoding.chips, 0)
    assert app.store.state.fill is made[0]
    app.window.decoding.choices.speed.setValue(20)
    press(app, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(app.store.state.fills) == 3 and not app.store.state.playing)
    assert app.store.state.fills[:2] == made


def test_a_word_of_ones_own_choice(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    step(qtbot, app, 1)
    panel = app.window.predictions.figure.figure.panels[1]
    assert isinstance(panel, Bars)
    place, token = panel.position, panel.bars[2].token
    widget = app.window.predictions.figure
    click_at(widget, find(widget, token=token, position=place))
    qtbot.waitUntil(lambda: bool(app.store.state.fills) and app.store.state.fills[0].forced)
    settled(qtbot, app)
    (fill,) = app.store.state.fills
    assert (fill.position, fill.token) == (place, token)


def test_over_time_shows_fills_and_takes_another_word(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    to_the_end(qtbot, app)
    turn_to(qtbot, app, "over_time")
    panel = app.window.pictures.figure.panels[0]
    assert isinstance(panel, WordGrid)
    assert panel.columns.labels == ("1", "2", "3")
    assert panel.columns.title == "Fill"
    app.session.stepping.first()
    settled(qtbot, app)
    panel, curves = app.window.pictures.figure.panels
    assert isinstance(panel, WordGrid)
    assert panel.columns.title == curves.x_title == "Fill", "also of the text before the first"  # type: ignore[union-attr]
    app.session.stepping.last()
    settled(qtbot, app)
    second = app.store.state.fills[1]
    other = second.candidates[3].token
    click_at(front(app), find(front(app), step=1, token=other))
    qtbot.waitUntil(lambda: len(app.store.state.fills) == 2)
    changed = app.store.state.fills[1]
    assert (changed.position, changed.token, changed.forced) == (second.position, other, True)


def test_another_order_goes_on_from_what_is_filled(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    step(qtbot, app, 1)
    made, tokens = app.store.state.fills, app.store.state.fills[0].tokens.ids
    app.session.stepping.choose(order="left-to-right")
    assert app.store.state.fills == made
    assert app.store.state.fill is made[0]
    step(qtbot, app, 1)
    mask = app.store.state.model.spec.special.mask
    left = [place for place, token in enumerate(tokens) if token == mask]
    assert [fill.position for fill in app.store.state.fills[1:]] == [min(left)]


def test_the_order_rests_where_every_mask_is_filled(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    order = app.window.decoding.choices.order
    step(qtbot, app, 2)
    assert order.isEnabled()
    assert "filled next" in order.toolTip()
    step(qtbot, app, 1)
    assert not order.isEnabled()
    assert order.toolTip().startswith("Every mask is filled; throw the fills away")
    app.session.stepping.back()
    app.session.stepping.take(5)
    qtbot.waitUntil(lambda: len(app.store.state.fills) == 2)
    assert order.isEnabled(), "one is open again"
    step(qtbot, app, 1)
    assert not order.isEnabled()
    click(app.window.decoding.buttons["restart"])
    assert order.isEnabled()


def test_another_text_opens_the_masks_again(qtbot: QtBot, open_app: Opener) -> None:
    app = opened(qtbot, open_app)
    step(qtbot, app, 1)
    type_text(app, "x[MASK]")
    settled(qtbot, app)
    assert app.store.state.fills == ()
    assert app.window.decoding.chips.chips == ()
    assert "Not autoregression" in app.window.decoding.chips._empty


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("bidirectional", "each token sees the new word, also the tokens before it"),
        ("causal", "under this mask no token before the new word sees it"),
        ("segment", "the tokens that the mask lets see the new word do so"),
    ],
)
def test_what_is_said_of_filling_is_true_under_the_mask(
    qtbot: QtBot, open_app: Opener, key: str, said: str
) -> None:
    app = open_app("random:encoder")
    type_text(app, "a[MASK]c")
    settled(qtbot, app)
    app.session.mask("encoder.self", MaskChoice(key=key))
    settled(qtbot, app)
    assert said in app.window.decoding.chips._empty
    step(qtbot, app)
    assert said in app.window.decoding.text.text()

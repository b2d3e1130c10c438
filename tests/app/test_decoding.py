"""The decoding bar of the real window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.figure import Bars
from app.wiring import App
from core.decoding.filters import probabilities
from core.request import Sampling
from tests.app.driver import Opener, click_chip, heatmap, press, settled, type_text


def click(button: QToolButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def step(qtbot: QtBot, app: App, times: int = 1) -> None:
    for _ in range(times):
        before = app.store.state.selection.step
        click(app.window.decoding.buttons["step"])
        qtbot.waitUntil(lambda b=before: app.store.state.selection.step != b)
    settled(qtbot, app)


def turn_to(qtbot: QtBot, app: App, view: str) -> None:
    """To a view that may have no number key."""
    app.session.look_at(view)
    settled(qtbot, app)


def to_the_end(qtbot: QtBot, app: App) -> None:
    click(app.window.decoding.buttons["last"])
    qtbot.waitUntil(lambda: app.store.state.ending != "", timeout=20_000)
    settled(qtbot, app)


def test_each_step_adds_a_chip_with_its_probability(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 3)
    state = app.store.state
    assert len(app.window.decoding.chips.chips) == 3
    for chip, made in zip(app.window.decoding.chips.chips, state.steps, strict=True):
        assert chip.below == f"{made.probability:.1%}"
        expected = float(made.logits.softmax(-1)[made.token])
        assert made.probability == pytest.approx(expected, abs=1e-6)
    assert app.window.decoding.count.text() == "step 3 of 3"


def test_a_chips_tooltip_names_both_probabilities(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 1)
    (chip,), (plain,) = app.window.decoding.chips.chips, app.store.state.steps
    assert chip.tooltip.endswith(f"the model's own probability {plain.probability:.4f}")
    app.window.predictions.narrowing.top_k.setValue(3)
    settled(qtbot, app)
    step(qtbot, app, 1)
    narrowed = app.store.state.steps[-1]
    kept = probabilities(narrowed.logits, Sampling(top_k=3))[narrowed.token]
    assert kept > narrowed.probability
    assert app.window.decoding.chips.chips[-1].tooltip.endswith(
        f"own probability {narrowed.probability:.4f};"
        f" after penalty, temperature and cut-offs {kept:.4f}"
    )


@pytest.mark.parametrize("source", ["random:encoder", "random:decoder", "random:encoder-decoder"])
def test_nothing_in_the_bar_moves_when_tokens_come(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = open_app(source)
    bar = app.window.decoding
    widgets = (*bar.buttons.values(), bar.slider, bar.choices, bar.area, bar.text)

    def places() -> list[QRect]:
        qtbot.wait(30)  # for layouts to follow
        return [QRect(w.mapTo(app.window, QPoint(0, 0)), w.size()) for w in widgets[:-1]] + [
            QRect(bar.text.mapTo(app.window, QPoint(0, 0)), QSize(0, bar.text.height()))
        ]

    before = places()
    step(qtbot, app)
    assert places() == before
    bar.choices.most.setValue(60)
    to_the_end(qtbot, app)
    assert places() == before
    click(bar.buttons["restart"])
    assert places() == before


def test_one_position_is_not_positions_and_the_source_is_named(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder-decoder")
    step(qtbot, app)
    assert app.store.state.trace is not None
    source = len(app.store.state.trace.tokens["encoder"])
    assert f"cache 1 position + {source} of source," in app.window.decoding.text.text()
    step(qtbot, app)
    assert f"cache 2 positions + {source} of source," in app.window.decoding.text.text()


def test_steps_equal_one_run_over_the_whole_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 4)
    last = app.store.state.steps[-1]
    model = app.store.state.model
    whole = model.trace(ids=list(last.tokens.ids))
    row = len(last.tokens) - 2
    assert (last.logits - whole.logits[row]).abs().max() < 1e-4
    ours = last.trace.pattern("decoder.self", 0, 0)
    assert (ours - whole.pattern("decoder.self", 0, 0)[: row + 1, : row + 1]).abs().max() < 1e-5


def test_clicking_a_chip_shows_that_step_in_every_view(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    prompt = len(app.store.state.answer.trace.tokens["decoder"])
    step(qtbot, app, 3)
    assert heatmap(app).values.shape == (prompt + 2, prompt + 2)
    click_chip(app.window.decoding.chips, 1)
    settled(qtbot, app)
    assert heatmap(app).values.shape == (prompt + 1, prompt + 1)
    assert app.window.decoding.slider.value() == 2
    panel = app.window.predictions.figure.figure.panels[0]
    assert isinstance(panel, Bars)
    assert any("chosen" in bar.note for bar in panel.bars)


def test_back_and_forward_again_give_the_same_steps(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 3)
    made = app.store.state.steps
    for name in ("back", "back", "back"):
        click(app.window.decoding.buttons[name])
    assert app.store.state.selection.step is None
    step(qtbot, app, 3)
    assert app.store.state.steps == made, "nothing was computed again"


def test_to_the_end_says_why_it_ended_and_goes_on_when_more_is_wanted(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    app.window.decoding.choices.most.setValue(5)
    to_the_end(qtbot, app)
    bar = app.window.decoding
    assert bar.ending.text() == "Ended at 5 tokens; raise “At most” to go on."
    on = [bar.buttons[name] for name in ("play", "step", "last")]
    assert not any(button.isEnabled() for button in on), "there is nothing to go on to"
    click(bar.buttons["back"])
    assert all(button.isEnabled() for button in on)
    click(bar.buttons["last"])
    assert not any(button.isEnabled() for button in on)
    first = [made.token for made in app.store.state.steps]
    app.window.decoding.choices.most.setValue(7)
    assert app.window.decoding.ending.text() == ""
    assert all(button.isEnabled() for button in on)
    to_the_end(qtbot, app)
    tokens = [made.token for made in app.store.state.steps]
    assert len(tokens) == 7
    assert tokens[:5] == first


def test_space_plays_and_pauses(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.window.decoding.choices.speed.setValue(20)
    press(app, Qt.Key.Key_Space)
    assert app.store.state.playing
    qtbot.waitUntil(lambda: len(app.store.state.steps) >= 3, timeout=10_000)
    press(app, Qt.Key.Key_Space)
    assert not app.store.state.playing
    settled(qtbot, app)
    count = len(app.store.state.steps)
    qtbot.wait(200)
    assert len(app.store.state.steps) == count


def test_an_encoder_without_a_mask_says_why_it_writes_nothing(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    type_text(app, "no mask")
    settled(qtbot, app)
    bar = app.window.decoding
    assert not bar.buttons["step"].isEnabled()
    assert "Click a word to mask it" in bar.chips._empty
    press(app, Qt.Key.Key_Space)
    assert not app.store.state.playing


def test_an_encoder_decoder_writes_the_target(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    step(qtbot, app, 2)
    state = app.store.state
    source = len(state.answer.trace.tokens["encoder"])
    assert len(state.trace.tokens["encoder"]) == source
    assert len(state.trace.tokens["decoder"]) == len(state.answer.trace.tokens["decoder"]) + 1


def test_sampling_filters_stored_logits_at_once(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    answer, steps = app.store.state.answer, app.store.state.steps
    app.window.predictions.narrowing.top_k.setValue(1)
    qtbot.waitUntil(
        lambda: "top-k 1" in app.window.predictions.figure.figure.panels[0].note  # type: ignore[union-attr]
    )
    panel = app.window.predictions.figure.figure.panels[0]
    assert isinstance(panel, Bars)
    assert panel.bars[0].value == pytest.approx(1)
    assert all(bar.dimmed for bar in panel.bars[1:])
    assert app.store.state.answer is answer
    assert app.store.state.steps == steps


def test_the_same_seed_draws_the_same_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    bar = app.window.decoding
    bar.choices.most.setValue(6)
    app.session.stepping.choose(strategy="sample", seed=7)
    assert bar.choices.seed.isVisible()

    def draw() -> list[int]:
        to_the_end(qtbot, app)
        return [made.token for made in app.store.state.steps]

    first = draw()
    click(bar.buttons["restart"])
    assert app.store.state.steps == ()
    assert draw() == first
    bar.choices.seed.setValue(8)
    assert draw() != first


def test_a_token_of_ones_own_choice(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 3)
    click_chip(app.window.decoding.chips, 1)
    other = app.store.state.steps[1].candidates[3].token
    app.session.stepping.take(other)
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 2)
    assert app.store.state.steps[1].token == other
    assert app.store.state.steps[1].forced


def test_another_text_starts_anew(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    type_text(app, "x")
    settled(qtbot, app)
    assert app.store.state.steps == ()
    assert app.store.state.selection.step is None
    assert app.window.decoding.chips.chips == ()


def test_a_character_of_four_tokens_is_never_shown_half(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    tokenizer = app.store.state.model.tokenizer
    assert tokenizer is not None
    ids = [*tokenizer.encode("😀", add_special=False).ids]
    assert len(ids) == 4
    for number, token in enumerate(ids):
        app.session.stepping.take(token, number)
        qtbot.waitUntil(lambda n=number: len(app.store.state.steps) == n + 1)
        settled(qtbot, app)
        text = app.window.decoding.text.text()
        assert "\ufffd" not in text
        assert ("pending" in text) == (number < 3)
    assert "😀" in app.window.decoding.text.text()
    app.session.stepping.take(ids[0], 4)
    qtbot.waitUntil(lambda: len(app.window.decoding.chips.chips) == 5)
    *parts, following = app.window.decoding.chips.chips
    assert [c.label for c in parts] == [f"😀 {i}/4" for i in (1, 2, 3, 4)]
    (group,) = {c.group for c in parts}
    assert -1 < group < following.group, "those of one character light up together"

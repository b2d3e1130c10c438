"""One text kept, another typed: the same words are compared."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.figure import Curves, Heatmap, WordGrid, Words
from core.masks import MaskChoice
from tests.app.driver import Opener, settled, type_text


def test_a_kept_text_beside_the_present_one(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.session.look_at("paths")
    type_text(app, "ab")
    settled(qtbot, app)
    QTest.keyClick(app.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert app.store.state.view == "compare", "who looks at states compares states"
    settled(qtbot, app)
    (words,) = app.window.pictures.figure.panels
    assert isinstance(words, Words)
    type_text(app, "cba")
    settled(qtbot, app)
    pairs, shared = app.window.pictures.figure.panels
    assert isinstance(pairs, Heatmap)
    assert pairs.rows.labels == ("[CLS]", "c", "b", "a", "[SEP]")
    assert pairs.columns.labels == ("[CLS]", "a", "b", "[SEP]")
    assert isinstance(shared, Curves)
    assert [curve.name for curve in shared.curves] == ["b", "a", "the texts' mean states"]
    app.session.running.keep()
    type_text(app, "b")
    settled(qtbot, app)
    shared = app.window.pictures.figure.panels[1]
    assert isinstance(shared, Curves)
    means = ["mean state: ab", "mean state: cba"]
    assert [curve.name for curve in shared.curves if ":" in curve.name] == means
    app.session.running.forget_kept()
    settled(qtbot, app)
    assert isinstance(app.window.pictures.figure.panels[0], Words)


@pytest.mark.parametrize("view", ["attention", "predictions", "two_runs"])
def test_a_run_is_kept_and_its_mask_changed(qtbot: QtBot, open_app: Opener, view: str) -> None:
    app = open_app()
    app.session.look_at(view)
    type_text(app, "abc")
    settled(qtbot, app)
    QTest.keyClick(app.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert app.store.state.view == "two_runs"
    settled(qtbot, app)
    (words,) = app.window.pictures.figure.panels
    assert isinstance(words, Words)
    assert words.text.startswith("This run is kept.")
    bar = app.window.pictures.keeping
    assert bar.isVisible()
    app.session.mask("encoder.self", MaskChoice(key="causal"))
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    kept, own, change, table = app.window.pictures.figure.panels
    assert isinstance(kept, Heatmap) and isinstance(own, Heatmap) and isinstance(change, Heatmap)
    assert kept.title == "Kept: model's own mask · “abc”"
    assert own.title == "This run: mask “Causal” · “abc”"
    assert change.values == pytest.approx(own.values - kept.values, abs=1e-6)
    assert isinstance(table, WordGrid)
    assert bar.kept.text() == "Kept: “abc” (with the model's own mask)"
    app.session.mask("encoder.self", MaskChoice())
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    (words,) = app.window.pictures.figure.panels
    assert isinstance(words, Words), "it is the kept run again"


def test_another_model_has_nothing_kept(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.session.running.keep()
    assert len(app.store.state.kept) == 1
    app.session.running.keep()
    assert len(app.store.state.kept) == 1
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(
        lambda: (m := app.store.state.model) is not None and m.spec.architecture == "decoder",
        timeout=20_000,
    )
    settled(qtbot, app)
    assert app.store.state.kept == ()


def test_only_the_latest_few_are_kept(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    for number in range(6):
        type_text(app, "x" * (number + 1))
        settled(qtbot, app)
        app.session.running.keep()
    assert [kept.inputs.text for kept in app.store.state.kept] == [
        "x" * number for number in range(3, 7)
    ]


def test_texts_are_kept_and_forgotten_under_the_picture_too(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    bar = app.window.pictures.keeping
    assert not bar.isVisible()
    app.session.look_at("compare")
    type_text(app, "ab  c")
    settled(qtbot, app)
    assert bar.isVisible()
    assert bar.kept.text() == "No text is kept yet."
    assert not bar.forget.isEnabled()
    QTest.mouseClick(bar.keep, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert bar.kept.text() == "Kept: “ab c”"
    assert not bar.keep.isEnabled(), "it is kept already"
    type_text(app, "d")
    settled(qtbot, app)
    assert bar.keep.isEnabled()
    QTest.mouseClick(bar.forget, Qt.MouseButton.LeftButton)
    settled(qtbot, app)
    assert app.store.state.kept == ()
    assert bar.kept.text() == "No text is kept yet."


def test_how_a_kept_text_was_read_stands_beside_it(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.session.look_at("compare")
    type_text(app, "ab")
    settled(qtbot, app)
    app.session.running.keep()
    bar = app.window.pictures.keeping
    assert bar.kept.text() == "Kept: “ab”"
    app.session.mask("encoder.self", MaskChoice(key="causal"))
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    assert bar.kept.text() == "Kept: “ab” (with the model's own mask)"
    assert app.window.pictures.figure.note.startswith(
        "Not read alike: this text with the mask “Causal”, “ab” with the model's own mask. "
    )
    app.window.prompt.special.setChecked(False)
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    assert bar.kept.text() == "Kept: “ab” (with the model's own mask and with special tokens)"
    app.session.mask("encoder.self", MaskChoice())
    app.window.prompt.special.setChecked(True)
    type_text(app, "ba")
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    assert bar.kept.text() == "Kept: “ab”"


def test_texts_that_begin_alike_have_one_number_in_the_row_and_in_the_picture(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    app.session.look_at("compare")
    bar = app.window.pictures.keeping
    type_text(app, "ab")
    settled(qtbot, app)
    app.session.running.keep()
    app.session.mask("encoder.self", MaskChoice(key="causal"))
    qtbot.waitUntil(lambda: app.store.state.answered)
    app.session.running.keep()
    settled(qtbot, app)
    assert bar.kept.text() == "Kept: “[1] ab” (with the model's own mask), “[2] ab”"
    type_text(app, "ba")
    qtbot.waitUntil(lambda: app.store.state.answered)
    settled(qtbot, app)
    assert bar.kept.text() == "Kept: “[1] ab” (with the model's own mask), “[2] ab”"
    shared = app.window.pictures.figure.panels[1]
    assert isinstance(shared, Curves)
    means = ["mean state: [1] ab", "mean state: [2] ab"]
    assert [curve.name for curve in shared.curves if ":" in curve.name] == means

"""Parts of an attention left out from the View menu."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, heatmap, settled, type_text


def test_sinks_are_left_out_and_come_back(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "a, b")
    settled(qtbot, app)
    before = heatmap(app)
    assert before.hidden is not None
    assert not before.hidden.any()
    app.window.menus.sinks.trigger()
    settled(qtbot, app)
    after = heatmap(app)
    assert after.rows.labels == ("[CLS]", "a", ",", "·", "b", "[SEP]")
    assert after.left_out is not None
    assert after.left_out[1].tolist() == [True, False, True, False, False, True]
    assert abs(after.values.sum(axis=1) - 1).max() < 1e-5
    assert app.window.pictures.figure.title.endswith("sinks left out")
    app.window.menus.sinks.trigger()
    settled(qtbot, app)
    assert (heatmap(app).values == before.values).all()


def test_attention_from_one_sentence_to_the_other(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.prompt.pair.setPlainText("yz")
    type_text(app, "ab")
    settled(qtbot, app)
    app.window.menus.sentences["BA"].trigger()
    settled(qtbot, app)
    shown = heatmap(app)
    assert shown.rows.labels == ("[CLS]", "a", "b", "[SEP]", "y", "z", "[SEP]")
    assert shown.left_out is not None
    assert {(int(q), int(k)) for q, k in zip(*(~shown.left_out).nonzero(), strict=True)} == {
        (4, 1),
        (4, 2),
        (5, 1),
        (5, 2),
    }
    assert app.window.pictures.figure.title.endswith(" · B → A")
    app.window.menus.sentences["all"].trigger()
    settled(qtbot, app)
    last = heatmap(app).left_out
    assert last is None or not last.any()

"""That distributions are not the model's own is said beside what narrows them."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.choices import Narrowing
from app.panels.not_own import said
from tests.app.driver import Opener, settled


def test_what_changed_them_is_named() -> None:
    assert said(Narrowing()) == ""
    assert said(Narrowing(temperature=2.0)) == "T = 2: not the model's own probabilities."
    many = Narrowing(top_k=5, repetition_penalty=1.2)
    assert said(many) == "k = 5, repeat ÷ 1.2: not the model's own probabilities."


def test_the_penalty_is_named_where_it_acts() -> None:
    off, on = Narrowing(repetition_penalty=1.0), Narrowing(repetition_penalty=1.3)
    assert said(off) == said(off, 1.4) == ""
    assert said(on, 1.3) == said(on) == "repeat ÷ 1.3: not the model's own probabilities."
    own = said(Narrowing(), 1.4)
    assert own == "repeat ÷ 1.4, which the checkpoint sets, acts on these."
    both = said(Narrowing(temperature=2.0), 1.4)
    assert both == "T = 2, repeat ÷ 1.4: not the model's own probabilities."


def test_it_stands_there_as_long_as_it_is_so(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    panel = app.window.predictions
    assert not panel.not_own.isVisible()
    panel.narrowing.temperature.setValue(2.0)
    settled(qtbot, app)
    assert panel.not_own.isVisible()
    assert app.window.theme.warning in panel.not_own.styleSheet()
    app.window.close()
    later = open_app("")
    qtbot.waitUntil(lambda: later.window.predictions.not_own.isVisible())
    later.window.predictions.narrowing.temperature.setValue(1.0)
    assert not later.window.predictions.not_own.isVisible()

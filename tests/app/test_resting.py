"""After a while without work, freed memory goes back to the system; never while something runs."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app import resting
from app.resting import LANE, Resting
from app.store import Busy, Store
from app.tasks import Tasks


def test_memory_is_given_back_after_work_and_not_during_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[bool] = []
    monkeypatch.setattr(resting, "give_back_freed_memory", lambda: given.append(True))
    monkeypatch.setattr(resting, "REST_MS", 30)
    store, tasks = Store(), Tasks(LANE)
    watching = Resting(store, tasks)
    assert watching.parent() is None
    store.select(layer=1)  # looking is no work
    qtbot.wait(120)
    assert not given
    store.update(busy=Busy(text="Running"))
    qtbot.wait(120)
    assert not given
    store.update(busy=None)
    qtbot.waitUntil(lambda: len(given) == 1)
    qtbot.wait(120)
    assert len(given) == 1, "once, until there is work again"
    assert tasks.close()

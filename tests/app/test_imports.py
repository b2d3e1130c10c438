"""How torch and the core are imported, in a process of its own, and that nothing is missed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import engine, finishing
from app.choices import FIRST_INPUTS, DecodeChoice, Narrowing
from app.engine import Engine, Question
from app.finishing import LANE, Finishing
from app.store import Store
from app.tasks import Tasks
from core import load_model

ROOT = Path(__file__).resolve().parents[2]

FIRST = """
import gc, sys
assert not {"torch", "numpy"} & set(sys.modules)
from app.imports import PUT_OFF, finish_torch, import_core
import_core()
assert gc.isenabled()
assert gc.get_freeze_count() > 50_000, "what was imported is not looked through again"
assert {"torch", "numpy", "core.checkpoints.load", "app.render.widget"} <= set(sys.modules)
assert not hasattr(sys.modules[PUT_OFF], "__file__")
gc.unfreeze()
import_core()
assert gc.get_freeze_count() == 0, "only once: later objects may become garbage"
import torch
finish_torch()
whole = sys.modules[PUT_OFF]
assert whole.__file__ and torch._meta_registrations is whole
finish_torch()
assert sys.modules[PUT_OFF] is whole
torch.multinomial(torch.ones(4), 1, generator=torch.Generator())
"""

# Whatever view is in front at the start: its first picture must not need what is put off.
PICTURES = """
import sys
from app.imports import PUT_OFF, import_core
import_core()
from app.choices import FIRST_INPUTS
from app.engine import Engine, Question
from app.looking import fitted
from app.selection import Selection
from app.views import ViewOptions, views
engine, never = Engine(), lambda: False
model = engine.load(sys.argv[1], "cpu", lambda text, fraction: None, never)
inputs = FIRST_INPUTS[model.spec.architecture]
answer = engine.run(Question(model=model, inputs=inputs, masks={}), None, never)
for view in views():
    place = fitted(Selection(), model.spec)
    if view.prepare is not None:
        view.prepare(answer.trace, place, ViewOptions(), never)
    assert view.draw(answer.trace, place, ViewOptions()).title
assert not hasattr(sys.modules[PUT_OFF], "__file__"), "it was to be put off all the while"
"""

# The first thing a person does may be to sample, and the second to open a model of their own.
SAMPLING = """
from app.choices import FIRST_INPUTS, DecodeChoice, Narrowing
from app.engine import Engine, Question
engine, never = Engine(), lambda: False
engine.abilities()
model = engine.load("builtin:decoder", "cpu", lambda text, fraction: None, never)
inputs = FIRST_INPUTS["decoder"]
answer = engine.run(Question(model=model, inputs=inputs, masks={}), None, never)
step = engine.advance(answer, (), DecodeChoice(strategy="sample"), Narrowing(), never)
assert step.token >= 0
"""


def run(script: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_core_is_imported_while_the_collector_rests_and_finished_later() -> None:
    run(FIRST)


@pytest.mark.parametrize("name", ["encoder", "decoder", "translator"])
def test_no_first_picture_needs_what_is_put_off(name: str) -> None:
    run(PICTURES, f"builtin:{name}")


def test_sampling_right_after_the_first_picture() -> None:
    run(SAMPLING)


def never() -> bool:
    return False


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows whenever the rest of torch is asked for."""
    found: list[str] = []
    for module in (engine, finishing):
        monkeypatch.setattr(module, "finish_torch", lambda: found.append("asked"))
    return found


def load(asked: Engine, source: str) -> None:
    asked.load(source, "cpu", lambda text, fraction: None, never)


def test_torch_is_whole_before_any_model_but_a_first_built_in_one(finished: list[str]) -> None:
    asked = Engine()
    load(asked, "builtin:decoder")
    assert not finished
    load(asked, "builtin:encoder")
    assert len(finished) == 1
    load(Engine(), "random:encoder")
    assert len(finished) == 2


def test_torch_is_whole_before_anything_but_a_first_run(finished: list[str]) -> None:
    asked = Engine()
    model = load_model("builtin:decoder")
    question = Question(model=model, inputs=FIRST_INPUTS["decoder"], masks={})
    answer = asked.run(question, None, never)
    assert not finished
    asked.run(question, answer, never)
    assert len(finished) == 1
    choice, narrowing = DecodeChoice(max_new_tokens=2), Narrowing()
    step = asked.advance(answer, (), choice, narrowing, never)
    assert len(finished) == 2
    asked.verify(model, (step,), never)
    assert len(finished) == 3
    asked.share(model, answer.trace, 1, never)
    assert len(finished) == 4
    asked.search(answer, choice, narrowing, lambda text, fraction: None, never)
    assert len(finished) == 5
    model = load_model("builtin:encoder")
    question = Question(model=model, inputs=FIRST_INPUTS["encoder"], masks={})
    asked.fill(asked.run(question, None, never), (), "confident", never)
    assert len(finished) == 6


def test_torch_is_whole_soon_after_the_first_answer(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, finished: list[str]
) -> None:
    monkeypatch.setattr(finishing, "AFTER_MS", 30)
    store, tasks = Store(), Tasks(LANE)
    watching = Finishing(store, tasks)
    assert watching.parent() is None
    store.select(layer=1)
    qtbot.wait(100)
    assert not finished
    model = load_model("builtin:encoder")
    question = Question(model=model, inputs=FIRST_INPUTS["encoder"], masks={})
    answer = Engine().run(question, None, never)
    store.update(model=model, answer=answer)
    qtbot.waitUntil(lambda: len(finished) == 1)
    store.update(answer=None)
    store.update(answer=answer)
    qtbot.wait(100)
    assert len(finished) == 1, "once"
    assert tasks.close()

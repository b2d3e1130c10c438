"""The repetition penalty that a checkpoint sets acts until another is chosen."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.choices import Narrowing
from app.command import main
from app.figure import Bars
from app.render_decoding import decoded
from app.settings import Remembered, Settings
from app.wiring import App
from core import load_model
from core.builtin import FOLDER
from core.spec import PENALTIES
from tests.app.driver import Opener, settled

OWN, TEXT = 1.4, "Once upon a time a king and a queen and a"


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    folder = shutil.copytree(FOLDER / "decoder", tmp_path / "decoder")
    end = json.loads((folder / "config.json").read_text("utf-8"))["eos_token_id"]
    said = {"eos_token_id": end, "repetition_penalty": OWN}
    (folder / "generation_config.json").write_text(json.dumps(said), "utf-8")
    return str(folder)


def note(app: App) -> str:
    panel = app.window.predictions.figure.figure.panels[0]
    assert isinstance(panel, Bars)
    return panel.note


def test_the_window_shows_it_and_decodes_with_it(
    qtbot: QtBot, open_app: Opener, checkpoint: str
) -> None:
    app = open_app(checkpoint)
    state, spin = app.store, app.window.predictions.narrowing.repetition_penalty
    assert spin.value() == OWN
    assert spin.toolTip().endswith("(1: off); the checkpoint sets 1.4")
    qtbot.waitUntil(lambda: f"after repetition penalty {OWN}" in note(app))
    app.window.decoding.buttons["step"].click()
    qtbot.waitUntil(lambda: len(app.store.state.steps) == 1, timeout=20_000)
    kept = {one.token: one.kept for one in app.store.state.steps[0].candidates}
    model, run = state.state.model, state.state.answer.request
    first = next(model.decode(ids=run.source.ids, max_new_tokens=1))
    assert kept == pytest.approx({one.token: one.kept for one in first.candidates}, abs=1e-6)
    plain = next(model.decode(ids=run.source.ids, max_new_tokens=1, repetition_penalty=1.0))
    assert max(abs(kept.get(one.token, 0) - one.kept) for one in plain.candidates) > 1e-4
    not_own = app.window.predictions.not_own
    assert not_own.text() == "repeat ÷ 1.4, which the checkpoint sets, acts on these."
    spin.setValue(1.0)
    assert app.store.state.narrowing.repetition_penalty == 1.0
    assert not_own.text() == ""
    qtbot.waitUntil(lambda: "penalty" not in note(app))
    spin.setValue(OWN)
    assert app.store.state.narrowing == Narrowing()
    settled(qtbot, app)


def test_it_stays_with_its_checkpoint(qtbot: QtBot, open_app: Opener, checkpoint: str) -> None:
    app = open_app(checkpoint)
    spin = app.window.predictions.narrowing.repetition_penalty
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: spin.value() == 1.0, timeout=20_000)
    assert spin.toolTip().endswith("(1: off)")
    assert app.window.predictions.not_own.text() == ""
    settled(qtbot, app)
    spin.setValue(1.2)
    app.session.opening.open(checkpoint)
    qtbot.waitUntil(lambda: app.store.state.model.source == checkpoint, timeout=20_000)
    settled(qtbot, app)
    assert spin.value() == 1.2


@pytest.mark.parametrize("penalty", [None, 1.0, 1.3, 8.0, *PENALTIES])
def test_the_choice_is_written_down(tmp_path: Path, penalty: float | None) -> None:
    file = tmp_path / "s.ini"
    Settings(file).save(Remembered(narrowing=Narrowing(repetition_penalty=penalty)))
    assert Settings(file).load().narrowing.repetition_penalty == penalty


@pytest.mark.parametrize(("written", "chosen"), [("1.0", None), ("1.3", 1.3)])
def test_what_was_written_before_one_could_leave_it_to_the_checkpoint(
    tmp_path: Path, written: str, chosen: float | None
) -> None:
    file = tmp_path / "s.ini"
    file.write_text(
        f"[narrowing]\ntemperature=1.0\nrepetition_penalty={written}\n"
        f"[decoder]\nnarrowing\\temperature=1.0\nnarrowing\\repetition_penalty={written}\n",
        "utf-8",
    )
    known = Settings(file).load()
    assert known.narrowing == Narrowing(repetition_penalty=chosen)
    assert known.by_architecture.narrowings["decoder"] == known.narrowing


def test_the_commands_follow_it(checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["decode", "--model", checkpoint, "--text", TEXT, "--max-new-tokens", "12", "--json"]
    model, texts = load_model(checkpoint), []
    for said, penalty in (([], OWN), (["--repetition-penalty", "1"], 1.0)):
        assert main([*line, *said]) == 0
        texts.append([json.loads(row)["token"] for row in capsys.readouterr().out.splitlines()])
        steps = model.decode(TEXT, max_new_tokens=12, repetition_penalty=penalty)
        assert texts[-1] == [step.token for step in steps]
    assert texts[0] != texts[1]
    shown = decoded(Namespace(steps=12, beams=None), model, model.request(TEXT))
    assert [step.token for step in shown.steps] == texts[0]
    search = decoded(Namespace(steps=2, beams=2), model, model.request(TEXT)).search
    assert search is not None
    assert search.sampling.repetition_penalty == OWN


@pytest.mark.parametrize(
    ("own", "shown"),
    [(8.0, "8.00"), (1.004, "1.004"), (0.00125, "0.00125"), (250_000.0, "250000.00")],
)
def test_one_that_is_no_usual_number_is_shown_and_can_be_chosen_again(
    qtbot: QtBot, open_app: Opener, checkpoint: str, own: float, shown: str
) -> None:
    file = Path(checkpoint) / "generation_config.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"repetition_penalty": own}))
    app = open_app(checkpoint)
    spin = app.window.predictions.narrowing.repetition_penalty
    qtbot.waitUntil(lambda: spin.text() == shown)
    for number, chosen in ((2.0, 2.0), (1.0, 1.0), (own, None)):
        spin.setValue(number)
        assert app.store.state.narrowing.repetition_penalty == chosen
        assert spin.value() == number
    settled(qtbot, app)
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: spin.text() == "1.00", timeout=20_000)
    assert (spin.minimum(), spin.maximum()) == (0.1, 5.0)
    settled(qtbot, app)

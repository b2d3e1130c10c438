"""A decoding run from the File menu to a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.labels import labeller
from app.wiring import App
from tests.app.driver import Opener, settled, type_text
from tests.app.test_decoding import step, to_the_end


def entry(app: App) -> QAction:
    menu = next(a.menu() for a in app.window.menuBar().actions() if a.text() == "&File")
    return next(a for a in menu.actions() if "decoding run" in a.text())


def save(
    qtbot: QtBot, app: App, path: Path, monkeypatch: pytest.MonkeyPatch, kind: str = ""
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), kind))
    with qtbot.waitSignal(app.window.menus.saver.saved):
        entry(app).trigger()
    settled(qtbot, app)


def test_json_lines_hold_every_step(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 3)
    save(qtbot, app, tmp_path / "run.jsonl", monkeypatch)
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text("utf-8").splitlines()]
    made = app.store.state.steps
    assert [line["token"] for line in lines] == [s.token for s in made]
    assert lines[2]["cache_positions"] == made[2].cache_positions
    assert lines[1]["probability"] == pytest.approx(made[1].probability)
    first = lines[0]["candidates"][0]
    assert len(lines[0]["candidates"]) == 10
    assert first["token"] == made[0].candidates[0].token
    tokenizer = app.store.state.model.tokenizer.target
    name = labeller(tokenizer)
    for line, made_ in zip(lines, made, strict=True):
        chosen = next((c for c in line["candidates"] if c["token"] == made_.token), None)
        assert chosen is not None
        assert line["piece"] == chosen["piece"] == made_.piece == tokenizer.piece(made_.token)
        assert line["label"] == chosen["label"] == name(made_.token)
    assert "Exported to" in app.window.status.currentMessage()


def test_csv_has_a_row_a_step_and_the_kind_of_the_dialog(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:encoder-decoder")
    step(qtbot, app, 2)
    save(qtbot, app, tmp_path / "run", monkeypatch, "CSV, a row a step (*.csv)")
    with (tmp_path / "run.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["token"]) for row in rows] == [s.token for s in app.store.state.steps]
    assert [int(row["step"]) for row in rows] == [1, 2]
    name = labeller(app.store.state.model.tokenizer.target)
    assert [row["label"] for row in rows] == [name(s.token) for s in app.store.state.steps]


def test_fills_are_saved_too(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:encoder")
    type_text(app, "a[MASK]c[MASK]")
    settled(qtbot, app)
    to_the_end(qtbot, app)
    for name in ("fills.jsonl", "fills.csv"):
        save(qtbot, app, tmp_path / name, monkeypatch)
    lines = [json.loads(line) for line in (tmp_path / "fills.jsonl").read_text().splitlines()]
    assert [line["position"] for line in lines] == [f.position for f in app.store.state.fills]
    assert len(lines[0]["open"]) == 2
    assert len((tmp_path / "fills.csv").read_text("utf-8-sig").splitlines()) == 3


def test_nothing_decoded_is_not_offered_and_a_bad_place_is_said(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app("random:decoder")
    assert not entry(app).isEnabled()
    step(qtbot, app, 1)
    assert entry(app).isEnabled()
    app.window.menus.saver.save(tmp_path / "no such folder" / "run.csv")
    qtbot.waitUntil(lambda: app.store.state.problem is not None)
    assert "Could not save" in app.store.state.problem.text
    assert list(tmp_path.glob("*.csv")) == []

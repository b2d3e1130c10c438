"""Where what is saved goes: nothing is replaced unasked, and nothing else is written than meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from tests.app.driver import Opener, settled, type_text
from tests.app.test_decoding import step

SVG = "SVG picture (*.svg)"
Buttons = QMessageBox.StandardButton


def choosing(monkeypatch: pytest.MonkeyPatch, *names: Path | str, kind: str = SVG) -> list[str]:
    """What the file dialog answers, one after the other; returns what it is opened on."""
    opened_on: list[str] = []
    left = [str(name) for name in names]

    def answer(_: object, __: str, start: str, ___: str) -> tuple[str, str]:
        opened_on.append(start)
        return left.pop(0), kind

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    return opened_on


def answering(monkeypatch: pytest.MonkeyPatch, button: Buttons) -> list[str]:
    """What is asked, and answered so."""
    asked: list[str] = []

    def answer(_: object, __: str, text: str, *___: object) -> Buttons:
        asked.append(text)
        return button

    monkeypatch.setattr(QMessageBox, "question", answer)
    return asked


def test_a_file_whose_ending_was_left_out_is_not_replaced_unasked(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    there = tmp_path / "map.svg"
    there.write_text("dear")
    opened_on = choosing(monkeypatch, tmp_path / "map", "")
    asked = answering(monkeypatch, Buttons.No)
    app.window.exporting.choose()
    assert there.read_text() == "dear"
    assert asked == ["map.svg is there already. Replace it?"]
    assert opened_on[1:] == [str(there)], "one may choose another name"
    choosing(monkeypatch, tmp_path / "map")
    answering(monkeypatch, Buttons.Yes)
    app.window.exporting.choose()
    assert there.read_text().startswith("<")


def test_a_name_that_qt_has_asked_of_is_not_asked_of_again(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    there = tmp_path / "map.svg"
    there.write_text("of before")
    choosing(monkeypatch, there)
    asked = answering(monkeypatch, Buttons.No)
    app.window.exporting.choose()
    assert not asked
    assert there.read_text() != "of before"


@pytest.mark.parametrize(
    ("name", "written"), [("att.pdf", None), ("top-p 0.5", "top-p 0.5.svg"), ("a.CSV", "a.CSV")]
)
def test_another_kind_is_refused_and_a_point_in_a_name_is_none(
    qtbot: QtBot,
    open_app: Opener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    written: str | None,
) -> None:
    app = open_app()
    folder = tmp_path / "made"
    folder.mkdir()
    choosing(monkeypatch, folder / name)
    app.window.exporting.choose()
    assert [path.name for path in folder.iterdir()] == ([written] if written else [])
    if written is None:
        problem = app.store.state.problem
        assert problem is not None
        assert ".png, .svg or .csv, not as .pdf" in problem.text


def test_the_picture_that_was_in_front_is_written_whatever_comes_meanwhile(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    app.window.exporting.save(tmp_path / "before.csv")

    def answer(*_: object) -> tuple[str, str]:
        type_text(app, "another text")
        settled(qtbot, app)
        return str(tmp_path / "chosen.csv"), "Numbers as CSV (*.csv)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    app.window.exporting.choose()
    app.window.exporting.save(tmp_path / "after.csv")
    chosen = (tmp_path / "chosen.csv").read_bytes()
    assert chosen == (tmp_path / "before.csv").read_bytes()
    assert chosen != (tmp_path / "after.csv").read_bytes()


def test_what_was_decoded_is_written_whatever_comes_meanwhile(
    qtbot: QtBot, open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    tokens = [move.token for move in app.store.state.steps]

    def answer(*_: object) -> tuple[str, str]:
        type_text(app, "another text")
        settled(qtbot, app)
        assert not app.store.state.steps
        return str(tmp_path / "run.jsonl"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    with qtbot.waitSignal(app.window.menus.saver.saved):
        app.window.menus.saver.choose()
    lines = (tmp_path / "run.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["token"] for line in lines] == tokens
    settled(qtbot, app)

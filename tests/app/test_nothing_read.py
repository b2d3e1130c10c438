"""A model that has read nothing: no picture of the model before stands under its name."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QStackedWidget
from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.panels.nothing_read import NO_MODEL, PREPARING, UNPREPARED, UNREAD, WAITING, why
from app.store import Busy, Problem, State
from app.wiring import App
from core.builtin import FOLDER
from tests.app.driver import Opener, go_to, heatmap, labels, settled, type_text

LONG = "a" * 600
TOO_LONG = "The text has 602 tokens; Random encoder takes at most 512."


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A checkpoint folder without its tokenizer."""
    folder = tmp_path / "bare"
    shutil.copytree(FOLDER / "encoder", folder)
    (folder / "tokenizer.json").unlink()
    return folder


def open_it(qtbot: QtBot, app: App, source: str) -> None:
    app.session.opening.open(source)
    qtbot.waitUntil(
        lambda: app.store.state.model is not None and app.store.state.model.source == source,
        timeout=20_000,
    )
    settled(qtbot, app)


def shows_nothing_of_another_model(app: App) -> None:
    window = app.window
    assert window.pictures.figure is None
    assert window.pictures.waiting.isVisible()
    assert not any(widget.isVisible() for widget in window.pictures.widgets.values())
    assert not window.menus.export.isEnabled() and not window.menus.copy.isEnabled()
    assert window.predictions.figure is None or not window.predictions.figure.isVisible()
    assert not labels(app)
    assert not window.readout.lines
    assert all(shown.area().isEmpty() for shown in window.mask_panel.maps.values())


def test_a_model_that_refuses_the_text_of_the_one_before(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    app = open_app("builtin:encoder")
    app.session.write(text=LONG.replace("a", "the "))
    settled(qtbot, app)
    assert app.window.pictures.figure is not None
    app.store.select(query=1)
    settled(qtbot, app)
    assert app.window.readout.lines
    open_it(qtbot, app, "random:encoder")
    shows_nothing_of_another_model(app)
    said = app.window.pictures.waiting.text()
    assert "tokens; Random encoder takes at most 512." in said
    assert not app.window.banner.isVisible()  # the page says it
    app.window.exporting.save(tmp_path / "map.svg")
    assert not (tmp_path / "map.svg").exists()
    app.session.look_at("head_table")
    settled(qtbot, app)
    shows_nothing_of_another_model(app)
    app.session.look_at("attention")
    app.session.dismiss()
    type_text(app, "short")
    settled(qtbot, app)
    assert heatmap(app).values.shape == (7, 7)
    assert not app.window.pictures.waiting.isVisible()
    assert app.window.menus.export.isEnabled() and app.window.menus.copy.isEnabled()
    assert app.window.predictions.figure.isVisible()
    assert len(labels(app)) == 7
    # What is refused now has a picture of this model, which may stay.
    app.window.prompt.text.setPlainText(LONG)
    settled(qtbot, app)
    assert heatmap(app).values.shape == (7, 7)
    assert app.window.prompt.problem.text() == TOO_LONG
    assert app.window.banner.label.text().startswith("Old picture")


def test_a_view_drawn_of_the_model_before_is_not_shown_until_it_is_drawn_anew(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    go_to(qtbot, app, "head_table")
    go_to(qtbot, app, "attention")
    before = app.window.pictures.widgets["head_table"].figure
    open_it(qtbot, app, "random:decoder")
    assert np.asarray(heatmap(app).values).ndim == 2
    app.store.update(view="head_table")
    assert app.window.pictures.figure is not before
    settled(qtbot, app)
    qtbot.waitUntil(lambda: app.window.pictures.figure is not None)
    assert app.window.pictures.figure is not before


def test_a_folder_without_a_tokenizer_says_what_is_missing(
    qtbot: QtBot, open_app: Opener, bare: Path
) -> None:
    app = open_app(str(bare), wait=False)
    qtbot.waitUntil(lambda: app.store.state.refused is not None, timeout=20_000)
    settled(qtbot, app)
    shows_nothing_of_another_model(app)
    said = app.window.pictures.waiting.text()
    assert f"“bare” cannot read text: {bare} holds no tokenizer; supported are" in said
    assert "tokenizer.json" in said and ".spm" in said
    assert "token ids" not in said and "loaded" not in said
    assert app.window.prompt.problem.text() in said


def test_what_needs_a_picture_rests_until_there_is_one(
    qtbot: QtBot, open_app: Opener, bare: Path
) -> None:
    app = open_app(str(bare), wait=False)
    qtbot.waitUntil(lambda: app.store.state.refused is not None, timeout=20_000)
    settled(qtbot, app)
    window = app.window
    bar, readout = window.sitebar, window.readout
    controls = (
        *(bar.play, bar.layer.spin, bar.layer.on, bar.head.spin, bar.head.on, bar.mean),
        *(window.mask_panel.edit, readout.query, readout.key),
    )
    assert not any(control.isEnabled() for control in controls)
    assert not readout.note.isVisible()
    open_it(qtbot, app, "random:encoder")
    assert all(control.isEnabled() for control in controls)
    assert readout.note.isVisible() and "Click a cell" in readout.note.text()


@pytest.mark.parametrize("file", ["tokenizer.json", "vocab.txt"])
def test_a_damaged_tokenizer_is_not_called_missing(
    qtbot: QtBot, open_app: Opener, bare: Path, file: str
) -> None:
    (bare / file).write_bytes(b"{\xff")
    app = open_app(str(bare), wait=False)
    qtbot.waitUntil(lambda: app.store.state.refused is not None, timeout=20_000)
    settled(qtbot, app)
    said = app.window.pictures.waiting.text()
    assert f"“bare” cannot read text: {bare / file}" in said


def test_why_there_is_no_picture() -> None:
    broken = Problem(text="There is no torch.", where="model")
    assert why(State()) == WAITING
    assert why(State(problem=broken)) == NO_MODEL
    assert why(State(problem=broken, busy=Busy(text="Loading", lane="load"))) == WAITING
    opened = State(model=object(), inputs=Inputs(text="a"))  # type: ignore[arg-type]
    assert why(opened) == UNREAD
    assert why(State(model=opened.model, busy=Busy(text="Running"))) == ""


@pytest.mark.parametrize(
    ("lane", "told"),
    [
        ("load", WAITING),
        *((lane, PREPARING) for lane in ("against", "run", "decode", "prepare")),
        *((lane, UNPREPARED) for lane in ("read", "check", "save")),
    ],
)
def test_a_picture_is_being_prepared_only_where_work_leads_to_one(lane: str, told: str) -> None:
    read = State(answer=SimpleNamespace(trace=object()))  # type: ignore[arg-type]
    assert why(read) == UNPREPARED
    assert why(replace(read, busy=Busy(text="Busy", lane=lane))) == told


def test_no_empty_page_flashes_between_two_models_that_read_the_text(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:encoder")
    # However slow the machine is while it tests.
    app.window.pictures._patience.setInterval(60_000)
    stack = app.window.pictures.waiting.parent()
    assert isinstance(stack, QStackedWidget)
    seen: list[bool] = []
    stack.currentChanged.connect(lambda: seen.append(stack.currentWidget() is stack.widget(0)))
    open_it(qtbot, app, "builtin:encoder")
    assert app.window.pictures.figure is not None
    assert not any(seen)

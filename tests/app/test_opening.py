"""Opening models: folders, the menu, examples, and what a checkpoint lacks."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.choices import Inputs
from app.examples import Example, read
from app.figure import Words
from app.stepping import FAILED
from app.wiring import App
from core.errors import Cancelled
from core.loaded import LoadedModel
from core.random_models import VOCAB, byte_tokenizer
from tests.app.driver import Opener, QuickCore, heatmap, settled, type_text

BERT = {
    "model_type": "bert",
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}


@pytest.fixture
def without_head(tmp_path: Path) -> Path:
    """A checkpoint folder as a person has it: an encoder saved without any head."""
    import torch
    from transformers import AutoConfig, BertModel

    torch.manual_seed(0)
    config: dict[str, Any] = dict(BERT)
    folder = tmp_path / "my bert"
    model = BertModel(AutoConfig.for_model(**config), add_pooling_layer=False)
    model.save_pretrained(folder)
    byte_tokenizer(frame=True).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "[MASK]"}))
    return folder


def opened(qtbot: QtBot, app: App, source: str) -> None:
    qtbot.waitUntil(
        lambda: (
            app.store.state.model is not None
            and app.store.state.model.source == source
            and app.store.state.answer is not None
        ),
        timeout=20_000,
    )
    settled(qtbot, app)


def test_a_folder_is_opened_by_dialog_and_is_recent_then(
    qtbot: QtBot, open_app: Opener, without_head: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(without_head))
    QTest.keyClick(app.window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    opened(qtbot, app, str(without_head))
    assert app.window.header.model.text() == "my bert"
    assert "2 layers" in app.window.header.facts.text()
    app.window.menus.recent.aboutToShow.emit()
    assert [a.text() for a in app.window.menus.recent.actions()] == [str(without_head)]
    app.window.header.menu.aboutToShow.emit()
    assert "my bert" in [a.text() for a in app.window.header.menu.actions()]


def test_a_folder_on_the_command_line(qtbot: QtBot, open_app: Opener, without_head: Path) -> None:
    app = open_app(str(without_head))
    assert app.store.state.model.source == str(without_head)
    assert app.store.state.problem is None


def test_a_head_that_the_checkpoint_lacks_is_never_made_up(
    qtbot: QtBot, open_app: Opener, without_head: Path
) -> None:
    app = open_app(str(without_head))
    type_text(app, "a [MASK]")
    settled(qtbot, app)
    assert heatmap(app).values.shape == (5, 5)

    def told() -> bool:
        figure = app.window.predictions.figure
        if figure is None:
            return False
        panel = figure.figure.panels[0]
        return isinstance(panel, Words) and "cls.predictions" in panel.text

    qtbot.waitUntil(told)


def test_the_model_menu_offers_random_models_and_opens_one(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    menu = app.window.header.menu
    menu.aboutToShow.emit()
    action = next(a for a in menu.actions() if a.text() == "Random decoder")
    action.trigger()
    opened(qtbot, app, "random:decoder")
    assert app.window.header.architectures["decoder"].isChecked()
    assert not app.window.prompt.pair.isVisible()


def test_an_example_brings_its_model_text_mask_and_place(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    example = Example(
        title="A narrow window",
        model="random:decoder",
        text="abcdef",
        site="decoder.self",
        mask="sliding_window:window=2",
        layer=2,
        head=None,
        note="Each letter sees two.",
    )
    app.window.show_example(example)
    opened(qtbot, app, "random:decoder")
    assert app.store.state.inputs == Inputs(text="abcdef")
    assert app.store.state.selection.layer == 1
    assert app.store.state.selection.head is None
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert [int((~row).sum()) for row in hidden] == [1, 2, 2, 2, 2, 2]
    assert app.window.mask_panel.kind.key == "sliding_window"
    assert app.window.banner.label.text() == "Each letter sees two."
    assert app.window.banner.isVisible()
    type_text(app, "another")
    settled(qtbot, app)
    assert not app.window.banner.isVisible(), "a note is about its example only"
    app.window.show_example(
        Example(title="Sum", model="random:decoder", text="ab", view="embeddings")
    )
    settled(qtbot, app)
    assert app.store.state.view == "embeddings"
    app.session.running.keep()
    for against in ("abd", "abd", "xbc"):
        app.window.show_example(
            Example(
                title="Two", model="random:decoder", text="abc", against=against, view="compare"
            )
        )
        settled(qtbot, app)
        assert app.store.state.inputs == Inputs(text="abc")
        assert [answer.inputs.text for answer in app.store.state.kept] == ["ab", against]
    assert "states of 3 texts" in app.window.pictures.figure.title
    app.window.show_example(Example(title="Bad", model="random:decoder", text="a", mask="opaque"))
    settled(qtbot, app)
    assert "opaque" in app.window.banner.label.text()


class Slow(QuickCore):
    """A core that loads the decoder only when it is let go, and tells what was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.asked: list[tuple[str, str]] = []

    def load(self, source: str, device: str, report: Any, stop: Any) -> LoadedModel:
        self.asked.append((source, device))
        if source == "builtin:decoder":
            self.go.wait(20)
            if stop():
                raise Cancelled("Loading was cancelled.")
        return super().load(source, "cpu", report, stop)


def test_the_open_models_kind_chosen_while_another_loads_keeps_it(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Slow()
    app = open_app("builtin:encoder", core=core)
    buttons = app.window.header.architectures
    buttons["decoder"].click()
    qtbot.waitUntil(lambda: core.asked[-1][0] == "builtin:decoder")
    buttons["encoder"].click()
    core.go.set()
    settled(qtbot, app)
    assert app.store.state.source == "builtin:encoder"
    assert app.store.state.model.source == "builtin:encoder"
    assert app.store.state.problem is None
    assert buttons["encoder"].isChecked()


def test_a_device_chosen_while_a_model_loads_is_that_models(qtbot: QtBot, open_app: Opener) -> None:
    core = Slow()
    app = open_app("builtin:encoder", core=core)
    app.session.opening.open("builtin:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "builtin:decoder")
    app.session.opening.choose_device("cuda:0")
    core.go.set()
    qtbot.waitUntil(lambda: core.asked[-1] == ("builtin:decoder", "cuda:0"))
    opened(qtbot, app, "builtin:decoder")


def test_why_a_text_was_refused_stays_said(qtbot: QtBot, open_app: Opener, tmp_path: Path) -> None:
    app = open_app("builtin:encoder")
    app.session.write(text="the " * 600)
    settled(qtbot, app)
    app.session.opening.open("random:encoder")
    qtbot.waitUntil(lambda: app.store.state.model.source == "random:encoder")
    settled(qtbot, app)
    refused = app.store.state.refused
    assert refused is not None
    app.session.opening.open(str(tmp_path / "nowhere"))
    qtbot.waitUntil(lambda: getattr(app.store.state.problem, "where", "") == "model")
    assert app.session.stepping.why_not() == FAILED
    app.session.dismiss()
    assert app.store.state.problem is None
    assert app.store.state.refused == refused
    assert refused.text in app.window.pictures.waiting.text()


def test_an_example_of_the_open_model_is_wished_later_than_what_loads(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Slow()
    app = open_app("builtin:encoder", core=core)
    app.session.opening.open("builtin:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "builtin:decoder")
    example = next(e for e in read() if e.model == "builtin:encoder" and e.mask)
    app.session.opening.show_example(example)
    core.go.set()
    settled(qtbot, app)
    qtbot.wait(50)
    state = app.store.state
    assert state.model.source == state.source == "builtin:encoder"
    assert state.note == example.note
    assert state.answer.inputs.text == example.text


def test_what_the_model_before_decodes_while_another_loads_is_not_this_ones(
    qtbot: QtBot, open_app: Opener
) -> None:
    core = Slow()
    app = open_app("builtin:encoder", core=core)
    app.session.opening.known.texts["decoder"] = Inputs(text=" ")  # nothing to read
    app.session.opening.open("random:decoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "random:decoder")
    app.session.stepping.play()
    core.go.set()
    qtbot.waitUntil(lambda: app.store.state.refused is not None, timeout=20_000)
    qtbot.wait(400)  # a tick of what played
    state = app.store.state
    assert not state.moves and not state.playing and state.trace is None
    assert not app.tasks.active("decode")


@pytest.mark.parametrize(
    ("typed", "given"), [("written since", "written since"), ("Once upon a time ", "ab")]
)
def test_what_is_written_while_another_kind_of_model_loads_is_for_that_one(
    qtbot: QtBot, open_app: Opener, typed: str, given: str
) -> None:
    core = Slow()
    app = open_app("random:decoder", core=core)
    app.session.opening.known.texts["encoder"] = Inputs(text="ab")
    app.session.opening.open("builtin:encoder")
    qtbot.waitUntil(lambda: core.asked[-1][0] == "builtin:encoder")
    app.window.prompt.text.selectAll()
    QTest.keyClicks(app.window.prompt.text, typed)
    core.go.set()
    opened(qtbot, app, "builtin:encoder")
    assert app.store.state.inputs.text == given == app.window.prompt.text.toPlainText()
    app.session.opening.choose_architecture("decoder")
    opened(qtbot, app, "random:decoder")
    assert app.window.prompt.text.toPlainText() == "Once upon a time"

"""DECODING: token by token, forward and back, with every generated token as a chip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QSlider,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.icons import SIZE, icon
from app.labels import labels_of
from app.panels.branch_choice import BranchChoice
from app.panels.chips import ChipsArea, TokenChips
from app.panels.token_chips import step_chip
from app.session import Session
from app.store import Store
from app.theme import Theme

BUTTONS = (
    ("first", "Back to the prompt (Home)"),
    ("back", "One step back (B)"),
    ("play", "Play (Space)"),
    ("step", "One step on (N)"),
    ("last", "To the end (End)"),
    ("restart", "Throw the generated tokens away"),
)


class DecodingPanel(QWidget):
    """For an encoder it says why there is nothing to decode."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._stepping = store, session.stepping
        self._theme: Theme | None = None
        self._icons: tuple[str, bool] | None = None
        self.buttons: dict[str, QToolButton] = {}
        for name, tip in BUTTONS:
            button = QToolButton()
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition(" (")[0])
            button.setIconSize(QSize(SIZE, SIZE))
            self.buttons[name] = button
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Step")
        self.slider.setRange(0, 0)
        self.count = QLabel()
        self.speed = _spin("Steps a second", 1, 20, " /s")
        self.strategy = QComboBox()
        self.strategy.addItem("Greedy", "greedy")
        self.strategy.addItem("Sample", "sample")
        self.strategy.addItem("Beam", "beam")
        self.strategy.setAccessibleName("Strategy")
        self.strategy.setToolTip(
            "Greedy takes the likeliest token; Sample draws one; Beam keeps several texts and ends "
            "with the likeliest"
        )
        self.seed = _spin("Seed", 0, 2**31 - 1)
        self.beams = _spin("Beams", 1, 16)
        self.length_penalty = QDoubleSpinBox()
        self.length_penalty.setRange(-5.0, 5.0)
        self.length_penalty.setSingleStep(0.1)
        self.length_penalty.setPrefix("length^")
        self.length_penalty.setAccessibleName("Length penalty")
        self.length_penalty.setToolTip(
            "Length penalty: scores are divided by length to this power; above 0 favours long texts"
        )
        self.most = _spin("Most new tokens", 1, 10_000)
        self.chips = TokenChips("Generated tokens", wrap=False)
        self.area = ChipsArea(self.chips, least=48, wrap=False)
        self.text = QLabel()
        self.text.setAccessibleName("Text so far")
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.branch = BranchChoice(store, session.stepping)
        self.ending = QLabel()
        self.ending.setAccessibleName("Why decoding ended")
        self._lay_out()
        self._connect()
        self._show(frozenset({"model", "steps", "decode", "playing"}))

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(4)
        for button in self.buttons.values():
            top.addWidget(button)
        top.addSpacing(8)
        top.addWidget(self.slider, 1)
        top.addWidget(self.count)
        self._seed_label = QLabel("Seed")
        self._seed_label.setBuddy(self.seed)
        self._beams_label = QLabel("Beams")
        self._beams_label.setBuddy(self.beams)
        most = QLabel("Most tokens")
        most.setBuddy(self.most)
        of_a_strategy = (self._seed_label, self.seed, self._beams_label, self.beams)
        for widget in (
            self.speed,
            self.strategy,
            *of_a_strategy,
            self.length_penalty,
            most,
            self.most,
        ):
            top.addSpacing(4)
            top.addWidget(widget)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self.text, 1)
        below.addWidget(self.ending)
        below.addWidget(self.branch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self.area)
        layout.addLayout(below)

    def _connect(self) -> None:
        stepping = self._stepping
        for name, act in (
            ("first", stepping.first),
            ("back", stepping.back),
            ("play", stepping.play),
            ("step", stepping.on),
            ("last", stepping.last),
            ("restart", stepping.restart),
        ):
            self.buttons[name].clicked.connect(lambda _=False, act=act: act())
        self.slider.valueChanged.connect(lambda at: stepping.show(at - 1 if at else None))
        self.chips.clicked.connect(lambda i, _: stepping.show(i))
        self.speed.valueChanged.connect(lambda value: stepping.choose(speed=value))
        self.seed.valueChanged.connect(lambda value: stepping.choose(seed=value))
        self.beams.valueChanged.connect(lambda n: stepping.choose(beams=n))
        self.length_penalty.valueChanged.connect(lambda p: stepping.choose(length_penalty=p))
        self.most.valueChanged.connect(lambda n: stepping.choose(max_new_tokens=n))
        self.strategy.activated.connect(
            lambda _: stepping.choose(strategy=self.strategy.currentData())
        )
        self._store.changed.connect(self._show)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.chips.set_theme(theme)
        self.ending.setStyleSheet(f"color: {theme.muted}")
        self._show_buttons()

    # --- showing ----------------------------------------------------------------------------

    def _show(self, names: frozenset[str]) -> None:
        if names & {"steps", "display", "model", "answer"}:
            self._show_steps()
        if names & {"steps", "selection"}:
            self._show_where()
        if names & {"steps", "tree"}:
            self.branch.show_tree()
        if "decode" in names:
            self._show_choices()
        if names & {"playing", "model", "steps", "selection", "answer"}:
            self._show_buttons()
        if names & {"steps", "ending", "model", "selection", "problem", "answer"}:
            self._show_text()

    def _show_steps(self) -> None:
        state = self._store.state
        chips = []
        if state.steps:
            raw = state.display.raw_labels
            last = state.steps[-1].tokens
            labels = labels_of(last, raw)[len(last) - len(state.steps) :]
            chips = [step_chip(s, text) for s, text in zip(state.steps, labels, strict=True)]
        self.chips.set_chips(tuple(chips))
        self.chips.set_empty_text(
            self._stepping.why_not() or "Press ▶ or Space: generated tokens appear here."
        )

    def _show_where(self) -> None:
        state = self._store.state
        step, count = state.selection.step, len(state.steps)
        self.slider.blockSignals(True)
        self.slider.setRange(0, count)
        self.slider.setValue(0 if step is None else step + 1)
        self.slider.blockSignals(False)
        self.count.setText("prompt" if step is None else f"step {step + 1} of {count}")
        self.chips.set_selected(step)
        if step is not None and step < len(self.chips.chips):
            self.area.reveal(step)

    def _show_choices(self) -> None:
        choice = self._store.state.decode
        for spin, value in (
            (self.speed, choice.speed),
            (self.seed, choice.seed),
            (self.most, choice.max_new_tokens),
            (self.beams, choice.beams),
            (self.length_penalty, choice.length_penalty),
        ):
            spin.blockSignals(True)
            spin.setValue(value)  # type: ignore[arg-type]
            spin.blockSignals(False)
        self.strategy.setCurrentIndex(self.strategy.findData(choice.strategy))
        sampling = choice.strategy == "sample"
        self._seed_label.setVisible(sampling)
        self.seed.setVisible(sampling)
        for widget in (self._beams_label, self.beams, self.length_penalty):
            widget.setVisible(choice.strategy == "beam")

    def _show_buttons(self) -> None:
        state = self._store.state
        able = not self._stepping.why_not() and state.answer is not None
        step = state.selection.step
        for name, button in self.buttons.items():
            moved = step is not None if name in ("first", "back") else True
            button.setEnabled(able and moved and (bool(state.steps) or name != "restart"))
        for widget in (
            self.slider,
            self.strategy,
            self.seed,
            self.beams,
            self.length_penalty,
            self.most,
            self.speed,
        ):
            widget.setEnabled(able)
        self._show_icons(state.playing)
        play = "Pause" if state.playing else "Play"
        self.buttons["play"].setToolTip(f"{play} (Space)")
        self.buttons["play"].setAccessibleName(play)

    def _show_icons(self, playing: bool) -> None:
        """Painted anew only for another theme or another meaning."""
        if self._theme is None or self._icons == (self._theme.name, playing):
            return
        self._icons = (self._theme.name, playing)
        for name, button in self.buttons.items():
            shown = "pause" if name == "play" and playing else name
            button.setIcon(icon(shown, self._theme.text, self._theme.border))

    def _show_text(self) -> None:
        state = self._store.state
        step = state.step
        if step is None:
            self.text.setText("")
        else:
            shown = step.text if len(step.text) <= 120 else "…" + step.text[-119:]
            noun = "byte" if step.pending == 1 else "bytes"
            bytes_ = f"  {step.pending} pending {noun}" if step.pending else ""
            cache = f"  ·  cache {step.cache_positions} positions, {_bytes(step.cache_bytes)}"
            self.text.setText(f"“{shown}”{bytes_}{cache}")
        problem = state.problem
        here = problem is not None and problem.where == "decoding"
        self.ending.setText(problem.text if here and problem is not None else state.ending)


def _spin(name: str, least: int, most: int, suffix: str = "") -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(least, most)
    spin.setSuffix(suffix)
    spin.setAccessibleName(name)
    spin.setToolTip(name)
    return spin


def _bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"

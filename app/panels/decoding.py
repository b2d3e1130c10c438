"""DECODING: token by token, forward and back, with every generated token as a chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.counting import counted, in_bytes
from app.filling import not_autoregression
from app.icons import SIZE, icon
from app.panels.branch_choice import BranchChoice
from app.panels.checks import Checks, sentence
from app.panels.chips import TokenChips
from app.panels.chips_area import ChipsArea
from app.panels.decode_choices import DecodeChoices
from app.panels.dimming import DIMMED_BY, dim
from app.panels.elided import ElidedLabel
from app.panels.folding import Folding
from app.panels.move_chips import MoveChips, of_fills
from app.session import Session
from app.store import SEARCHING, State, Store
from app.theme import Theme

if TYPE_CHECKING:
    from core.request import Step

BUTTONS = (
    ("first", "Back to the prompt (Home)"),
    ("back", "One step back (B)"),
    ("play", "Play (Space)"),
    ("step", "One step on (N)"),
    ("last", "To the end (End)"),
    ("restart", "Throw the generated tokens away"),
)
LEAST_SLIDER = 120  # pixels in which a step can still be aimed at
WIDE = 980  # pixels that all that steers asks for in one line
LEAST_TEXT, LEAST_ENDING = 240, 160  # pixels in which something can still be read


class DecodingPanel(QWidget):
    """A decoder writes on; an encoder fills its masks one at a time."""

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
        self.slider.setMinimumWidth(LEAST_SLIDER)
        self.count = QLabel()
        self.choices = DecodeChoices(store, session.stepping)
        self._move_chips = MoveChips()
        self.chips = TokenChips("Generated tokens", wrap=False)
        self.area = ChipsArea(self.chips, least=48, wrap=False)
        self.text = ElidedLabel(least=LEAST_TEXT)
        self.text.setAccessibleName("Text so far")
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.branch = BranchChoice(store, session.stepping)
        self.checks = Checks(store, session.checker)
        self.ending = ElidedLabel(least=LEAST_ENDING, cut=Qt.TextElideMode.ElideRight)
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
        choices = QHBoxLayout()
        choices.addWidget(self.choices)
        below = QHBoxLayout()
        below.addStrut(26)  # as high with buttons as without: nothing jumps when steps appear
        below.setSpacing(12)
        # It takes what is left over, and asks for no more: chips above it say the same, and what
        # stands beside it is said nowhere else.
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.text.setMinimumWidth(LEAST_TEXT)
        below.addWidget(self.text, 1)
        below.addWidget(self.ending)
        below.addWidget(self.branch)
        below.addWidget(self.checks)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(4)
        layout.addWidget(Folding(top, choices, most=WIDE, spacing=top.spacing() + 4))
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
        self._store.changed.connect(self._show)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.chips.set_theme(theme)
        self.ending.setStyleSheet(f"color: {theme.muted}")
        self._show_buttons()

    @property
    def _fills(self) -> bool:
        """Whether the model fills masks instead of writing on."""
        model = self._store.state.model
        return model is not None and model.spec.decoder is None

    # --- showing ----------------------------------------------------------------------------

    def _show(self, names: frozenset[str]) -> None:
        if names & ({"steps", "fills", "display", "tree"} | DIMMED_BY):
            self._show_steps()
        if names & ({"steps", "fills", "tree", "busy"} | DIMMED_BY):
            self.chips.set_empty_text(self._stepping.why_not() or self._invitation())
        if names & {"steps", "fills", "selection", "model"}:
            self._show_where()
        if names & {"steps", "tree"}:
            self.branch.show_tree()
        if names & ({"playing", "steps", "fills", "selection", "tree", "decode"} | DIMMED_BY):
            self._show_buttons()
        if names & DIMMED_BY:
            for shown in (self.chips, self.text, self.count):
                dim(shown, self._store.state.old and bool(self._store.state.moves))
        if names & {
            "steps",
            "fills",
            "ending",
            "together",
            "checked",
            "model",
            "selection",
            "problem",
            "answer",
        }:
            self._show_text()

    def _show_steps(self) -> None:
        state = self._store.state
        raw = state.display.raw_labels
        made = self._move_chips.of(state.steps, raw)
        self.chips.set_chips(of_fills(state.fills, raw) if state.fills else made)

    def _invitation(self) -> str:
        if self._fills:
            start, answer = "Press ▶, or Space outside the text.", self._store.state.answer
            return f"{start} {not_autoregression(answer)}" if answer is not None else start
        busy = self._store.state.busy
        if busy is not None and busy.text.startswith(SEARCHING):
            return f"{busy.text} …"
        start = "Press ▶, or Space outside the text: generated tokens appear here."
        kept = len(self._store.state.tree.branches) > 1
        return f"{start} What was decoded before is kept as a branch." if kept else start

    def _show_where(self) -> None:
        state = self._store.state
        step, count = state.selection.step, len(state.moves)
        self.slider.blockSignals(True)
        self.slider.setRange(0, count)
        self.slider.setValue(0 if step is None else step + 1)
        self.slider.blockSignals(False)
        noun, start = ("fill", "text") if self._fills else ("step", "prompt")
        self._show_count(start if step is None else f"{noun} {step + 1} of {count}")
        self.chips.set_selected(step)
        if step is not None and step < len(self.chips.chips):
            self.area.reveal(step)

    def _show_count(self, text: str) -> None:
        """In room that only grows: the slider beside it keeps its place."""
        self.count.setText(text)
        metrics = self.count.fontMetrics()
        wanted = max(metrics.horizontalAdvance(one) for one in (text, "step 000 of 000"))
        if wanted > self.count.minimumWidth():
            self.count.setMinimumWidth(wanted)

    def _show_buttons(self) -> None:
        state = self._store.state
        able = not self._stepping.why_not() and state.answer is not None
        # Of a text before one that failed, what was decoded may still be looked at.
        look = able or bool(state.moves)
        step, last = state.selection.step, len(state.moves) - 1
        enabled = dict.fromkeys(self.buttons, able)
        enabled["first"] = enabled["back"] = look and step is not None
        before_last, more = (-1 if step is None else step) < last, self._stepping.may_go_on()
        enabled["step"] = more or before_last
        enabled["play"] = able and (more or before_last or state.playing)
        enabled["last"] = able and (more or before_last)
        enabled["restart"] = able and (bool(state.moves) or len(state.tree.branches) > 1)
        for name, button in self.buttons.items():
            button.setEnabled(enabled[name])
        self.slider.setEnabled(look)
        self.choices.setEnabled(able)
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
        step, fill = state.step, state.fill
        if fill is not None:
            aside = f"  ·  {not_autoregression(state.answer)}" if state.answer is not None else ""
            self.text.setText(f"“{_filled(state)}”", aside)
        elif step is None:
            self.text.setText("")
        elif state.all_at_once is not None:
            self.text.setText(sentence(state))
        else:
            text = step.text.strip()  # it begins with the space before its first word
            shown = text if len(text) <= 120 else "…" + text[-119:]
            noun = "byte" if step.pending == 1 else "bytes"
            bytes_ = f"  {step.pending} pending {noun}" if step.pending else ""
            self.text.setText(f"“{shown}”{bytes_}", f"  ·  {_cache(step)}")
        problem = state.problem
        here = problem is not None and problem.where == "decoding"
        self.ending.setText(problem.text if here and problem is not None else state.ending)


def _filled(state: State) -> str:
    """The text with what has been filled in."""
    fill, model = state.fill, state.model
    if fill is None or model is None or model.tokenizer is None:
        return ""
    mask = model.spec.special.mask
    parts: list[list[int]] = [[]]
    for token, special in zip(fill.tokens.ids, fill.tokens.special, strict=True):
        if token == mask:
            parts.append([])
        elif not special:
            parts[-1].append(token)
    texts = [model.tokenizer.decode(part).strip() for part in parts]
    return " […] ".join(texts).strip()


def _cache(step: Step) -> str:
    """What the step left on the cache; nothing where later tokens change earlier rows."""
    held = step.cache_positions
    if not held:
        ran = len(step.trace.tokens["decoder"])
        whole = "the whole text" if ran == 1 else f"all {ran} positions"
        return f"nothing cached: this step ran {whole} anew"
    positions = counted(held, "position")
    if step.trace.spec.encoder is not None:
        positions += f" + {len(step.trace.tokens['encoder'])} of source"
    return f"cache {positions}, {in_bytes(step.cache_bytes)}"

"""INPUT: what the model reads, and its tokens; a click on a word masks it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app import unknown
from app.looking import at_site, fitted
from app.panels.chips import TokenChips
from app.panels.chips_area import ChipsArea
from app.panels.dimming import DIMMED_BY, dim
from app.panels.editor import Editor
from app.panels.folding import Folding
from app.panels.text_telling import unpadded, warnings, wrong_input
from app.panels.token_chips import chips_of, of_the_piece, word_around
from app.session import Session
from app.store import Store
from app.theme import Theme

if TYPE_CHECKING:
    from core.text import MaskHint
    from core.tokens import Tokens


class PromptPanel(QWidget):
    """Editors for text, pair and target; chips; padding; what is wrong with the input.

    lacking: pixels that would let all chips be seen, where others can spare them.
    """

    lacking = Signal(int)

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.text = Editor("Text", "Type a sentence", lines=3)
        self.pair = Editor("Second sentence", "Second sentence (optional)", lines=1)
        self.target = Editor("Target", "Written so far (optional)", lines=1)
        self.chips = TokenChips("Tokens of the text")
        self.target_chips = TokenChips("Tokens of the target")
        self.chips.set_empty_text("The tokens appear here.")
        self._chips_area = ChipsArea(self.chips, least=74)
        self._target_area = ChipsArea(self.target_chips, least=28)
        self._pair_label, self._target_label = QLabel("Pair"), QLabel("Target")
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setObjectName("problem")
        self.problem.setAccessibleName("What is wrong with the input")
        self.hint = QLabel()
        self.hint.setWordWrap(True)
        self.unknown = QLabel()
        self.unknown.setWordWrap(True)
        self.unknown.setAccessibleName("Words that the model does not know")
        self.use_mask = QPushButton()
        self.use_mask.setAccessibleName("Use this model's mask token")
        self.pad_to = QSpinBox()
        self.pad_to.setRange(0, 4096)
        self.pad_to.setSpecialValueText("off")
        self.pad_to.setAccessibleName("Pad to this many tokens")
        self.pad_to.setMinimumWidth(54)  # four digits; the style asks for more than they need
        self.pad_side = QComboBox()
        self.pad_side.addItem("right", "right")
        self.pad_side.addItem("left", "left")
        self.pad_side.setAccessibleName("Side of the padding")
        self.special = QCheckBox("Special tokens")
        self.special.setToolTip("Add the special tokens that this model expects around a text")
        self._foreign: tuple[Editor, MaskHint] | None = None
        self._lay_out()
        self._connect()
        self._show(frozenset({"model", "inputs", "answer", "problem", "display"}))

    def set_theme(self, theme: Theme) -> None:
        self.chips.set_theme(theme)
        self.target_chips.set_theme(theme)
        self.problem.setStyleSheet(f"color: {theme.warning}")
        for label in (self.hint, self.unknown):
            label.setStyleSheet(f"color: {theme.muted}")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.setSpacing(6)
        # What one writes in and clicks keeps its place: all that comes, goes and wraps with the
        # text stands below.
        layout.addWidget(self.text)
        fields = QGridLayout()
        fields.setSpacing(6)
        fields.setColumnStretch(1, 1)
        for row, (label, editor) in enumerate(
            ((self._pair_label, self.pair), (self._target_label, self.target))
        ):
            label.setBuddy(editor)
            fields.addWidget(label, row, 0)
            fields.addWidget(editor, row, 1)
        layout.addLayout(fields)
        options = QHBoxLayout()
        options.setSpacing(6)
        pad = QLabel("Pad to")
        pad.setBuddy(self.pad_to)
        options.addWidget(pad)
        options.addWidget(self.pad_to)
        options.addWidget(self.pad_side)
        options.addStretch(1)
        special = QHBoxLayout()
        special.addWidget(self.special)
        layout.addWidget(Folding(options, special, most=280, spacing=6))
        layout.addWidget(self.problem)
        hint = QHBoxLayout()
        hint.addWidget(self.hint, 1)
        hint.addWidget(self.use_mask)
        layout.addLayout(hint)
        layout.addWidget(self._chips_area, 100)
        layout.addWidget(self._target_area, 40)
        layout.addWidget(self.unknown)
        layout.addStretch(1)

    def _connect(self) -> None:
        write = self._session.write
        self.text.edited.connect(lambda text: write(text=text))
        self.pair.edited.connect(lambda text: write(pair=text))
        self.target.edited.connect(lambda text: write(target=text))
        self.pad_to.valueChanged.connect(lambda length: write(pad_to=length))
        self.pad_side.activated.connect(lambda _: write(pad_side=self.pad_side.currentData()))
        self.special.toggled.connect(lambda on: write(add_special=on))
        for area in (self._chips_area, self._target_area):
            area.lacking.connect(self.lacking)
        self.chips.clicked.connect(self._chip_clicked)
        self.target_chips.clicked.connect(lambda i, _: self._pin("decoder", i))
        self.use_mask.clicked.connect(self._correct_mask)
        self._store.changed.connect(self._show)

    # --- showing ----------------------------------------------------------------------------

    def _show(self, names: frozenset[str]) -> None:
        if names & {"model", "inputs"}:
            self._show_inputs()
            self._show_hint()
        if names & {"answer", "display"}:
            self._show_chips()
        if names & {"answer", "model", "inputs"}:
            self._show_unknown()
            self._place_at_once()
        if names & DIMMED_BY:
            for chips in (self.chips, self.target_chips, self.unknown):
                dim(chips, self._store.state.old)
        if names & {"problem", *DIMMED_BY}:
            wrong = wrong_input(self._store.state)
            self.problem.setText(wrong)
            self.problem.setVisible(bool(wrong))

    def _show_inputs(self) -> None:
        state = self._store.state
        inputs, model = state.inputs, state.model
        if model is not None:  # each architecture has its own texts
            for editor in (self.text, self.pair, self.target):
                editor.turn_to(model.spec.architecture)
        self.text.show_text(inputs.text)
        self.pair.show_text(inputs.pair)
        self.target.show_text(inputs.target)
        choices = (self.pad_to, self.pad_side, self.special)
        for choice in choices:
            choice.blockSignals(True)
        self.pad_to.setValue(inputs.pad_to)
        self.pad_side.setCurrentIndex(self.pad_side.findData(inputs.pad_side))
        self.pad_side.setEnabled(inputs.pad_to > 0)
        self.special.setChecked(inputs.add_special)
        for choice in choices:
            choice.blockSignals(False)
        architecture = model.spec.architecture if model is not None else "encoder"
        of_pair = (self._pair_label, self.pair)
        of_target = (self._target_label, self.target, self._target_area)
        for widgets, wanted in ((of_pair, "encoder"), (of_target, "encoder-decoder")):
            for widget in widgets:
                widget.setVisible(architecture == wanted)

    def _show_chips(self) -> None:
        state = self._store.state
        if state.answer is None:  # tokens of a former model are not this one's
            self.chips.set_chips(())
            self.target_chips.set_chips(())
            return
        trace, raw = state.answer.trace, state.display.raw_labels
        mask = trace.spec.special.mask
        can_mask = self._mask_piece() is not None
        first = "encoder" if trace.spec.encoder is not None else "decoder"
        click = "Click to mask this word." if can_mask else "Click to pin it as the query."
        self.chips.set_chips(chips_of(trace.tokens[first], mask=mask, raw=raw, click=click))
        if trace.spec.architecture == "encoder-decoder":
            pin = "Click to pin it as the query."
            self.target_chips.set_chips(
                chips_of(trace.tokens["decoder"], mask=mask, raw=raw, click=pin)
            )

    def _place_at_once(self) -> None:
        """Chips are as high as they need at once, and would be painted over what stands below."""
        layout = self.layout()
        assert layout is not None
        least = layout.minimumHeightForWidth(self.width())
        self.resize(self.width(), max(self.height(), least))
        layout.activate()

    def _show_unknown(self) -> None:
        """Unless something else is to be said of the text: that comes first."""
        answer = self._store.state.answer
        text = unpadded(answer) if answer is not None else ""
        if answer is not None and not text and self.hint.isHidden():
            text = unknown.sentence(answer.trace.tokens.values())
        self.unknown.setText(text)
        self.unknown.setVisible(bool(text))

    # --- masking words ----------------------------------------------------------------------

    def _mask_piece(self) -> str | None:
        model = self._store.state.model
        if model is None or model.tokenizer is None or model.spec.encoder is None:
            return None
        return model.tokenizer.mask_piece

    def _chip_clicked(self, index: int, shift: bool) -> None:
        answer, piece = self._store.state.answer, self._mask_piece()
        if answer is None:
            return
        stack = "encoder" if answer.trace.spec.encoder is not None else "decoder"
        if piece is None or shift:
            self._pin(stack, index)
        elif answer.inputs == self._store.state.inputs:  # else the spans are of another text
            self._toggle_mask(answer.trace.tokens[stack], index, piece)

    def _toggle_mask(self, tokens: Tokens, index: int, piece: str) -> None:
        span, sequence = tokens.spans[index], tokens.sequence[index]
        if span is None or tokens.padding[index]:
            return
        editor = self.pair if sequence == 1 else self.text
        text = editor.toPlainText()
        start, end = word_around(text, *span)
        if text[span[0] : span[1]].strip() == piece:
            start, end = of_the_piece(text, span, piece)
            if not editor.unmask_word(start, end):
                self._session.complain(
                    f"This {piece} was typed by hand, so there is no word to bring back; "
                    "type one in its place.",
                    "input",
                )
        elif start < end:
            editor.mask_word(start, end, piece)

    def _pin(self, stack: str, index: int) -> None:
        state = self._store.state
        selection = state.selection
        if selection.stack == stack:
            self._store.select(query=None if selection.query == index else index)
        elif state.trace is not None:  # the other stack may have fewer layers and heads
            wanted = replace(at_site(selection, stack, "self"), query=index)
            self._store.select(fitted(wanted, state.trace.spec, state.trace))

    # --- the other model's mask -------------------------------------------------------------

    def _show_hint(self) -> None:
        """What was typed as another model would have it; one click puts it right."""
        model, inputs = self._store.state.model, self._store.state.inputs
        self._foreign = None
        text = ""
        if model is not None and model.tokenizer is not None:
            for editor, written in ((self.text, inputs.text), (self.pair, inputs.pair)):
                found = model.tokenizer.foreign_mask(written)
                if found is not None:
                    self._foreign, text = (editor, found), found.message
                    break
            else:
                text = " ".join(warnings(model.tokenizer, inputs.text, inputs.pair))
        self.hint.setText(text)
        self.hint.setVisible(bool(text))
        insert = self._foreign[1].insert if self._foreign is not None else None
        self.use_mask.setVisible(insert is not None)
        self.use_mask.setText(f"Use {insert}")

    def _correct_mask(self) -> None:
        if self._foreign is not None:
            editor, hint = self._foreign
            if editor.toPlainText()[slice(*hint.span)] == hint.found and hint.insert is not None:
                editor.replace(*hint.span, hint.insert)
        QTimer.singleShot(0, self.text.setFocus)

"""A word to ask for: its probability and rank in every list over the vocabulary."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from app.session import Session
from app.store import Store

WAIT_MS = 150  # a list is drawn anew once a person pauses


class AskedWord(QWidget):
    """The field, and one sentence where the word is not one token."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a word’s probability and rank")
        self.field.setAccessibleName("Word to find in the predictions")
        self.field.setToolTip(
            "Every list below also shows this word, however unlikely, with its rank"
        )
        self.field.setClearButtonEnabled(True)
        self.field.setAcceptDrops(False)  # a folder that is dropped here is opened, as elsewhere
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.field)
        layout.addWidget(self.said)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._ask)
        self.field.textEdited.connect(lambda _: self._timer.start())
        self.field.textChanged.connect(self._emptied)
        self.field.returnPressed.connect(self._ask)
        store.changed.connect(self._changed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
        else:
            super().keyPressEvent(event)

    def _emptied(self, text: str) -> None:
        if not text:
            self._ask()

    def _ask(self) -> None:
        self._timer.stop()
        self._session.ask(self.field.text())

    def _changed(self, names: frozenset[str]) -> None:
        if names & {"asked", "model", "answer", "display"}:
            said = self._sentence()
            self.said.setText(said)
            self.said.setVisible(bool(said))

    def _sentence(self) -> str:
        state = self._store.state
        if not state.asked or state.model is None or state.model.tokenizer is None:
            return ""
        from core.text.meant import tokens_meant, whole

        tokenizer = state.model.tokenizer.target
        if not tokens_meant(tokenizer, state.asked):
            return f"Nothing in the vocabulary writes “{state.asked}”."
        if not whole(tokenizer, state.asked):
            from app.labels import labeller

            name = labeller(tokenizer, state.display.raw_labels)
            first = " or ".join(f"“{name(i)}”" for i in tokens_meant(tokenizer, state.asked))
            return f"“{state.asked}” takes several tokens; shown is the first, {first}."
        return ""

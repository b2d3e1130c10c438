"""Under the views that compare texts: which texts are kept, and keeping one more."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.panels.elided import ElidedLabel
from app.session import Session
from app.store import Answer, State, Store

KEYS = ("compare", "two_runs")


class Keeping(QWidget):
    """In sight with the views that have a use for it."""

    def __init__(self, store: Store, session: Session) -> None:
        super().__init__()
        self._store = store
        self.keep = QPushButton("Keep this text")
        self.keep.setToolTip(
            "Then type another one, or change the mask, to compare with it (Ctrl+K)"
        )
        self.kept = ElidedLabel(cut=Qt.TextElideMode.ElideRight)
        self.kept.setAccessibleName("Kept texts")
        self.forget = QPushButton("Forget")
        self.forget.setToolTip("Forget the kept texts")
        self.forget.setAccessibleName("Forget the kept texts")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.keep)
        row.addWidget(self.kept, 1)
        row.addWidget(self.forget)
        self.keep.clicked.connect(lambda _=False: session.running.keep())
        self.forget.clicked.connect(lambda _=False: session.running.forget_kept())
        store.changed.connect(self._show)
        self._show(frozenset({"view"}))

    def _show(self, names: frozenset[str]) -> None:
        if not names & {"view", "answer", "kept", "selection"}:
            return
        state = self._store.state
        self.setVisible(state.view in KEYS)
        self.keep.setEnabled(state.answer is not None and state.answer not in state.kept)
        self.forget.setEnabled(bool(state.kept))
        numbers = _numbers(state)
        texts = [
            _named(kept, number, state.answer)
            for kept, number in zip(state.kept, numbers, strict=True)
        ]
        if not texts:
            self.kept.setText("No text is kept yet.")
            return
        # The map compares with the last one, so that is the one to be named where few can be.
        brief = f"{len(texts)} texts kept, last {texts[-1]}" if len(texts) > 1 else ""
        self.kept.setText(f"Kept: {', '.join(texts)}", brief=brief)


def _numbers(state: State) -> list[str]:
    """By which the picture tells the kept texts apart."""
    traces, stack = [kept.trace for kept in state.kept], state.selection.stack
    if not traces or any(stack not in trace.tokens for trace in traces):
        return [""] * len(traces)
    from app.views._kept import numbers

    found = numbers(traces, stack)
    return [found[trace] for trace in traces]


def _named(kept: Answer, number: str, present: Answer | None) -> str:
    """A kept text, and how it was read where the present one is read otherwise."""
    text = f"“{number}{' '.join(kept.inputs.text.split())}”"
    if present is None or present.model is not kept.model:
        return text
    from app.views._readings import differences, words

    # Of the stack that all others lead to: whichever is looked at.
    where = differences(present.trace, kept.trace, kept.model.spec.main_stack.name)
    return f"{text} ({words(kept.trace, where)})" if where else text

"""Under the cache view: what if the decoder shared its key/value heads?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QWidget

from app.checking import Checker, shown
from app.counting import in_bytes
from app.store import Store

if TYPE_CHECKING:
    from core.analysis.sharing import Shared
    from core.spec import ModelSpec

KEY = "cache"


class Pooling(QWidget):
    """In sight with the view whose question it answers, for models that have heads to share."""

    def __init__(self, store: Store, checker: Checker) -> None:
        super().__init__()
        self._store, self._checker = store, checker
        self.heads = QComboBox()
        self.heads.setAccessibleName("Number of key/value heads")
        self.heads.setToolTip("Each shared head is the mean of those it replaces")
        label = QLabel("What if there were")
        label.setBuddy(self.heads)
        self.run = QPushButton("Run")
        self.run.setToolTip("Run the same text so, and compare the next-token distributions")
        self.run.setAccessibleName("Run with shared key/value heads")
        self.back = QPushButton("Back")
        self.back.setToolTip("Show the heads as the model has them again")
        self.back.setAccessibleName("Back to the heads of the model")
        self.result = QLabel()
        self.result.setWordWrap(True)
        self.result.setAccessibleName("What sharing changes")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(label)
        row.addWidget(self.heads)
        row.addWidget(self.run)
        row.addWidget(self.back)
        row.addWidget(self.result, 1)
        self.run.clicked.connect(lambda _=False: self._run())
        self.back.clicked.connect(lambda _=False: checker.forget_shared())
        self.heads.activated.connect(lambda _: self._show_result())
        store.changed.connect(self._show)
        self._show(frozenset({"view"}))

    def _run(self) -> None:
        kv_heads = self.heads.currentData()
        if kv_heads is not None:
            self._checker.share(kv_heads)

    def _show(self, names: frozenset[str]) -> None:
        if names & {"view", "model"}:
            self._offer()
        if names & {"view", "model", "what_if", "selection", "steps", "answer"}:
            self._show_result()

    def _offer(self) -> None:
        state = self._store.state
        choices = groups(state.model.spec) if state.model is not None else ()
        self.setVisible(state.view == KEY and bool(choices))
        if tuple(self.heads.itemData(i) for i in range(self.heads.count())) != choices:
            self.heads.clear()
            for count in choices:
                self.heads.addItem("1 K/V head" if count == 1 else f"{count} K/V heads", count)

    def _show_result(self) -> None:
        found = shown(self._store.state)
        self.back.setVisible(bool(found))
        chosen = next((one for one in found if one.kv_heads == self.heads.currentData()), None)
        self.result.setText("" if chosen is None else sentence(chosen))


def groups(spec: ModelSpec) -> tuple[int, ...]:
    """Into how many heads the decoder's key/value heads may be pooled; none where there is nothing
    to pool."""
    if spec.decoder is None or spec.heads.vocab is None:
        return ()
    attentions = [block.attention for block in spec.decoder.blocks]
    if any(attention.latent is not None for attention in attentions):
        return ()
    fewest = min(attention.kv_heads for attention in attentions)
    return tuple(
        count
        for count in range(fewest - 1, 0, -1)
        if all(attention.kv_heads % count == 0 for attention in attentions)
    )


def sentence(found: Shared) -> str:
    """Everything in one sentence."""
    return (
        f"Predictions move by {found.mean_kl:.3g} bits (mean KL), {found.last_kl:.3g} after the "
        f"last token; {found.kept:.0%} keep their likeliest; "
        f"cache {in_bytes(found.bytes_before)} → {in_bytes(found.bytes_after)}."
    )

"""What belongs to another text than the one asked for stands there dimmed."""

from __future__ import annotations

from PySide6.QtWidgets import QGraphicsOpacityEffect, QWidget

DIMMED_BY = frozenset({"refused", "answer", "inputs", "masks", "model"})
"""The fields of the store that `State.old` depends on."""

OPACITY = 0.4


def dim(widget: QWidget, on: bool) -> None:
    """Paint a widget and what is in it fainter, or in full strength again."""
    effect = widget.graphicsEffect()
    if effect is None:
        if not on:
            return
        made = QGraphicsOpacityEffect(widget)
        made.setOpacity(OPACITY)
        widget.setGraphicsEffect(made)
        effect = made
    effect.setEnabled(on)


def dimmed(widget: QWidget) -> bool:
    effect = widget.graphicsEffect()
    return effect is not None and effect.isEnabled()

"""The groups of views, in the order of the window: what each is about; free of Qt.

A view names its group in its own file (`app.views.View.group`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """title: its tab. summary: one sentence, without full stop."""

    key: str
    title: str
    summary: str


GROUPS: tuple[Group, ...] = (
    Group(
        key="attention",
        title="Attention",
        summary="Which words each word looks at, and what the heads do differently",
    ),
    Group(
        key="states",
        title="States",
        summary="The vector of each word, and how the layers change it",
    ),
    Group(
        key="predictions",
        title="Predictions",
        summary="What the model says: at its end, and already after each layer",
    ),
    Group(
        key="decoding",
        title="Decoding",
        summary="Writing token by token: what was weighed, what was tried, what is kept",
    ),
    Group(
        key="matters",
        title="What matters",
        summary="Which weights, heads, words and masks move the prediction",
    ),
    Group(
        key="inside",
        title="Inside the model",
        summary="The model as it is built, and its computation step by step",
    ),
)

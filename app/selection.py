"""What is being looked at, as plain data; free of Qt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Where the person is looking. Layers and heads count from 0 here, from 1 on screen.

    stack "encoder" or "decoder", part "self" or "cross": the attention site. layer: a block.
    head None: the mean of all heads; kept_head: the head, or the one chosen before the mean, for
    what a mean has not. query and key: pinned positions, None when nothing is pinned.
    step: a decoding step, None for the prompt itself.
    """

    stack: str = "encoder"
    part: str = "self"
    layer: int = 0
    head: int | None = 0
    query: int | None = None
    key: int | None = None
    step: int | None = None
    kept_head: int = 0

    def __post_init__(self) -> None:
        if self.head is not None:
            object.__setattr__(self, "kept_head", self.head)

    @property
    def site(self) -> str:
        """The attention site, for example "decoder.cross"."""
        return f"{self.stack}.{self.part}"

"""The tree of continuations: taking another token keeps what was there as a branch; free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.request import Step

Steps = tuple["Step", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One continuation of the prompt.

    steps: from the prompt on; those before `fork` are shared with the branch `parent` that this one
    left. parent None: the first continuation.
    """

    steps: Steps = ()
    parent: int | None = None
    fork: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Branches in the order they were made; `current` is the one that is being continued."""

    branches: tuple[Branch, ...] = (Branch(),)
    current: int = 0

    def holding(self, steps: Steps) -> Tree:
        """The current branch with the steps it has by now."""
        mine = replace(self.branches[self.current], steps=steps)
        before, after = self.branches[: self.current], self.branches[self.current + 1 :]
        return replace(self, branches=(*before, mine, *after))

    def forked(self, at: int) -> Tree:
        """A new current branch that leaves the present one before step `at`."""
        origin, steps = self.current, self.branches[self.current].steps
        # At or before its own fork a branch has only what its parent has.
        while self.branches[origin].parent is not None and at <= self.branches[origin].fork:
            origin = self.branches[origin].parent or 0
        new = Branch(steps=steps[:at], parent=origin, fork=at)
        return Tree(branches=(*self.branches, new), current=len(self.branches))

    def with_token(self, at: int, token: int) -> int | None:
        """The branch that shares the present one's first `at` steps and then takes `token`."""
        mine = self.branches[self.current].steps[:at]
        for number, branch in enumerate(self.branches):
            theirs = branch.steps
            if len(theirs) > at and theirs[:at] == mine and theirs[at].token == token:
                return number
        return None

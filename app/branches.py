"""The tree of continuations: taking another token keeps what was there as a branch; free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.choices import DecodeChoice
    from core.decoding import BeamSearch
    from core.request import Step

Steps = tuple["Step", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One continuation of the prompt.

    steps: from the prompt on; those before `fork` are shared with the branch `parent` that this one
    left. parent None: the first continuation. choice: what it was decoded by, None while all of a
    tree were decoded by the same. search: the beam search its steps are of.
    """

    steps: Steps = ()
    parent: int | None = None
    fork: int = 0
    choice: DecodeChoice | None = None
    search: BeamSearch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Branches in the order they were made; `current` is the one that is being continued."""

    branches: tuple[Branch, ...] = (Branch(),)
    current: int = 0

    def holding(self, steps: Steps, search: BeamSearch | None = None) -> Tree:
        """The current branch with the steps it has by now."""
        return self._with(replace(self.branches[self.current], steps=steps, search=search))

    def _with(self, mine: Branch) -> Tree:
        """The same with another current branch."""
        before, after = self.branches[: self.current], self.branches[self.current + 1 :]
        return replace(self, branches=(*before, mine, *after))

    @property
    def left(self) -> bool:
        """Whether another branch leaves the current one."""
        return any(branch.parent == self.current for branch in self.branches)

    def forked(self, at: int) -> Tree:
        """A new current branch that leaves the present one before step `at`."""
        origin, steps = self.current, self.branches[self.current].steps
        # At or before its own fork a branch has only what its parent has.
        while self.branches[origin].parent is not None and at <= self.branches[origin].fork:
            origin = self.branches[origin].parent or 0
        mine = self.branches[self.current]
        new = Branch(
            steps=steps[:at], parent=origin, fork=at, choice=mine.choice, search=mine.search
        )
        return Tree(branches=(*self.branches, new), current=len(self.branches))

    def afresh(self, old: DecodeChoice, new: DecodeChoice) -> Tree:
        """A new current branch from the prompt on, to be decoded by `new`; all that is there was
        decoded by `old` where it does not say."""
        named = tuple(replace(b, choice=b.choice or old) for b in self.branches)
        tree = replace(self, branches=named)
        mine = named[self.current]
        if mine.steps or self.left:
            tree = tree.forked(0)
            mine = tree.branches[-1]
        return tree._with(replace(mine, choice=new, search=None))

    def at(self, number: int) -> Tree:
        """Branch `number` is the current one; the one before goes if nothing was decoded in it."""
        gone = self.current
        if number == gone or self.branches[gone].steps or self.left:
            return replace(self, current=number)
        others = tuple(
            replace(b, parent=b.parent - 1) if b.parent is not None and b.parent > gone else b
            for b in self.branches[:gone] + self.branches[gone + 1 :]
        )
        return Tree(branches=others, current=number - (number > gone))

    def with_token(self, at: int, token: int) -> int | None:
        """The branch that shares the present one's first `at` steps and then takes `token`."""
        mine = self.branches[self.current].steps[:at]
        for number, branch in enumerate(self.branches):
            theirs = branch.steps
            if len(theirs) > at and theirs[:at] == mine and theirs[at].token == token:
                return number
        return None


def how(choice: DecodeChoice | None) -> str:
    """What a branch was decoded by, in a word or two; empty where that need not be said."""
    if choice is None:
        return ""
    if choice.strategy == "sample":
        return f"Sample {choice.seed}"
    return "Greedy" if choice.strategy == "greedy" else f"{choice.beams} beams"

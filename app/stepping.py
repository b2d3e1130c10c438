"""On, back, play, take another token: the controller of decoding beside `Session`.

Moves are the decoder's steps, or the fills of an encoder's masks. Move i shows the run that
predicted it, so taking another token there replaces move i and what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer

from app.branches import Tree
from app.choices import DecodeChoice
from app.filling import Filler, Fills
from app.searching import Searches
from app.store import Store
from app.tasks import Failed, Tasks
from app.wishes import Wish
from app.writing import Continues, Writer

NOTHING_DECODED: dict[str, Any] = {
    "steps": (),
    "fills": (),
    "tree": Tree(),
    "search": None,
    "checked": None,
    "together": False,
    "what_if": None,
    "ending": "",
}
"""The fields of the store when nothing has been decoded."""


FAILED = "What is asked was not run, so there is nothing to go on from."
"""Why nothing is decoded while the text or the mask is refused or cancelled."""


class Decodes(Continues, Searches, Fills, Protocol):
    """What decoding needs of the core; `app.engine.Engine` is the real one."""


class Stepping(QObject):
    """Moves along what was decoded, and asks for more at its end.

    undrawn: whether the picture of what is looked at is yet to be begun; whoever draws says so.
    """

    def __init__(
        self, store: Store, tasks: Tasks, core: Decodes, failed: Failed, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._failed = store, tasks, failed
        self._to_the_end = False
        self._follows = True  # what is on its way is to be looked at
        self._wish = Wish(store, tasks, self)
        self.undrawn: Callable[[], bool] = lambda: False
        told = self._made, self._decode_failed, lambda: self._follows
        self.writer = Writer(store, tasks, core, *told)
        self.filler = Filler(store, tasks, core, *told)
        self._play = QTimer(self)
        self._play.timeout.connect(self._frame)
        store.changed.connect(self._changed)

    @property
    def _mover(self) -> Writer | Filler:
        model = self._store.state.model
        return self.filler if model is not None and model.spec.decoder is None else self.writer

    def why_not(self) -> str:
        """One sentence why there is nothing to decode; empty where there is."""
        model = self._store.state.model
        if model is None:
            return "No model is loaded yet."
        if model.spec.heads.vocab is None:
            return model.missing.get("vocab", f"{model.name} has no output over the vocabulary.")
        if self._store.state.old:
            return FAILED
        return self._mover.why_not()

    def may_go_on(self) -> bool:
        """Whether anything can follow what was decoded."""
        if self.why_not() or self._store.state.answer is None:
            return False
        return not self._store.state.moves or self._mover.may_go_on()

    # --- moving -----------------------------------------------------------------------------

    def on(self) -> None:
        """The next move: one that is there already, or a new one."""
        if self._wish.later(self.on):
            return
        state = self._store.state
        shown = state.selection.step
        following = 0 if shown is None else shown + 1
        if following < len(state.moves):
            self._move_to(following)
        elif self._tasks.active("decode"):
            self._follows = True
        elif not self.why_not():
            self._new()

    def back(self) -> None:
        step = self._store.state.selection.step
        self.halt()
        self.show(step - 1 if step else None)

    def first(self) -> None:
        """Back to the text; the moves stay."""
        self.halt()
        self.show(None)

    def last(self) -> None:
        """To the end: one move after the other until there are no more."""
        moves = self._store.state.moves
        if self._wish.later(self.last) or self.why_not():
            return
        if moves and not self._mover.may_go_on():
            self._move_to(len(moves) - 1)
        else:
            self._to_the_end = self._follows = True
            if not self._tasks.active("decode"):
                self._new()

    def show(self, step: int | None) -> None:
        """Let every view show a move, None the text itself; one that is on its way stays unseen
        when it comes."""
        self._to_the_end = self._follows = False
        self._move_to(step)

    def _move_to(self, step: int | None) -> None:
        self._store.update(
            together=False,
            selection=replace(self._store.state.selection, step=step, query=None, key=None),
        )

    def play(self) -> None:
        """Play or pause; what was to play once the text is read does not."""
        state = self._store.state
        if state.playing:
            self.halt()
        elif self._wish.given(self.play):
            self._wish.forget()
        elif self._wish.later(self.play):
            return
        elif not self.why_not() and state.answer is not None:
            self._store.update(playing=True)
            self._play.start(1000 // state.decode.speed)
            self._tick()

    def halt(self) -> None:
        """Stop playing; what is there stays."""
        self._wish.forget()
        self._pause()

    def renew(self) -> None:
        """Another run is about to come: what was decoded, or still is, was of the one before. What
        was wished for since is done once it is there."""
        self._pause()
        self._tasks.drop("decode")

    # --- choosing ---------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Strategy, seed, length, speed … A new strategy or seed starts anew; what was decoded
        stays as a branch."""
        state = self._store.state
        choice = replace(state.decode, **changes)
        if choice == state.decode:
            return
        # What has left its search goes on to another length like any other.
        by_hand = self.writer.by_hand
        self._store.update(decode=choice)
        length = state.decode.max_new_tokens if by_hand else choice.max_new_tokens
        if _course(replace(choice, max_new_tokens=length)) != _course(state.decode):
            self._start_anew(state.decode, choice)
        self._play.setInterval(1000 // choice.speed)
        self._say_ending()

    def take(self, token: int, at: int | None = None) -> None:
        """Take this token at move `at` (by default the one that is looked at), whatever the model
        would choose."""
        state = self._store.state
        if self.why_not() or state.answer is None:
            return
        self._interrupt()
        if at is None:
            at = 0 if state.selection.step is None else state.selection.step
        self._mover.take(token, min(at, len(state.moves)))

    def take_at(self, position: int, token: int) -> None:
        """Take this token for a place of the text: the one after `position` of a decoder's
        sequence, or the mask at `position`."""
        if not self.why_not() and self._store.state.answer is not None:
            self._interrupt()
            self._mover.take_at(position, token)

    def revisit(self, branch: int, step: int | None = None) -> None:
        """Go on with another branch, at its last step or at `step`."""
        self._interrupt()
        self.writer.revisit(branch, step)

    def restart(self) -> None:
        """Throw the moves away."""
        self.halt()
        self.forget()

    def forget(self) -> None:
        """Nothing has been decoded."""
        self._tasks.drop("decode")
        selection = replace(self._store.state.selection, step=None)
        self._store.update(**NOTHING_DECODED, selection=selection)

    def _start_anew(self, old: DecodeChoice, new: DecodeChoice) -> None:
        """Nothing is decoded by `new` yet, or what is already comes back. It was the other course
        that was to go on to its end."""
        self._to_the_end = False
        state = self._store.state
        if state.fills or (not state.steps and len(state.tree.branches) == 1):
            self.forget()
            return
        tree = state.tree.holding(state.steps, state.search)
        made = [
            number
            for number, branch in enumerate(tree.branches)
            if branch.steps and branch.choice is not None and _course(branch.choice) == _course(new)
        ]
        if made:
            self.revisit(made[-1])
        else:
            self.forget()
            self._store.update(tree=tree.afresh(old, new))

    def _changed(self, names: frozenset[str]) -> None:
        if "model" in names:  # what played, or went on to the end, was the one before
            self.halt()

    def _pause(self) -> None:
        self._to_the_end = False
        self._play.stop()
        self._store.update(playing=False)

    # --- one move ---------------------------------------------------------------------------

    def _frame(self) -> None:
        """Playing shows every move: it waits for the picture in front of the one before, which a
        frame that is due already must not forestall."""
        if not (self.undrawn() or self._tasks.active("prepare")):
            self._tick()

    def _tick(self) -> None:
        state = self._store.state
        if not state.playing:
            self._play.stop()
            return
        if self._tasks.active("run"):  # it is of another text, which nobody asked to play
            return
        at_end = bool(state.moves) and state.selection.step == len(state.moves) - 1
        if at_end and not self._mover.may_go_on():
            self.halt()
        elif not self._tasks.active("decode"):
            self.on()

    def _new(self) -> None:
        state = self._store.state
        if state.answer is None or (state.moves and not self._mover.may_go_on()):
            self.halt()
        else:
            self._follows = True
            self._mover.new()

    def _made(self) -> None:
        """Another move is there, or other ones are."""
        self._store.settle("decoding")
        self._say_ending()
        if self._to_the_end:
            if self._mover.may_go_on():
                self._new()
            else:
                self._to_the_end = False
                if moves := self._store.state.moves:  # a search shows its first token
                    self._move_to(len(moves) - 1)

    def _interrupt(self) -> None:
        self.halt()
        self._follows = True
        self._tasks.drop("decode")

    def _say_ending(self) -> None:
        self._store.update(ending=self._mover.ending())

    def _decode_failed(self, error: Exception) -> None:
        self.halt()
        self._failed(error)


def _course(choice: DecodeChoice) -> tuple[object, ...]:
    """What the moves depend on; a search also on its length, which other strategies grow by. Not
    the order of an encoder's masks: what is filled stays, and the next fill heeds it."""
    beam = choice.strategy == "beam"
    search = (choice.beams, choice.length_penalty, choice.max_new_tokens) if beam else ()
    return (choice.strategy, choice.seed, *search)

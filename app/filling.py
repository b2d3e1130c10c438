"""How an encoder fills masks, one at a time: decoding that is not autoregression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from app.choices import FillOrder
from app.lanes import GIVING_WAY
from app.store import Answer, Store
from app.tasks import Failed, Job, ShouldStop, Tasks
from core.errors import RequestError

if TYPE_CHECKING:
    from core.decoding import Fill


NOT_AUTOREGRESSION = "Not autoregression: every fill runs the whole text again"
"""Who sees the new word depends on the mask."""


def not_autoregression(answer: Answer) -> str:
    """One sentence about filling masks under the mask that this run obeys."""
    from core.masks import OWN, look_ahead

    choice = answer.request.mask("encoder.self")
    attentions = [block.attention for block in answer.trace.spec.stack("encoder").blocks]
    if max(look_ahead(choice, attention) for attention in attentions) == 0:
        return f"{NOT_AUTOREGRESSION}, though under this mask no token before the new word sees it."
    own = choice.key == OWN and not any(one.causal or one.window for one in attentions)
    if (own or choice.key in ("bidirectional", "padding")) and not (choice.also or choice.blocked):
        return f"{NOT_AUTOREGRESSION}, and each token sees the new word, also the tokens before it."
    seen = "the tokens that the mask lets see the new word do so, also those before it"
    return f"{NOT_AUTOREGRESSION}, and {seen}."


class Fills(Protocol):
    """What filling needs of the core."""

    def fill(
        self,
        answer: Answer,
        fills: tuple[Fill, ...],
        order: FillOrder,
        stop: ShouldStop,
        *,
        forced: tuple[int, int] | None = None,
    ) -> Fill: ...


class Filler:
    """made: told of every change. follows: whether a new fill is to be looked at once it is
    there."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        core: Fills,
        made: Callable[[], None],
        failed: Failed,
        follows: Callable[[], bool],
    ) -> None:
        self._store, self._tasks, self._core = store, tasks, core
        self._made, self._failed, self._follows = made, failed, follows

    def why_not(self) -> str:
        """Why there is nothing to fill."""
        model, answer = self._store.state.model, self._store.state.answer
        if model is None or answer is None or answer.model is not model:
            reading = self._store.state.busy is not None
            return "The text is being read." if reading else "No text has been read yet."
        mask = model.spec.special.mask
        if mask is None:
            return f"{model.name} names no mask token, so there is nothing to fill."
        if mask not in answer.request.source.ids:
            return "An encoder writes nothing on; it fills masks. Click a word to mask it."
        return ""

    def may_go_on(self) -> bool:
        """Whether a mask is still open."""
        state = self._store.state
        assert state.model is not None
        return not state.fills or state.model.spec.special.mask in state.fills[-1].tokens.ids

    def new(self) -> None:
        """Fill the next mask with its likeliest word."""
        self._fill(None, self._store.state.fills)

    def take(self, token: int, at: int) -> None:
        """Fill `at` takes another word; what was filled after it is open again."""
        fills = self._store.state.fills
        if at < len(fills):
            self._fill((fills[at].position, token), fills[:at])

    def take_at(self, position: int, token: int) -> None:
        """Fill the mask at `position` of the text that is looked at."""
        state = self._store.state
        assert state.model is not None
        trace = state.trace
        if trace is None or trace.tokens["encoder"].ids[position] != state.model.spec.special.mask:
            self._failed(RequestError("only a mask can be filled; click the word to mask it first"))
            return
        self._fill((position, token), state.fills[: state.selection.step or 0])

    def ending(self) -> str:
        return "" if self.may_go_on() else "Every mask is filled."

    def _fill(self, forced: tuple[int, int] | None, before: tuple[Fill, ...]) -> None:
        """One more fill after `before`. Until it is there all stays as it is, so that nothing is
        lost where it fails or is cancelled."""
        state = self._store.state
        answer = state.answer
        assert answer is not None

        def work(job: Job) -> Fill:
            return self._core.fill(
                answer, before, state.decode.order, job.should_stop, forced=forced
            )

        def done(fill: Fill) -> None:
            selection = self._store.state.selection
            if forced is not None or self._follows():
                selection = replace(selection, step=fill.index, query=None, key=None)
            self._store.update(fills=(*before, fill), selection=selection)
            self._made()

        self._tasks.submit("decode", work, done, self._failed, over=GIVING_WAY)

"""Decoding one token at a time on the key/value cache, with every step on record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Protocol

from torch import Tensor

from core.decoding import filters, prompt, rules
from core.decoding.scores import scores
from core.decoding.strategies import choose
from core.errors import RequestError
from core.request import Candidate, DecodeRequest, RunRequest, ShouldStop, Step
from core.reuse import moved_by
from core.run import last_position
from core.spec import ModelSpec
from core.tokens import Tokens
from core.trace import Trace

CANDIDATES = 50
"""How many candidates a step keeps ready; its logits hold them all."""


class Pieces(Protocol):
    """What decoding needs of a tokenizer; `target` is the decoder's."""

    @property
    def target(self) -> Pieces: ...

    def piece(self, token: int, /) -> str: ...

    def is_special(self, token: int, /) -> bool: ...

    def stream(self, ids: list[int], /, *, continues: bool = False) -> tuple[str, int]: ...


class Runs(Protocol):
    """What decoding needs of a model (`core.loaded.LoadedModel`)."""

    @property
    def spec(self) -> ModelSpec: ...

    @property
    def tokenizer(self) -> Pieces | None: ...

    def run(
        self,
        request: RunRequest,
        *,
        previous: Trace | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace: ...


class Decoding:
    """A text being continued: step, go back, force a token and go on from there.

    Each step runs one new row on the cache. Going back keeps what was computed; forcing another
    token crops the cache to the rows that are still true. With a mask that lets earlier tokens see
    later ones, or with edits, nothing can be kept, and every step runs the whole text.
    """

    def __init__(
        self, model: Runs, request: DecodeRequest, should_stop: ShouldStop | None = None
    ) -> None:
        prompt.check(model.spec)
        filters.check(request.sampling)
        prompt.check_request(model.spec, request)
        if request.strategy == "beam":
            raise RequestError("beam search keeps several texts at once; use BeamSearch")
        self.model = model
        self.request = request
        self.should_stop = should_stop
        self.steps: list[Step] = []
        self._start = prompt.start(request.run)
        self._trace: Trace | None = None  # of the tokens as they stand, when it is known
        self._forced = dict(request.forced)

    @property
    def tokens(self) -> Tokens:
        """The decoder's sequence so far."""
        return self.steps[-1].tokens if self.steps else self._start

    @property
    def finished(self) -> str | None:
        """Why there is no next step, or None."""
        return self.steps[-1].finished if self.steps else self._at_limit(self._start)

    def step(self) -> Step:
        """Run one row and choose a token. Raises RequestError when decoding has finished."""
        return self._advance(self._forced.get(len(self.steps)))

    def force(self, token: int) -> Step:
        """Take `token` now, whatever the model would choose. Raises RequestError for what is none
        of the model's tokens."""
        prompt.check_token(self.model.spec, token)
        return self._advance(token)

    def back(self, steps: int = 1) -> None:
        """Undo steps; their row is kept, so stepping on from here costs nothing."""
        for _ in range(min(steps, len(self.steps))):
            self._trace = self.steps.pop().trace

    def _advance(self, by_hand: int | None) -> Step:
        if self.finished is not None:
            raise RequestError(f"decoding has ended ({self.finished}); go back to continue")
        trace = self._current()
        logits = scores(trace, last_position(trace.tokens["decoder"]))[0]
        spec, index = self.model.spec, len(self.steps)
        past = rules.past(trace, index)
        fixed = prompt.fixed(spec, self.tokens, index, self.request.max_new_tokens - 1)
        token, seen = by_hand, past.read
        if token is None:
            allowed = prompt.allowed(spec, logits, fixed, past)
            token = choose(filters.closed(logits, allowed), self.request, index, seen)
        else:
            allowed = prompt.open_to(spec, logits, fixed, past)
        step = make_step(
            self.model,
            trace=trace,
            logits=logits,
            generated=[*(s.token for s in self.steps), token],
            before=self.tokens,
            candidates=filters.top(logits, self.request.sampling, CANDIDATES, seen, allowed),
            forced=by_hand is not None,
            fixed=fixed,
            limit=self._at_limit,
        )
        self.steps.append(step)
        self._trace = None
        return step

    def _current(self) -> Trace:
        """The trace of the tokens as they stand."""
        if self._trace is None:
            request = prompt.with_tokens(self.request.run, self.tokens)
            previous = self.steps[-1].trace if self.steps else None
            self._trace = self.model.run(request, previous=previous, should_stop=self.should_stop)
        return self._trace

    def _at_limit(self, tokens: Tokens) -> str | None:
        if len(tokens) - len(self._start) >= self.request.max_new_tokens:
            return f"{self.request.max_new_tokens} new tokens"
        room = prompt.room(self.model.spec, tokens)
        if room is not None and room <= 0:
            limit = self.model.spec.main_stack.max_positions
            return f"the model takes at most {limit} tokens"
        return None


def make_step(
    model: Runs,
    *,
    trace: Trace,
    logits: Tensor,
    generated: list[int],
    before: Tokens,
    candidates: tuple[Candidate, ...],
    forced: bool,
    fixed: int | None,
    limit: Callable[[Tokens], str | None],
) -> Step:
    """The record of one new token: generated[-1], predicted by `logits` after `before`."""
    token, tokenizer = generated[-1], writer(model)
    piece = f"⟨{token}⟩" if tokenizer is None else tokenizer.piece(token)
    text, pending, special = "", 0, False
    if tokenizer is not None:
        # What a lone decoder writes goes on with the prompt: its first space belongs to it.
        text, pending = tokenizer.stream(generated, continues=model.spec.encoder is None)
        special = tokenizer.is_special(token)
    ends = token in model.spec.special.end
    tokens = before.extended(token, piece, special=special or ends)
    cache = None if moved_by(trace) or trace.edited else trace.cache
    surprise, entropy = uncertainty(logits, token)
    return Step(
        index=len(generated) - 1,
        token=token,
        piece=piece,
        probability=float(logits.softmax(-1)[token]),
        surprise=surprise,
        entropy=entropy,
        text=text,
        pending=pending,
        candidates=candidates,
        logits=logits,
        trace=trace,
        tokens=tokens,
        cache_positions=0 if cache is None else cache.positions,
        cache_bytes=0 if cache is None else cache.bytes,
        forced=forced,
        fixed=fixed,
        finished="end token" if ends else limit(tokens),
    )


def writer(model: Runs) -> Pieces | None:
    """What names and spells the tokens a decoder writes."""
    return None if model.tokenizer is None else model.tokenizer.target


def uncertainty(logits: Tensor, token: int) -> tuple[float, float]:
    """(surprise of the token, entropy of the distribution) of logits [vocab], in bits."""
    logs = logits.log_softmax(-1)
    entropy = -(logs.exp() * logs).nan_to_num().sum()  # 0 log 0 = 0
    return -float(logs[token]) / math.log(2), abs(float(entropy)) / math.log(2)


def decode(
    model: Runs, request: DecodeRequest, should_stop: ShouldStop | None = None
) -> Iterator[Step]:
    """Steps until the end token, the length asked for, or the model's limit."""
    decoding = Decoding(model, request, should_stop)
    while decoding.finished is None:
        yield decoding.step()

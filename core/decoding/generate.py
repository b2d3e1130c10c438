"""Decoding one token at a time on the key/value cache, with every step on record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from torch import Tensor

from core.decoding import filters
from core.decoding.strategies import choose
from core.errors import RequestError
from core.request import LAST, DecodeRequest, RunRequest, ShouldStop, Step
from core.run import last_position
from core.spec import ModelSpec
from core.tokens import Tokens
from core.trace import Trace

CANDIDATES = 50
"""How many candidates a step keeps ready; its logits hold them all."""


class Pieces(Protocol):
    """What decoding needs of a tokenizer."""

    def piece(self, token: int, /) -> str: ...

    def stream(self, ids: list[int], /) -> tuple[str, int]: ...


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
    later ones nothing can be kept, and every step runs the whole text.
    """

    def __init__(
        self, model: Runs, request: DecodeRequest, should_stop: ShouldStop | None = None
    ) -> None:
        if model.spec.decoder is None:
            raise RequestError(
                f"{model.spec.name} is encoder-only: it fills masks and does not write on; "
                "choose a decoder-only or an encoder-decoder model to decode"
            )
        if model.spec.heads.vocab is None:
            raise RequestError(f"{model.spec.name} has no vocabulary head, so it cannot decode")
        filters.check(request.sampling)
        self.model = model
        self.request = request
        self.should_stop = should_stop
        self.steps: list[Step] = []
        self._start = _without_right_padding(_decoder_tokens(request.run))
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
        index = len(self.steps)
        return self._advance(self._forced.get(index, self._configured(index)))

    def force(self, token: int) -> Step:
        """Take `token` now, whatever the model would choose."""
        if not 0 <= token < self.model.spec.main_stack.embedding.vocab:
            raise RequestError(
                f"token id {token} is outside the vocabulary of "
                f"{self.model.spec.main_stack.embedding.vocab} entries"
            )
        return self._advance(token)

    def back(self, steps: int = 1) -> None:
        """Undo steps; their row is kept, so stepping on from here costs nothing."""
        for _ in range(min(steps, len(self.steps))):
            self._trace = self.steps.pop().trace

    def _advance(self, forced: int | None) -> Step:
        if self.finished is not None:
            raise RequestError(f"decoding has ended ({self.finished}); go back to continue")
        trace = self._current()
        logits = trace.logits_at(last_position(trace.tokens["decoder"]))[0]
        token = choose(self._open(logits), self.request, len(self.steps))
        token = token if forced is None else forced
        step = self._record(trace, logits, token, forced is not None)
        self.steps.append(step)
        self._trace = None
        return step

    def _current(self) -> Trace:
        """The trace of the tokens as they stand."""
        if self._trace is None:
            request = _with_tokens(self.request.run, self.tokens)
            previous = self.steps[-1].trace if self.steps else None
            self._trace = self.model.run(request, previous=previous, should_stop=self.should_stop)
        return self._trace

    def _record(self, trace: Trace, logits: Tensor, token: int, forced: bool) -> Step:
        tokenizer = self.model.tokenizer
        generated = [*(s.token for s in self.steps), token]
        piece = f"⟨{token}⟩" if tokenizer is None else tokenizer.piece(token)
        text, pending = ("", 0) if tokenizer is None else tokenizer.stream(generated)
        special = self.model.spec.special
        ends = token in special.end
        tokens = self.tokens.extended(token, piece, special=ends)
        cache = trace.cache
        return Step(
            index=len(self.steps),
            token=token,
            piece=piece,
            probability=float(logits.softmax(-1)[token]),
            text=text,
            pending=pending,
            candidates=filters.top(logits, self.request.sampling, CANDIDATES),
            logits=logits,
            trace=trace,
            tokens=tokens,
            cache_positions=0 if cache is None else cache.positions,
            cache_bytes=0 if cache is None else cache.bytes,
            forced=forced,
            finished="end token" if ends else self._at_limit(tokens),
        )

    def _at_limit(self, tokens: Tokens) -> str | None:
        limit = self.model.spec.main_stack.max_positions
        if len(tokens) - len(self._start) >= self.request.max_new_tokens:
            return f"{self.request.max_new_tokens} new tokens"
        real = len(tokens) - sum(tokens.padding)
        if limit is not None and real > limit:
            return f"the model takes at most {limit} tokens"
        return None

    def _configured(self, index: int) -> int | None:
        """Some models' configuration fixes the first generated token (mBART: the language)."""
        return self.model.spec.special.forced_first if index == 0 else None

    def _open(self, logits: Tensor) -> Tensor:
        suppressed = list(self.model.spec.special.suppressed)
        if not suppressed:
            return logits
        closed = logits.clone()
        closed[suppressed] = float("-inf")
        return closed


def decode(
    model: Runs, request: DecodeRequest, should_stop: ShouldStop | None = None
) -> Iterator[Step]:
    """Steps until the end token, the length asked for, or the model's limit."""
    decoding = Decoding(model, request, should_stop)
    while decoding.finished is None:
        yield decoding.step()


def _decoder_tokens(run: RunRequest) -> Tokens:
    return run.source if run.target is None else run.target


def _with_tokens(run: RunRequest, tokens: Tokens) -> RunRequest:
    wants = run.wants | {LAST}
    if run.target is None:
        return replace(run, source=tokens, wants=wants)
    return replace(run, target=tokens, wants=wants)


def _without_right_padding(tokens: Tokens) -> Tokens:
    """New tokens follow the text, not its padding."""
    end = last_position(tokens) + 1
    if end == len(tokens):
        return tokens
    cut = {
        name: getattr(tokens, name)[:end]
        for name in ("ids", "pieces", "spans", "segments", "sequence", "special", "padding")
    }
    return replace(tokens, **cut)

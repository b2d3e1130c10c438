"""Filling masked words one at a time with an encoder: decoding that is not autoregression.

Every fill changes the whole text, so every step runs the whole text again; nothing is cached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import torch
from torch import Tensor

from core.decoding import filters, prompt
from core.decoding.generate import CANDIDATES, Runs, uncertainty
from core.decoding.scores import scores
from core.errors import RequestError
from core.request import MASKED, Candidate, RunRequest, Sampling, ShouldStop
from core.tokens import Tokens
from core.trace import Trace

Order = Literal["confident", "left-to-right"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fill:
    """One mask filled.

    position: where. confidence: the probability of the likeliest word at every mask that was open,
    as (position, probability). surprise, entropy: of the word and before it, in bits. candidates:
    the model's likeliest tokens; the mask itself fills none, so it is marked ruled out there.
    trace: the run that predicted the word; tokens: the text after it.
    """

    index: int
    position: int
    token: int
    piece: str
    probability: float
    surprise: float
    entropy: float
    candidates: tuple[Candidate, ...]
    confidence: tuple[tuple[int, float], ...]
    logits: Tensor
    trace: Trace
    tokens: Tokens
    forced: bool = False


class Filling:
    """Fills the [MASK]s of a text, the most confident first or from left to right."""

    def __init__(
        self,
        model: Runs,
        run: RunRequest,
        *,
        order: Order = "confident",
        should_stop: ShouldStop | None = None,
    ) -> None:
        spec = model.spec
        if spec.decoder is not None or spec.heads.vocab is None:
            raise RequestError(f"{spec.name} fills no masks; it takes a masked-word encoder")
        if spec.special.mask is None:
            raise RequestError(f"{spec.name} names no mask token, so there is nothing to fill")
        if order not in get_args(Order):
            known = ", ".join(get_args(Order))
            raise RequestError(f"there is no order {order!r}; there are {known}")
        self.model = model
        self.order = order
        self.should_stop = should_stop
        self.steps: list[Fill] = []
        self._run = run
        self._mask = spec.special.mask
        if not self.open:
            raise RequestError("the text has no mask; put a mask in place of a word to fill it")

    @property
    def tokens(self) -> Tokens:
        """The text as it stands."""
        return self.steps[-1].tokens if self.steps else self._run.source

    @property
    def open(self) -> tuple[int, ...]:
        """Positions still masked."""
        return tuple(i for i, token in enumerate(self.tokens.ids) if token == self._mask)

    @property
    def finished(self) -> str | None:
        return None if self.open else "every mask is filled"

    def step(self) -> Fill:
        """Run the text and fill one mask with its likeliest word."""
        trace = self._trace()
        confidence = self._confidence(trace)
        first = max(confidence, key=lambda pair: pair[1]) if self.order == "confident" else None
        position = confidence[0][0] if first is None else first[0]
        token = int(self._words(scores(trace, position))[0].argmax())
        return self._fill(trace, confidence, position, token, forced=False)

    def force(self, position: int, token: int) -> Fill:
        """Fill the mask at `position` with a word of one's own choice. Raises RequestError for what
        is none of the model's tokens, and for the mask itself."""
        prompt.check_token(self.model.spec, token)
        if token == self._mask:
            raise RequestError(f"token id {token} is the mask itself, which fills no mask")
        if position not in self.open:
            raise RequestError(f"position {position} is not masked; masked are {self.open}")
        trace = self._trace()
        return self._fill(trace, self._confidence(trace), position, token, forced=True)

    def back(self, steps: int = 1) -> None:
        """Open the last filled masks again."""
        del self.steps[len(self.steps) - min(steps, len(self.steps)) :]

    def _trace(self) -> Trace:
        if self.finished is not None:
            raise RequestError(f"filling has ended ({self.finished}); go back to continue")
        wants = self._run.wants | {MASKED}
        request = replace(self._run, source=self.tokens, wants=wants)
        return self.model.run(request, should_stop=self.should_stop)

    def _confidence(self, trace: Trace) -> tuple[tuple[int, float], ...]:
        best = self._words(scores(trace, *self.open).softmax(-1)).max(-1).values
        return tuple(zip(self.open, best.tolist(), strict=True))

    def _words(self, values: Tensor) -> Tensor:
        """[mask, vocab] with the mask's own below all others: it would leave the mask open."""
        return values.index_fill(-1, torch.tensor([self._mask]), float("-inf"))

    def _candidates(self, logits: Tensor) -> tuple[Candidate, ...]:
        found = filters.top(logits, Sampling(), CANDIDATES)
        return tuple(
            replace(one, kept=0.0, ruled_out=True) if one.token == self._mask else one
            for one in found
        )

    def _fill(
        self,
        trace: Trace,
        confidence: tuple[tuple[int, float], ...],
        position: int,
        token: int,
        *,
        forced: bool,
    ) -> Fill:
        logits = trace.logits_at(position)[0]
        tokenizer = self.model.tokenizer
        piece = f"⟨{token}⟩" if tokenizer is None else tokenizer.piece(token)
        surprise, entropy = uncertainty(logits, token)
        step = Fill(
            index=len(self.steps),
            position=position,
            token=token,
            piece=piece,
            probability=float(logits.softmax(-1)[token]),
            surprise=surprise,
            entropy=entropy,
            candidates=self._candidates(logits),
            confidence=confidence,
            logits=logits,
            trace=trace,
            tokens=self.tokens.replaced(position, token, piece),
            forced=forced,
        )
        self.steps.append(step)
        return step

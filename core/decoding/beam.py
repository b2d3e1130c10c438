"""Beam search, with every hypothesis kept: its score, where it was dropped, and why.

The procedure and its scores are those of transformers' `generate` (num_beams, length_penalty, and
the checkpoint's early_stopping). Each hypothesis has a trace of its own, continued from its
parent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Literal

import torch
from torch import Tensor

from core.arguments import whole_number
from core.decoding import filters, prompt, rules
from core.decoding.generate import CANDIDATES, Runs, make_step, writer
from core.decoding.scores import scores
from core.errors import RequestError
from core.request import DecodeRequest, Sampling, ShouldStop, Step
from core.run import last_position
from core.tokens import Tokens
from core.trace import Trace

_LARGEST_POWER = 690.0
"""e to this, times any log-probability, is a number still, and so is 1 divided by it."""
Fate = Literal["kept", "ended", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One continuation that was considered; a node of the tree.

    id counts from 0 in the order of consideration; parent is None below the prompt. index: the step
    that added `token`. log_probability: sum over its tokens. score: divided by length **
    length_penalty. fate and why: what became of it at this step ("kept" goes on; whether one of
    its continuations survived is told by `BeamSearch.path`).
    """

    id: int
    parent: int | None
    index: int
    token: int
    log_probability: float
    score: float
    fate: Fate
    why: str


class BeamSearch:
    """Keeps the `beams` likeliest unfinished texts and the `beams` best finished ones.

    Where the request forces a token at a step, every hypothesis goes on with that one. Where the
    settings let nothing follow any of them, the search ends with the finished ones; if there are
    none, with those that it has. sampling: the request's repetition penalty alone; nothing is
    drawn, so there is nothing to narrow.
    """

    def __init__(
        self, model: Runs, request: DecodeRequest, should_stop: ShouldStop | None = None
    ) -> None:
        prompt.check(model.spec)
        filters.check(request.sampling)
        prompt.check_request(model.spec, request)
        if whole_number(request.beams, "the number of beams") < 1:
            raise RequestError(f"{request.beams} beams were asked for; there must be at least 1")
        self.model = model
        self.request = request
        self.should_stop = should_stop
        self.nodes: list[Hypothesis] = []
        self.alive: list[int | None] = [None]  # node ids, best first; None is the bare prompt
        self.ended: list[int] = []  # node ids, best score first, at most `beams`
        self.finished: str | None = None
        self._children: dict[tuple[int | None, int], int] = {}
        self._forced = dict(request.forced)
        self.sampling = Sampling(repetition_penalty=request.sampling.repetition_penalty)
        self._start = prompt.start(request.run)
        self._traces: dict[int | None, Trace] = {}
        room = prompt.room(model.spec, self._start)
        self._most = request.max_new_tokens if room is None else min(request.max_new_tokens, room)
        if self._most < 1:
            self.finished = "there is no room for another token"
        else:
            _check_penalty(request.length_penalty, self._most)

    @property
    def index(self) -> int:
        """The step to come."""
        return 0 if not self.nodes else self.nodes[-1].index + 1

    def step(self) -> tuple[Hypothesis, ...]:
        """Extend every live hypothesis by one token; returns the candidates, best first: none where
        nothing may follow, and RequestError where nothing may follow the prompt."""
        if self.finished is not None:
            raise RequestError(f"beam search has ended ({self.finished})")
        index, beams = self.index, self.request.beams
        totals = torch.stack([self._totals(node, index) for node in self.alive])
        vocab = totals.shape[-1]
        # With so many, `beams` of them do not end even if each end token comes first.
        wide = max(2, 1 + len(self.model.spec.special.end)) * beams
        best = totals.flatten().topk(min(wide, totals.numel()))
        candidates: list[Hypothesis] = []
        alive: list[int | None] = []
        ended = list(self.ended)
        last = index + 1 >= self._most
        for rank, (total, place) in enumerate(
            zip(best.values.tolist(), best.indices.tolist(), strict=True)
        ):
            if total == float("-inf"):
                break  # a forced token leaves no other, and the rest are no likelier
            parent, token = self.alive[place // vocab], place % vocab
            ends = last or token in self.model.spec.special.end
            score = total / (index + 1) ** self.request.length_penalty
            node_id = len(self.nodes) + len(candidates)
            fate: Fate = "dropped"
            if ends and rank < beams:
                fate, why = "ended", f"score {score:z.3f}"
                ended.append(node_id)
            elif ends:
                how = "ended" if token in self.model.spec.special.end else "was cut"
                why = f"{how} as number {rank + 1}; only the first {beams} stay"
            elif len(alive) < beams:
                fate, why = "kept", f"number {len(alive) + 1} of {beams}"
                alive.append(node_id)
            else:
                why = f"number {rank + 1}; {beams} likelier ones go on"
            candidates.append(
                Hypothesis(
                    id=node_id,
                    parent=parent,
                    index=index,
                    token=token,
                    log_probability=total,
                    score=score,
                    fate=fate,
                    why=why,
                )
            )
        if not candidates:
            self._end_here()
            return ()
        self.nodes.extend(candidates)
        self._children |= {(node.parent, node.token): node.id for node in candidates}
        self.ended = sorted(ended, key=lambda n: -self.nodes[n].score)[:beams]
        self.alive = alive
        self.finished = self._why_finished(index + 1, last)
        return tuple(candidates)

    def run(self) -> tuple[Hypothesis, ...]:
        """Step to the end; returns `best`."""
        while self.finished is None:
            self.step()
        return self.best

    @property
    def best(self) -> tuple[Hypothesis, ...]:
        """The finished hypotheses, best score first."""
        return tuple(self.nodes[n] for n in self.ended)

    def path(self, node: int) -> tuple[Hypothesis, ...]:
        """From the first generated token to this one."""
        found: list[Hypothesis] = []
        at: int | None = node
        while at is not None:
            found.append(self.nodes[at])
            at = self.nodes[at].parent
        return tuple(reversed(found))

    def find(self, tokens: Sequence[int]) -> int | None:
        """The hypothesis that consists of these tokens; None where it was never considered."""
        at: int | None = None
        for token in tokens:
            at = self._children.get((at, token))
            if at is None:
                return None
        return at

    def tokens(self, node: int | None) -> Tokens:
        """The decoder's whole sequence up to this hypothesis."""
        return self._start if node is None else self.steps(node)[-1].tokens

    def steps(self, node: int) -> tuple[Step, ...]:
        """The path as decoding steps, each with the trace that predicted it, and its candidates
        weighed as the search weighs them."""
        found: list[Step] = []
        before = self._start
        for hypothesis in self.path(node):
            trace = self._trace(hypothesis.parent, before)
            logits = _last_logits(trace)
            fixed = self._fixed(before, hypothesis.index)
            past = rules.past(trace, hypothesis.index)
            step = make_step(
                self.model,
                trace=trace,
                logits=logits,
                generated=[*(s.token for s in found), hypothesis.token],
                before=before,
                candidates=filters.top(
                    self.weighed(logits),
                    self.sampling,
                    CANDIDATES,
                    past.read,
                    prompt.open_to(self.model.spec, logits, fixed, past),
                ),
                forced=hypothesis.index in self._forced,
                fixed=fixed,
                limit=lambda tokens: None,
            )
            found.append(step)
            before = step.tokens
        return tuple(found)

    def weighed(self, logits: Tensor) -> Tensor:
        """[vocab], what `sampling` acts on in a search: log-probabilities, not logits."""
        return logits.log_softmax(-1)

    def ran(self, trace: Trace) -> bool:
        """Whether this run is one of the search's own, and not of a token taken by hand since."""
        return any(trace is own for own in self._traces.values())

    def _totals(self, node: int | None, index: int) -> Tensor:
        """[vocab]: log-probability of the hypothesis with each next token."""
        tokens = self._extended(node)
        trace = self._trace(node, tokens)
        logits, past = _last_logits(trace), rules.past(trace, index)
        fixed = self._fixed(tokens, index)
        forced = self._forced.get(index)
        if forced is not None:
            step = _only(forced, logits.log_softmax(-1))
        elif fixed is not None:
            step = _only(fixed, torch.zeros_like(logits))
        else:
            allowed = prompt.open_to(self.model.spec, logits, None, past)
            if allowed is not None and not allowed.any():
                return torch.full_like(logits, float("-inf"))
            open_ = filters.closed(self.weighed(logits), allowed)
            step = filters.penalised(open_, self.sampling, past.read)
            step = step.log_softmax(-1) if self.model.spec.renormalised else step
        return step + (0.0 if node is None else self.nodes[node].log_probability)

    def _end_here(self) -> None:
        """Nothing may follow what is live: the texts that have ended count, as in the reference, or
        where there are none the live ones (the reference then writes on against the settings)."""
        if not self.ended:
            live = [n for n in self.alive if n is not None]
            if not live:
                raise prompt.dead_end(self.model.spec)
            for n in live:
                why = f"score {self.nodes[n].score:z.3f}, as nothing may follow"
                self.nodes[n] = replace(self.nodes[n], fate="ended", why=why)
            self.ended = live
        self.alive = []
        self.finished = "the settings rule out every further token"

    def _fixed(self, tokens: Tokens, index: int) -> int | None:
        return prompt.fixed(self.model.spec, tokens, index, self._most - 1)

    def _extended(self, node: int | None) -> Tokens:
        """The tokens of a hypothesis, without building its steps."""
        tokens, names = self._start, writer(self.model)
        if node is not None:
            for hypothesis in self.path(node):
                token = hypothesis.token
                piece = f"⟨{token}⟩" if names is None else names.piece(token)
                tokens = tokens.extended(token, piece)
        return tokens

    def _trace(self, node: int | None, tokens: Tokens) -> Trace:
        if node not in self._traces:
            parent = None if node is None else self._traces.get(self.nodes[node].parent)
            self._traces[node] = self.model.run(
                prompt.with_tokens(self.request.run, tokens),
                previous=parent,
                should_stop=self.should_stop,
            )
        return self._traces[node]

    def _why_finished(self, length: int, last: bool) -> str | None:
        if last:
            return f"{length} new tokens"
        if not self.alive:
            return "every hypothesis has ended"
        early, penalty = self.model.spec.early_stopping, self.request.length_penalty
        if len(self.ended) < self.request.beams:
            return None
        if early is True:
            return f"{self.request.beams} hypotheses have ended"
        lead = self.alive[0]
        assert lead is not None
        # The best that its likeliest text could become; "never": were the rest of it certain.
        at_most = self._most if early == "never" and penalty > 0 else length
        hope = self.nodes[lead].log_probability / at_most**penalty
        worst = self.nodes[self.ended[-1]].score
        if hope > worst:
            return None
        return f"no live hypothesis can beat the finished ones ({hope:z.3f} against {worst:z.3f})"


def _check_penalty(penalty: float, most: int) -> None:
    """RequestError where length ** penalty would be no number: too large, or nothing."""
    bound = int(_LARGEST_POWER / log(most)) if most > 1 else None
    if bound is not None and abs(penalty) > bound:
        raise RequestError(
            f"length_penalty is {penalty:g}; with {most} new tokens it must be between "
            f"{-bound} and {bound}"
        )


def _only(token: int, logs: Tensor) -> Tensor:
    """Log-probabilities [vocab] with every other token at minus infinity."""
    return torch.full_like(logs, float("-inf")).index_copy(
        0, torch.tensor([token]), logs[token, None]
    )


def _last_logits(trace: Trace) -> Tensor:
    return scores(trace, last_position(trace.tokens["decoder"]))[0]

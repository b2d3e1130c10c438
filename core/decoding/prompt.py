"""What decoding starts from, and what the model's configuration fixes of its course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import torch
from torch import Tensor

from core.arguments import check_finite, whole_number
from core.decoding.rules import Past, forbidden
from core.errors import RequestError
from core.request import LAST, DecodeRequest, RunRequest, Strategy
from core.run import check as check_run
from core.run import last_position
from core.spec import ModelSpec
from core.tokens import Tokens


def check(spec: ModelSpec) -> None:
    """RequestError unless the model can continue a text."""
    if spec.decoder is None:
        raise RequestError(
            f"{spec.name} is encoder-only: it fills masks and does not write on; "
            "choose a decoder-only or an encoder-decoder model to decode"
        )
    if spec.heads.vocab is None:
        raise RequestError(f"{spec.name} has no vocabulary head, so it cannot decode")


def check_request(spec: ModelSpec, request: DecodeRequest) -> None:
    """RequestError unless the text fits the model, the strategy is known, at least one token is
    asked for and the tokens forced by hand are tokens."""
    check_run(spec, request.run)
    known = get_args(Strategy)
    if request.strategy not in known:
        raise RequestError(
            f"there is no strategy {request.strategy!r}; there are {', '.join(known)}"
        )
    whole_number(request.seed, "the seed")
    if whole_number(request.max_new_tokens, "max_new_tokens") < 1:
        raise RequestError(
            f"{request.max_new_tokens} new tokens were asked for; there must be at least 1"
        )
    check_finite("length_penalty", request.length_penalty)
    for choice in request.forced:
        _check_forced(spec, choice)


def _check_forced(spec: ModelSpec, choice: object) -> None:
    if not isinstance(choice, Sequence) or len(choice) != 2:
        raise RequestError(
            f"{choice!r} is no choice to force; it must be a step's index and a token id"
        )
    index, token = choice
    if whole_number(index, "the step") < 0:
        raise RequestError(f"a token is forced at step {index}; steps count from 0")
    check_token(spec, token)


def check_token(spec: ModelSpec, token: int) -> None:
    """RequestError unless the model could write this token."""
    vocab = spec.main_stack.embedding.vocab
    if not 0 <= whole_number(token, "the token id") < vocab:
        raise RequestError(f"token id {token} is outside the vocabulary of {vocab} entries")


def start(run: RunRequest) -> Tokens:
    """The decoder's sequence without right padding: new tokens follow the text."""
    tokens = run.source if run.target is None else run.target
    end = last_position(tokens) + 1
    if end == len(tokens):
        return tokens
    cut = {
        name: getattr(tokens, name)[:end]
        for name in ("ids", "pieces", "spans", "segments", "sequence", "special", "padding")
    }
    return replace(tokens, **cut)


def with_tokens(run: RunRequest, tokens: Tokens) -> RunRequest:
    """The same run over another decoder sequence, wanting its last logits."""
    wants = run.wants | {LAST}
    if run.target is None:
        return replace(run, source=tokens, wants=wants)
    return replace(run, target=tokens, wants=wants)


def fixed(spec: ModelSpec, tokens: Tokens, index: int, last: int) -> int | None:
    """The token the configuration fixes after `tokens`, at step `index` of 0 … last, or None:
    mBART's language behind the decoder's start, BART's end token last."""
    if index == last and spec.special.forced_last is not None:
        return spec.special.forced_last
    return fixed_after(spec, tokens.real())


def fixed_after(spec: ModelSpec, read: int) -> int | None:
    """The token that is fixed behind the first `read` tokens, padding not counted."""
    return spec.special.forced_first if read == 1 else None


def allowed(spec: ModelSpec, logits: Tensor, fixed: int | None, past: Past) -> Tensor | None:
    """[vocab], true where the configuration lets a token of logits [vocab] follow `past`; None
    where it lets all, RequestError where none. fixed: the only one, as `fixed` tells."""
    found = open_to(spec, logits, fixed, past)
    if found is not None and not found.any():
        raise dead_end(spec)
    return found


def dead_end(spec: ModelSpec) -> RequestError:
    """What to raise where a token has to be chosen and none may follow."""
    return RequestError(f"{spec.name} cannot write on: its settings rule out every token here")


def open_to(spec: ModelSpec, logits: Tensor, fixed: int | None, past: Past) -> Tensor | None:
    """The same where nothing has to be chosen: all false where none may follow."""
    if fixed is not None:
        only = logits.new_zeros(logits.shape, dtype=torch.bool)
        only[fixed] = True
        return only
    out = [token for token in forbidden(spec, past) if token < len(logits)]
    if not out:
        return None
    rest = logits.new_ones(logits.shape, dtype=torch.bool)
    rest[out] = False
    return rest


def room(spec: ModelSpec, tokens: Tokens) -> int | None:
    """How many tokens may still follow, None when nothing bounds it. The token after the last
    position can be predicted but not read."""
    limit = spec.main_stack.max_positions
    return None if limit is None else limit + 1 - (len(tokens) - sum(tokens.padding))

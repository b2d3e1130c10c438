"""What decoding starts from, and what the model's configuration fixes of its course."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from core.arguments import whole_number
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
    """RequestError unless the text fits the model, the strategy is known and at least one token is
    asked for."""
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
    read = len(tokens) - sum(tokens.padding)
    return spec.special.forced_first if read == 1 else None


def room(spec: ModelSpec, tokens: Tokens) -> int | None:
    """How many tokens may still follow, None when nothing bounds it. The token after the last
    position can be predicted but not read."""
    limit = spec.main_stack.max_positions
    return None if limit is None else limit + 1 - (len(tokens) - sum(tokens.padding))

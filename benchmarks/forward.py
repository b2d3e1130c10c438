"""A forward pass with everything captured, beside the reference's bare one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch

from benchmarks import models
from benchmarks.measure import Row, paired, seconds
from benchmarks.models import Pair
from core.request import ALL, LAST, MASKED, RunRequest
from core.tokens import Tokens


def rows(*, quick: bool = False) -> Iterator[Row]:
    repeats = 5 if quick else 31
    for make in (models.gpt2, models.bert):
        pair = make()
        for count in (64, 128) if quick else (64, 256, 512):
            yield from _against_reference(pair, count, repeats)
        yield from _against_transformer_lens(pair, repeats)
        if pair.stack == "decoder":
            yield _one_more_word(pair, 128, repeats)
    if not quick:
        yield from _long(4096, 3)


def _against_reference(pair: Pair, count: int, repeats: int) -> Iterator[Row]:
    ids = pair.ids(count)

    @torch.inference_mode()
    def reference() -> object:
        return pair.reference(ids).logits

    few = LAST if pair.stack == "decoder" else MASKED
    for wants, what, goal in ((ALL, "all logits", 0.95), (few, "one position's logits", 0.80)):
        request = pair.request(count, wants)
        if wants == MASKED:
            request = _with_mask(pair, count)
        yield paired(
            f"{pair.name}, {count} tokens, everything captured, {what} / transformers bare",
            partial(pair.ours.run, request),
            reference,
            goal=goal,
            repeats=repeats,
        )


def _with_mask(pair: Pair, count: int) -> RunRequest:
    """A text with one [MASK], so that one row of logits is wanted."""
    request = pair.request(count, MASKED)
    mask = pair.ours.spec.special.mask
    if mask is None:
        return request
    ids = (*request.source.ids[:5], mask, *request.source.ids[6:])
    return replace(request, source=replace(request.source, ids=ids))


def _against_transformer_lens(pair: Pair, repeats: int) -> Iterator[Row]:
    """TransformerLens' run_with_cache on the same shape, where that package is installed."""
    bridge = models.transformer_lens(pair)
    if bridge is None:
        return
    for count in (64, 256, 512):
        ids, request = pair.ids(count), pair.request(count, ALL)

        @torch.inference_mode()
        def theirs(ids: torch.Tensor = ids) -> object:
            return bridge.run_with_cache(ids)

        yield paired(
            f"{pair.name}, {count} tokens, everything captured / TransformerLens run_with_cache",
            partial(pair.ours.run, request),
            theirs,
            goal=0.80,
            repeats=repeats,
        )


def _one_more_word(pair: Pair, count: int, repeats: int) -> Row:
    """Typing at the end of a text: the prefix is not run again."""
    longer, full = pair.request(count + 1, LAST), pair.request(count, LAST)
    shorter = _first(longer, count)
    known = pair.ours.run(shorter)
    return paired(
        f"{pair.name}, one more word after {count} tokens / the full run",
        lambda: pair.ours.run(longer, previous=known),
        lambda: pair.ours.run(full),
        goal=0.35,
        repeats=repeats,
    )


def _first(request: RunRequest, count: int) -> RunRequest:
    return replace(request, source=Tokens.of_ids(request.source.ids[:count]))


def _long(count: int, repeats: int) -> Iterator[Row]:
    """At thousands of tokens: capture beside the bare forward, and what one head's map costs."""
    pair = models.gpt2(positions=count)
    request, ids = pair.request(count, LAST), pair.ids(count)

    @torch.no_grad()
    def bare() -> object:
        network = pair.ours.network
        return network.vocab_logits(network.decode(ids)[:, -1:])

    yield paired(
        f"{pair.name}, {count} tokens, everything captured / own forward without capture",
        lambda: pair.ours.run(request),
        bare,
        goal=1.05,
        repeats=repeats,
    )
    trace = pair.ours.run(request)
    forward = seconds(lambda: pair.ours.run(request))
    one_head = min(seconds(partial(trace.pattern, "decoder.self", 5, head)) for head in range(3))
    yield Row(
        name=f"{pair.name}, {count} tokens, one head's map / the forward",
        ratio=one_head / forward,
        goal=0.01,
        detail=f"{1000 * one_head:.3g} ms / {1000 * forward:.3g} ms",
    )

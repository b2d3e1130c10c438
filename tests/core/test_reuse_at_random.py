"""Whatever is typed, masked, padded and stopped in a row, a run that reuses the one before it says
what a fresh run says."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.errors import Cancelled
from core.masks import MaskChoice, choose
from core.model import Transformer
from core.request import ALL, RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace
from tests.core import tiny

LONGEST = 10
CHOICES = (
    MaskChoice(),
    choose("sliding_window", window=2),
    choose("prefix", prefix=4),
    choose("prefix", prefix=7),
    choose("causal") | choose("prefix", prefix=6),
    choose("causal") & choose("no_self"),
    MaskChoice(key="causal", blocked=((2, 0), (3, 3))),
)


def windowed() -> Transformer:
    """A layer that sees all before, one that sees three; relative position buckets."""
    positions = tiny.POSITIONS["buckets"]
    windows = (None, 3)
    return tiny.decoder(
        *(tiny.block(tiny.attention(causal=True, positions=positions, window=w)) for w in windows)
    )


def typed(ids: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    """Words appended, deleted at the end or changed, never to nothing."""
    match rng.choice(("append", "append", "append", "delete", "change", "change", "same")):
        case "append":
            more = (rng.randrange(4, tiny.VOCAB) for _ in range(rng.randint(1, 2)))
            return (*ids, *more)[:LONGEST]
        case "delete":
            return ids[: max(1, len(ids) - rng.randint(1, 3))]
        case "change":
            place = rng.randrange(len(ids))
            return (*ids[:place], rng.randrange(4, tiny.VOCAB), *ids[place + 1 :])
    return ids


def retyped(tokens: Tokens, rng: random.Random) -> Tokens:
    """Another text, with the padding in front as it was or padded anew."""
    real = typed(tuple(tokens.ids[i] for i in range(len(tokens)) if not tokens.padding[i]), rng)
    side, more = "left", tokens.padding.index(False)
    if rng.random() < 0.4:
        side, more = rng.choice(("left", "left", "right")), rng.choice((0, 1, 2, 4))
    return Tokens.of_ids(real).padded(len(real) + more, pad=0, piece="p", side=side)


def first_of(network: Transformer, rng: random.Random) -> RunRequest:
    both = network.spec.encoder is not None
    text = Tokens.of_ids(tiny.ids(rng.randint(1, 4)))
    return RunRequest(
        source=Tokens.of_ids(tiny.ids(4)) if both else text,
        target=text if both else None,
        masks=(("decoder.self", masked(rng)),),
        wants=frozenset({ALL}),
    )


def masked(rng: random.Random) -> MaskChoice:
    return replace(rng.choice(CHOICES), hide_padding=rng.random() < 0.5)


def asked(before: RunRequest, rng: random.Random) -> RunRequest:
    """The request before, with another text and now and then another mask."""
    masks = (("decoder.self", masked(rng)),) if rng.random() < 0.2 else before.masks
    read = before.source if before.target is None else before.target
    text = retyped(read, rng)
    if before.target is None:
        return replace(before, source=text, masks=masks)
    source = retyped(before.source, rng) if rng.random() < 0.2 else before.source
    return replace(before, source=source, target=text, masks=masks)


def stopped(network: Transformer, request: RunRequest, previous: Trace, rng: random.Random) -> None:
    """Start a run and give it up after some of its parts."""
    left = rng.randrange(20)

    def now() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        run(network, request, previous=previous, should_stop=now)
    except Cancelled:
        return


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("make", [tiny.decoder, windowed, tiny.encoder_decoder])
def test_reused_rows_are_those_of_a_fresh_run(make: Callable[[], Transformer], seed: int) -> None:
    rng, network = random.Random(seed), make()
    traces = [run(network, first_of(network, rng))]
    for _ in range(12):
        # Mostly the newest run goes on; an earlier one does after going back.
        previous = rng.choice(traces) if rng.random() < 0.2 else traces[-1]
        if rng.random() < 0.5:
            stopped(network, asked(previous.request, rng), previous, rng)
        request = asked(previous.request, rng)
        found, fresh = run(network, request, previous=previous), run(network, request)
        assert list(found.sites()) == list(fresh.sites())
        assert (found.logits - fresh.logits).abs().max() <= 1e-4, request
        for site in fresh.sites():
            if site.endswith((".k", ".resid.out", ".norm.ffn")):
                assert (found[site] - fresh[site]).abs().max() <= 1e-4, site
        traces.append(found)

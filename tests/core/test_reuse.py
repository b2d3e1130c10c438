"""What a run keeps of the one before it, and what it must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from core.decoding import Decoding
from core.decoding.verify import verify
from core.errors import Cancelled
from core.masks import MaskChoice, choose
from core.model import Transformer
from core.request import DecodeRequest, RunRequest
from core.run import run
from core.tokens import Tokens
from tests.core import tiny
from tests.core.decoding_steps import finish


def test_one_more_token_reuses_the_prefix_and_equals_the_full_run() -> None:
    network = tiny.decoder()
    first = tiny.trace(network, tiny.ids(10))
    more = tiny.trace(network, tiny.ids(12), previous=first)
    full = tiny.trace(network, tiny.ids(12))
    assert more.captured["decoder.0.ffn.out"].own.shape[0] == 2  # only two rows were computed
    for site in full.sites():
        assert (more[site] - full[site]).abs().max() <= 1e-5, site
    assert (more.logits - full.logits).abs().max() <= 1e-4
    assert (
        first.pattern("decoder.self", 2) - full.pattern("decoder.self", 2)[:, :10, :10]
    ).abs().max() <= 1e-5


def test_a_longer_run_writes_nothing_into_an_earlier_one() -> None:
    network = tiny.decoder()
    first = tiny.trace(network, tiny.ids(10))
    before = {site: first[site].clone() for site in first.sites()}
    changed = [*tiny.ids(10)[:6], 5, 4, 3, 2, 1]
    assert tiny.trace(network, changed, previous=first).cache is not first.cache
    assert all(torch.equal(first[site], value) for site, value in before.items())


def test_a_changed_word_reuses_only_what_stands_before_it() -> None:
    network = tiny.decoder()
    old = tiny.ids(10)
    new = [*old[:6], 5, *old[7:]]
    first = tiny.trace(network, old)
    branch = tiny.trace(network, new, previous=first)
    again = tiny.trace(network, [*old, 9], previous=first)  # the cache has moved on meanwhile
    for found, ids in ((branch, new), (again, [*old, 9])):
        full = tiny.trace(network, ids)
        assert (found.logits - full.logits).abs().max() <= 1e-4


@pytest.mark.parametrize("mask", ["bidirectional", "global_local", "prefix"])
def test_masks_that_look_ahead_reuse_nothing_they_should_not(mask: str) -> None:
    network = tiny.decoder()
    choice = choose("prefix", prefix=11) if mask == "prefix" else choose(mask)
    chosen = (("decoder.self", choice),)
    first = tiny.trace(network, tiny.ids(10), masks=chosen)
    more = tiny.trace(network, tiny.ids(12), previous=first, masks=chosen)
    full = tiny.trace(network, tiny.ids(12), masks=chosen)
    assert (more.logits - full.logits).abs().max() <= 1e-4


def test_a_run_that_continues_has_its_values_in_forward_order() -> None:
    network = tiny.encoder_decoder()
    first = tiny.trace(network, tiny.ids(5), target=[2, 7])
    more = tiny.trace(network, tiny.ids(5), target=[2, 7, 8], previous=first)
    assert list(more.sites()) == list(tiny.trace(network, tiny.ids(5), target=[2, 7, 8]).sites())


def test_another_mask_or_source_is_not_mixed_with_the_old_one() -> None:
    network = tiny.encoder_decoder()
    target = [2, *tiny.ids(5, 1)]
    first = tiny.trace(network, tiny.ids(9), target=target)
    for change in (
        {"source": tiny.ids(9, seed=4)},
        {"masks": (("encoder.self", choose("causal")),)},
        {"masks": (("decoder.cross", choose("local", window=2)),)},
        {"masks": (("decoder.self", choose("sliding_window", window=2)),)},
    ):
        more: dict[str, object] = {"source": tiny.ids(9), "target": [*target, 7], **change}
        source = more.pop("source")
        kept = tiny.trace(network, source, previous=first, **more)
        full = tiny.trace(network, source, **more)
        assert (kept.logits - full.logits).abs().max() <= 1e-4, change


def text(count: int, left: int = 0, right: int = 0) -> Tokens:
    ids = Tokens.of_ids(tiny.ids(12)[:count])
    ids = ids.padded(left + count, pad=0, piece="p", side="left")
    return ids.padded(left + count + right, pad=0, piece="p")


@pytest.mark.parametrize("left", [0, 3, 4])
@pytest.mark.parametrize("prefix", [2, 4, 6])
def test_a_prefix_counts_no_padding(left: int, prefix: int) -> None:
    network = tiny.decoder()
    chosen = (("decoder.self", choose("prefix", prefix=prefix)),)
    first = tiny.trace(network, text(4, left), masks=chosen)
    more = tiny.trace(network, text(5, left), masks=chosen, previous=first)
    full = tiny.trace(network, text(5, left), masks=chosen)
    assert (more.logits - full.logits).abs().max() <= 1e-4
    rows = more.captured["decoder.0.ffn.out"].own.shape[0]
    assert rows == (1 if prefix <= 4 else left + 5)


def test_steps_behind_left_padding_say_when_nothing_is_kept() -> None:
    """Under a prefix longer than the prompt's real tokens."""
    chosen = (("decoder.self", choose("prefix", prefix=6)),)
    request = DecodeRequest(run=RunRequest(source=text(4, 4), masks=chosen), max_new_tokens=3)
    done = finish(Decoding(tiny.Bare(tiny.decoder()), request))  # type: ignore[arg-type]
    assert [step.cache_positions for step in done.steps] == [0, 0, 10]
    for step in done.steps:
        fresh = done.model.run(step.trace.request)
        assert (fresh.logits[-1] - step.logits).abs().max() <= 1e-4
    found = verify(done.model, done.steps)
    assert found.logits <= 1e-4
    assert found.parting is not None
    assert found.parting.why == "mask"


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (text(4), text(4, right=2), 3),  # the last token sees the padding
        (text(4, right=2), text(4), 3),
        (text(4, right=1), text(4, right=3), 3),
        (text(4, left=2), text(4, left=3), 0),  # padding sees padding
        (text(4, left=2), text(6, left=2), 6),
        (text(4, right=2), text(4, right=2), 6),
    ],
)
@pytest.mark.parametrize("key", ["model", "sliding_window", "prefix"])
def test_padding_that_is_seen_changes_the_rows_that_see_it(
    before: Tokens, after: Tokens, kept: int, key: str
) -> None:
    network = tiny.decoder()
    chosen = (("decoder.self", MaskChoice(key=key, hide_padding=False)),)
    first = tiny.trace(network, before, masks=chosen)
    found = tiny.trace(network, after, masks=chosen, previous=first)
    fresh = tiny.trace(network, after, masks=chosen)
    assert (found.logits - fresh.logits).abs().max() <= 1e-4
    for layer in range(3):
        shown, used = (trace.pattern("decoder.self", layer) for trace in (found, fresh))
        assert (shown - used).abs().max() <= 1e-5
    captured = found.captured["decoder.0.ffn.out"]
    assert (captured is first.captured["decoder.0.ffn.out"]) == (before == after)
    if before != after:
        assert captured.own.shape[0] == len(after) - kept


@pytest.mark.parametrize("make", [tiny.decoder, tiny.encoder_decoder])
def test_a_run_that_is_stopped_leaves_nothing_wrong_behind(make: Callable[[], Transformer]) -> None:
    """Whichever part it is stopped at, whatever the run before it shares with the next one."""
    network = make()
    both = network.spec.encoder is not None
    ids = tiny.ids(12)

    def request(*target: int) -> RunRequest:
        tokens = Tokens.of_ids(target)
        source = Tokens.of_ids(tiny.ids(5, seed=3)) if both else tokens
        return RunRequest(source=source, target=tokens if both else None)

    fresh = run(network, request(*ids[:8], 9))
    for last in range(1000):
        first = run(network, request(*ids[:10]))
        polls = iter(range(last))
        stopped = False
        try:
            run(
                network,
                request(*ids[:4], 5, 6, 7, 8, 9, 10, 11),
                previous=first,
                should_stop=lambda polls=polls: next(polls, None) is None,
            )
        except Cancelled:
            stopped = True
        found = run(network, request(*ids[:8], 9), previous=first)
        assert (found.logits - fresh.logits).abs().max() <= 1e-4, last
        if not stopped:
            break
    assert last > 5

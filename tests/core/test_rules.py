"""Rules of the text so far: by hand, with padding, and with tokens taken against them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from core.decoding import BeamSearch, Decoding
from core.decoding.rules import Past, forbidden, past
from core.errors import RequestError
from core.model import Transformer
from core.request import DecodeRequest, RunRequest, Sampling
from core.spec import Rules, SpecialIds
from core.tokens import Tokens
from tests.core import tiny

GIVEN = tiny.ids(6)


def ruled(rules: Rules, **special: Any) -> Transformer:
    network = tiny.decoder()
    network.spec = replace(network.spec, rules=rules, special=SpecialIds(**special))
    return network


def start(network: Transformer, tokens: Tokens | None = None, **more: Any) -> Decoding:
    run = RunRequest(source=tokens or Tokens.of_ids(GIVEN))
    request = DecodeRequest(run=run, **{"max_new_tokens": 9} | more)
    return Decoding(tiny.Bare(network), request)  # type: ignore[arg-type]


def finish(decoding: Decoding) -> list[int]:
    while decoding.finished is None:
        decoding.step()
    return [step.token for step in decoding.steps]


@pytest.mark.parametrize(
    ("rules", "read", "new", "expected"),
    [
        (Rules(no_repeat=2), (4, 5, 4, 6, 4), 0, {5, 6}),
        (Rules(no_repeat=3), (4, 5, 7, 4, 5), 2, {7}),
        (Rules(no_repeat=1), (4, 5), 1, {4, 5}),
        (Rules(no_repeat=3), (4, 4), 1, set()),
        (Rules(no_repeat_source=2), (1, 8), 1, {9, 3}),
        (Rules(no_repeat_source=1), (), 0, {8, 9, 3}),
        (Rules(phrases=((4, 5), (9, 5, 6), (5, 7))), (9, 5), 1, {6, 7}),
        (Rules(min_length=4), (4, 5, 6), 1, {2, 3}),
        (Rules(min_length=3), (4, 5, 6), 1, set()),
        (Rules(min_new=2), (4, 5, 6), 1, {2, 3}),
        (Rules(begin_suppressed=(8,)), (4, 5), 0, {8}),
        (Rules(begin_suppressed=(8,)), (4, 5), 1, set()),
    ],
)
def test_by_hand(rules: Rules, read: tuple[int, ...], new: int, expected: set[int]) -> None:
    spec = ruled(rules, end=(2, 3)).spec
    assert forbidden(spec, Past(read=read, new=new, source=(8, 9, 8, 3))) == expected


@pytest.mark.parametrize(("given", "first"), [((4,), 1), ((4, 5), 0)])
def test_what_may_not_come_first_waits_for_the_token_that_is_set(
    given: tuple[int, ...], first: int
) -> None:
    spec = ruled(Rules(begin_suppressed=(8,)), forced_first=6).spec
    read = (*given, 6)
    out = [
        bool(forbidden(spec, Past(read=read[: len(given) + new], new=new, source=given)))
        for new in (0, 1)
    ]
    assert out == [first == 0, first == 1]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("penalty", [1.0, 1.5])
def test_padding_is_no_part_of_the_text(side: str, penalty: float) -> None:
    network = ruled(Rules(no_repeat=1, min_length=9, no_repeat_source=2), end=(3, 5), pad=0)
    padded = Tokens.of_ids(GIVEN).padded(10, pad=0, piece="-", side=side)
    plain, other = (
        start(network, tokens, sampling=Sampling(repetition_penalty=penalty))
        for tokens in (Tokens.of_ids(GIVEN), padded)
    )
    assert finish(plain) == finish(other)
    for one, two in zip(plain.steps, other.steps, strict=True):
        assert [c.ruled_out for c in one.candidates] == [c.ruled_out for c in two.candidates]
        kept = [c.kept for c in two.candidates]
        assert kept == pytest.approx([c.kept for c in one.candidates], abs=1e-6)
    assert past(other.steps[-1].trace, len(other.steps) - 1).read == (
        *GIVEN,
        *(step.token for step in plain.steps[:-1]),
    )


def test_a_person_may_take_what_is_ruled_out() -> None:
    decoding = start(ruled(Rules(no_repeat=1)))
    before = finish(decoding)
    decoding.back(9)
    against = decoding.force(GIVEN[1])
    taken = next(c for c in against.candidates if c.token == GIVEN[1])
    assert (taken.ruled_out, taken.kept, against.forced) == (True, 0, True)
    assert taken.probability == against.probability > 0
    finish(decoding)
    after = [step.token for step in decoding.steps]
    assert len(after) == 9
    assert set(GIVEN) & set(after) == {GIVEN[1]}
    assert len(set(after)) == 9
    decoding.back(4)
    assert finish(decoding) == after
    decoding.back(9)
    assert finish(decoding) == before


def test_no_text_and_no_beam_repeats_what_may_come_once() -> None:
    network = ruled(Rules(no_repeat=2))
    for network_rules in (Rules(), Rules(no_repeat=2)):
        network.spec = replace(network.spec, rules=network_rules)
        run = RunRequest(source=Tokens.of_ids(GIVEN))
        search = BeamSearch(
            tiny.Bare(network),  # type: ignore[arg-type]
            DecodeRequest(run=run, strategy="beam", beams=3, max_new_tokens=20),
        )
        texts = [[*GIVEN, *(n.token for n in search.path(b.id))] for b in search.run()]
        texts.append([*GIVEN, *finish(start(network, max_new_tokens=20))])
        pairs = [list(pairwise(text)) for text in texts]
        once = [len(set(found)) == len(found) for found in pairs]
        assert all(once) == (network_rules.no_repeat > 0)


def test_where_nothing_may_come_that_is_said() -> None:
    everything = tuple(range(tiny.VOCAB))
    decoding = start(ruled(Rules(begin_suppressed=everything)))
    with pytest.raises(RequestError, match="its settings rule out every token here"):
        decoding.step()
    taken = decoding.force(3)  # a person may take any token
    assert (taken.token, taken.forced) == (3, True)
    assert all(one.ruled_out and one.kept == 0 for one in taken.candidates)
    assert taken.candidates[0].probability > 0
    assert decoding.step().index == 1

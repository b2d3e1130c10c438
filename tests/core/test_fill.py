"""Filling masks one at a time: the most confident first, or from left to right."""

from __future__ import annotations

import pytest
import torch

from core.decoding.fill import Filling
from core.errors import RequestError
from core.request import RunRequest
from core.tokens import Tokens
from tests.core import tiny

MASK = 3


def start(text: list[int], **more: object) -> Filling:
    run = RunRequest(source=Tokens.of_ids(text))
    return Filling(tiny.Bare(tiny.encoder()), run, **more)  # type: ignore[arg-type]


TEXT = [5, MASK, 9, 11, MASK, 7, MASK, 20]


@pytest.mark.parametrize("order", ["confident", "left-to-right"])
def test_each_fill_is_the_likeliest_word_of_a_fresh_run(order: str) -> None:
    filling = start(TEXT, order=order)
    text, network = list(TEXT), tiny.encoder()
    while filling.finished is None:
        step = filling.step()
        with torch.no_grad():
            logits = network.vocab_logits(network.encode(torch.tensor([text])))[0]
        best = {i: float(logits[i].softmax(-1).max()) for i, t in enumerate(text) if t == MASK}
        assert dict(step.confidence).keys() == best.keys()
        assert max(abs(p - best[i]) for i, p in step.confidence) <= 1e-5
        expected = max(best, key=lambda i: best[i]) if order == "confident" else min(best)
        assert step.position == expected
        assert step.token == int(logits[expected].argmax())
        assert step.trace.tokens["encoder"].ids == tuple(text)
        text[expected] = step.token
    assert filling.tokens.ids == tuple(text)
    assert len(filling.steps) == 3


def test_the_orders_differ_and_back_opens_again() -> None:
    confident, plain = start(TEXT), start(TEXT, order="left-to-right")
    places = []
    for filling in (confident, plain):
        while filling.finished is None:
            filling.step()
        places.append([s.position for s in filling.steps])
    assert places[1] == [1, 4, 6]
    assert places[0] != places[1]
    confident.back(2)
    assert len(confident.open) == 2
    forced = confident.force(confident.open[-1], 42)
    assert forced.forced
    assert confident.tokens.ids[forced.position] == 42


def test_bad_requests() -> None:
    with pytest.raises(RequestError, match="has no mask"):
        start([5, 6, 7])
    with pytest.raises(RequestError, match="fills no masks"):
        Filling(tiny.Bare(tiny.decoder()), RunRequest(source=Tokens.of_ids([5])))  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="position 0 is not masked"):
        start(TEXT).force(0, 5)
    for token, sentence in (
        (-1, "token id -1"),
        (9999, "token id 9999"),
        ("a", "id 'a' is no whole"),
    ):
        with pytest.raises(RequestError, match=sentence):
            start(TEXT).force(1, token)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="no order 'random'; there are confident, left-to-right"):
        start(TEXT, order="random")
    done = start([MASK, 5])
    done.step()
    with pytest.raises(RequestError, match="every mask is filled"):
        done.step()


def liking_its_mask() -> tiny.Bare:
    """An encoder that holds the mask for the likeliest word everywhere."""
    network = tiny.encoder()
    assert network.heads.vocab is not None
    with torch.no_grad():
        network.heads.vocab.bias[MASK] += 12
    return tiny.Bare(network)


@pytest.mark.parametrize("order", ["confident", "left-to-right"])
def test_a_mask_is_never_filled_with_the_mask(order: str) -> None:
    model = liking_its_mask()
    filling = Filling(model, RunRequest(source=Tokens.of_ids(TEXT)), order=order)  # type: ignore[arg-type]
    for left in (2, 1, 0):
        step = filling.step()
        assert len(filling.open) == left
        others = step.logits.clone()
        others[MASK] = float("-inf")
        assert step.token == int(others.argmax())
        assert step.probability < 0.5
        assert dict(step.confidence)[step.position] == pytest.approx(step.probability, rel=1e-4)
        listed = {one.token: one for one in step.candidates}
        assert (listed[MASK].ruled_out, listed[MASK].kept) == (True, 0.0)
        assert listed[MASK].probability > 0.9
        assert not listed[step.token].ruled_out
    assert filling.finished == "every mask is filled"


def test_the_mask_is_no_word_to_force() -> None:
    filling = start(TEXT)
    with pytest.raises(RequestError, match=f"token id {MASK} is the mask itself, which fills no"):
        filling.force(1, MASK)
    assert not filling.steps

"""Where decoding ends, and what cannot be decoded is said before a step."""

from __future__ import annotations

import math

import pytest

from core.checkpoints.load import load_model
from core.decoding import BeamSearch, Decoding
from core.errors import RequestError
from core.request import DecodeRequest, RunRequest, Sampling
from core.tokens import Tokens
from tests.core import tiny
from tests.core.decoding_steps import finish, start


@pytest.mark.parametrize(
    ("sampling", "sentence"),
    [
        (Sampling(temperature=-1), "temperature is -1"),
        (Sampling(top_p=0), "top-p is 0"),
        (Sampling(top_k=-2), "top-k is -2"),
        (Sampling(temperature=math.nan), "temperature is nan; it must be a finite number"),
        (Sampling(min_p=2), "min-p is 2"),
        (Sampling(repetition_penalty=0), "repetition penalty is 0"),
        (Sampling(repetition_penalty=1e-40), "penalty is 1e-40; it must be between 1e-06 and 1e"),
        (Sampling(repetition_penalty=1e300), r"penalty is 1e\+300; it must be between 1e-06 and"),
    ],
)
def test_bad_settings_are_refused(sampling: Sampling, sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        start(tiny.decoder(), sampling=sampling)


def test_decoding_ends_where_it_must() -> None:
    assert finish(start(tiny.decoder())).finished == "12 new tokens"
    assert (
        finish(start(tiny.decoder(max_positions=11))).finished
        == "the model takes at most 11 tokens"
    )
    network = tiny.encoder_decoder()
    forced = start(network, forced=((2, 1),))
    assert finish(forced).finished == "end token"
    assert len(forced.steps) == 3
    with pytest.raises(RequestError, match="decoding has ended"):
        forced.step()
    with pytest.raises(RequestError, match="is encoder-only"):
        start(tiny.encoder())
    with pytest.raises(RequestError, match="outside the vocabulary"):
        start(network).force(10_000)
    with pytest.raises(RequestError, match="0 new tokens were asked for"):
        start(network, max_new_tokens=0)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"forced": ((0, -1),)}, "token id -1 is outside the vocabulary"),
        ({"forced": ((0, 999),)}, "token id 999 is outside the vocabulary"),
        ({"forced": ((0, "a"),)}, "the token id 'a' is no whole number"),
        ({"forced": ((-1, 3),)}, "forced at step -1; steps count from 0"),
        ({"forced": (3,)}, "3 is no choice to force"),
        ({"strategy": "beam", "length_penalty": math.nan}, "length_penalty is nan"),
        ({"strategy": "beam", "length_penalty": "1"}, "length_penalty is '1'; it must be a"),
        ({"strategy": "beam", "beams": 1.5}, "the number of beams 1.5 is no whole number"),
    ],
)
def test_what_cannot_be_decoded_is_said_before_a_step(
    settings: dict[str, object], sentence: str
) -> None:
    network = tiny.decoder()
    run = RunRequest(source=Tokens.of_ids(tiny.ids(8)))
    request = DecodeRequest(run=run, **settings)  # type: ignore[arg-type]
    kind = BeamSearch if request.strategy == "beam" else Decoding
    with pytest.raises(RequestError, match=sentence):
        kind(tiny.Bare(network), request)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"strategy": "Greedy"}, "no strategy 'Greedy'; there are greedy, sample, beam"),
        ({"max_new_tokens": 0}, "at least 1"),
    ],
)
def test_what_cannot_be_decoded_is_said_at_once(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        start(tiny.decoder(), **more)


def test_a_text_that_does_not_fit_is_refused_before_a_step_is_asked_for() -> None:
    with pytest.raises(RequestError, match="takes at most"):
        load_model("random:decoder").decode(ids=[1] * 100_000)

"""A search that divides by powers of its length: those that are no numbers are refused."""

from __future__ import annotations

import math

import pytest

from core.decoding import BeamSearch
from core.errors import RequestError
from core.request import DecodeRequest, RunRequest
from core.tokens import Tokens
from tests.core import tiny


def search(penalty: float, tokens: int, room: int | None = None) -> BeamSearch:
    request = DecodeRequest(
        run=RunRequest(source=Tokens.of_ids(tiny.ids(4))),
        strategy="beam",
        beams=2,
        max_new_tokens=tokens,
        length_penalty=penalty,
    )
    return BeamSearch(tiny.Bare(tiny.decoder(max_positions=room)), request)  # type: ignore[arg-type]


@pytest.mark.parametrize("penalty", [1e308, -1e308, 333.0, -333.0])
def test_a_power_that_is_no_number_is_refused(penalty: float) -> None:
    with pytest.raises(RequestError, match="with 8 new tokens it must be between -331 and 331"):
        search(penalty, 8)
    with pytest.raises(RequestError, match="with 8 new tokens it must be between -331 and 331"):
        search(penalty, 100, room=11)


@pytest.mark.parametrize(
    ("penalty", "tokens"), [(331.0, 8), (-331.0, 8), (1e308, 1), (2.0, 5), (-2.0, 5)]
)
def test_any_other_ends_the_search_with_scores(penalty: float, tokens: int) -> None:
    found = search(penalty, tokens).run()
    assert found
    for one in found:
        assert math.isfinite(one.score)
        length = one.index + 1
        assert one.score == pytest.approx(one.log_probability / float(length) ** penalty)

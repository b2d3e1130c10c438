"""Edits change what follows, are told, and never change nothing in silence."""

from __future__ import annotations

import pytest
import torch

from core.decoding import decode
from core.edits import Edit
from core.errors import RequestError
from core.request import DecodeRequest, RunRequest
from core.tokens import Tokens
from tests.core import tiny


def test_edits_reach_what_follows_and_are_told() -> None:
    network = tiny.decoder()
    plain = tiny.trace(network, tiny.ids(8))
    off = Edit(site="decoder.1.self.context", at=(("head", 2),))
    found = tiny.trace(network, tiny.ids(8), edits=(off,))
    assert found.edited == {"decoder.1.self.context"}
    assert (found["decoder.1.self.context"][2] == 0).all()
    assert torch.equal(found["decoder.0.resid.out"], plain["decoder.0.resid.out"])
    assert (found.logits - plain.logits).abs().max() > 1e-2
    painted = Edit(site="decoder.0.self.pattern", at=(("head", 1), ("query", 5)), value=0.25)
    found = tiny.trace(network, tiny.ids(8), edits=(painted,))
    assert (found.pattern("decoder.self", 0, 1, 5) == 0.25).all()
    v = found["decoder.0.self.v"][0]
    assert torch.allclose(found["decoder.0.self.context"][1, 5], v.sum(0) * 0.25, atol=1e-5)


def test_a_value_is_scaled_where_it_is_asked_for() -> None:
    network = tiny.decoder()
    plain = tiny.trace(network, tiny.ids(6))["decoder.0.ffn.out"]
    edit = Edit(site="decoder.0.ffn.out", at=(("position", 5),), value=-2.0, mode="scale")
    found = tiny.trace(network, tiny.ids(6), edits=(edit,))["decoder.0.ffn.out"]
    assert torch.equal(found[:5], plain[:5])
    assert torch.equal(found[5], plain[5] * -2)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        ({"site": "decoder.0.self.q", "at": (("d_ff", 1),)}, "has the axes head query d_head"),
        ({"site": "decoder.0.self.q", "at": (("head", 9),)}, "head 9, but there are 4, from 0"),
        ({"site": "decoder.0.self.q", "at": (("head", -1),)}, "head -1, but there are 4"),
        ({"site": "decoder.0.self.q", "at": (("query", 4),)}, "query 4, but there are 4"),
        ({"site": "decoder.0.self.pattern", "at": (("key", -1),)}, "key -1, but there are 4"),
        ({"site": "decoder.0.ffn.act", "at": (("position", 7),)}, "position 7, but there are 4"),
        ({"site": "decoder.0.self.patern"}, "near it: decoder.0.self.pattern"),
        ({"site": "decoder.99.ffn.out"}, "changes nothing, for there is no such value; there are"),
        ({"site": "encoder.0.ffn.out"}, "the edit of encoder.0.ffn.out changes nothing"),
        ({"site": "decoder.0.ffn.out", "mode": "add"}, "is 'add'; there are set, scale"),
        ({"site": "decoder.0.ffn.out", "value": "0"}, "it must be a number"),
        ({"site": "decoder.0.ffn.out", "at": ("position",)}, "pairs of an axis and an index"),
        ({"site": "decoder.0.ffn.out", "at": (("position", 0.5),)}, "0.5 is no whole number"),
        ({"site": "decoder.0.ffn.out", "at": None}, "at None; it must be pairs of an axis and"),
        ({"site": "decoder.0.ffn.out", "at": ((0, 1),)}, "pairs of an axis and an index"),
        ({"site": "decoder.0.self.q", "at": (("head", 0), ("head", 1))}, "names head twice"),
        ({"site": 3}, "the site of an edit is 3; it must be a str"),
    ],
)
def test_bad_edits_are_refused(edit: dict[str, object], sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        tiny.trace(tiny.decoder(), tiny.ids(4), edits=(Edit(**edit),))  # type: ignore[arg-type]


def test_padding_counts_among_the_places_of_an_edit() -> None:
    network = tiny.decoder()
    tokens = Tokens.of_ids(tiny.ids(4)).padded(6, pad=0, piece="p", side="left")
    edit = Edit(site="decoder.0.ffn.out", at=(("position", 5),))
    found = tiny.trace(network, tokens, edits=(edit,))
    alone = Edit(site="decoder.0.ffn.out", at=(("position", 3),))
    assert (found["decoder.0.ffn.out"][5] == 0).all()
    plain = tiny.trace(network, tiny.ids(4), edits=(alone,))
    assert (found.logits[2:] - plain.logits).abs().max() <= 1e-5


def test_steps_of_an_edited_run_keep_no_cache() -> None:
    off = Edit(site="decoder.0.ffn.out")
    cases: list[tuple[tuple[Edit, ...], list[int]]] = [((), [4, 5, 6]), ((off,), [0, 0, 0])]
    for edits, kept in cases:
        run = RunRequest(source=Tokens.of_ids(tiny.ids(4)), edits=edits)
        model = tiny.Bare(tiny.decoder())
        steps = list(decode(model, DecodeRequest(run=run, max_new_tokens=3)))  # type: ignore[arg-type]
        assert [step.cache_positions for step in steps] == kept
        assert [step.cache_bytes > 0 for step in steps] == [not edits] * 3
        assert [step.trace["decoder.0.ffn.out"].shape[0] for step in steps] == [4, 5, 6]

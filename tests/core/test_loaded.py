"""The face of a loaded model, as scripts use it."""

from __future__ import annotations

import pytest
import torch

from core import load_model
from core.errors import RequestError
from core.masks import choose


def test_a_trace_by_text_and_by_ids_is_the_same() -> None:
    model = load_model("random:encoder")
    by_text = model.trace("a [MASK] cat", masks={"encoder.self": "causal"})
    ids = by_text.tokens["encoder"].ids
    by_ids = model.trace(ids=ids, masks={"encoder.self": choose("causal")})
    assert torch.equal(by_text.logits, by_ids.logits)
    assert by_ids.tokens["encoder"].pieces == by_text.tokens["encoder"].pieces
    assert (by_text.pattern("encoder.self", layer=1).triu(1) == 0).all()


def test_decode_takes_every_setting() -> None:
    model = load_model("random:decoder")
    settings = {"temperature": 1.2, "top_k": 50, "top_p": 0.9, "min_p": 0.01, "seed": 4}
    steps = list(
        model.decode("ab", strategy="sample", max_new_tokens=5, repetition_penalty=1.3, **settings)
    )
    again = list(
        model.decode("ab", strategy="sample", max_new_tokens=5, repetition_penalty=1.3, **settings)
    )
    assert [s.token for s in steps] == [s.token for s in again]
    assert steps[-1].finished == "5 new tokens"


@pytest.mark.parametrize(
    ("source", "arguments", "sentence"),
    [
        ("random:encoder", {"text": ""}, "the text is empty"),
        ("random:decoder", {"text": "  "}, "the text is empty"),
        ("random:encoder", {}, "either a text or token ids"),
        ("random:decoder", {"text": "a", "pair": "b"}, "takes one text, not a pair"),
        ("random:encoder", {"text": "a", "target": "b"}, "no decoder to read a target"),
        ("random:decoder", {"ids": [1], "target_ids": [1]}, "takes no target"),
        ("random:decoder", {"text": "a", "wants": ["logits.some"]}, "unknown wish 'logits.some'"),
        ("random:decoder", {"text": "a", "masks": {"encoder.self": "causal"}}, "no attention site"),
        ("random:decoder", {"text": "a", "masks": {"decoder.self": "round"}}, "no mask 'round'"),
    ],
)
def test_what_cannot_be_asked_is_said(
    source: str, arguments: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        load_model(source).trace(**arguments)  # type: ignore[arg-type]

"""The face of a loaded model, as scripts use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from core import LoadedModel, load_model
from core.errors import CheckpointError, RequestError
from core.masks import choose
from core.spec import ClassHead, Heads


def test_a_trace_by_text_and_by_ids_is_the_same() -> None:
    model = load_model("random:encoder")
    by_text = model.trace("a [MASK] cat", masks={"encoder.self": "causal"})
    ids = by_text.tokens["encoder"].ids
    by_ids = model.trace(ids=ids, masks={"encoder.self": choose("causal")})
    assert torch.equal(by_text.logits, by_ids.logits)
    assert by_ids.tokens["encoder"].pieces == by_text.tokens["encoder"].pieces
    assert (by_text.pattern("encoder.self", layer=1).triu(1) == 0).all()


def test_a_judge_reads_the_text_in_its_decoder_too() -> None:
    model = load_model("random:encoder-decoder")
    judge = replace(model, spec=replace(model.spec, heads=Heads(classes=ClassHead(labels=("a",)))))
    start = model.spec.special.decoder_start
    for text, pair in (("a cat", None), ("a cat", "b")):
        source, target = judge.tokenize(text, pair)
        assert target is not None
        assert source.ids[-1] in model.spec.special.end
        assert target.ids == (start, *source.ids[:-1])
        assert target.spans == (None, *source.spans[:-1])
        assert target.sequence == (None, *source.sequence[:-1])
        assert judge.tokenize(text, pair, pad_to=40)[1] == target
        assert judge.tokenize(text, pair, "ab")[1] == model.tokenize(text, pair, "ab")[1]
    assert judge.tokenize("a cat")[1] != model.tokenize("a cat")[1]


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
        ("random:decoder", {"text": "a", "masks": {"decoder.self": 3}}, "a MaskChoice, not int"),
        ("random:decoder", {"text": "a", "masks": "causal"}, "a dict from attention sites"),
        ("random:decoder", {"ids": [1], "pad_to": "20"}, "pad_to '20' is no whole number"),
        ("random:decoder", {"ids": [1], "pad_to": -3}, "pad_to is -3; it must be at least 0"),
        ("random:decoder", {"ids": 5}, "token ids are given in a list, not as a int"),
        ("random:decoder", {"ids": torch.ones(1, 2).long()}, "in a flat list, for one text"),
        ("random:decoder", {"ids": [1.5]}, "the token id 1.5 is no whole number"),
        ("random:vanilla", {"ids": [1], "target_ids": ["a"]}, "the token id 'a' is no whole"),
        ("random:decoder", {"text": b"abc"}, "text is a bytes; it must be a str"),
        ("random:decoder", {"text": "a", "pad_to": 4, "pad_side": "up"}, "pad_side is 'up'"),
        ("random:decoder", {"text": 5}, "text is a int; it must be a str"),
        ("random:encoder", {"text": "a", "pair": ["b"]}, "pair is a list; it must be a str"),
        ("random:decoder", {"text": "a", "edits": ["x"]}, "'x' is no edit"),
        ("random:decoder", {"text": "a", "edits": 3}, "edits is a int; it must be a list"),
    ],
)
def test_what_cannot_be_asked_is_said(
    source: str, arguments: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        load_model(source).trace(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_new_tokens": 1.5}, "max_new_tokens 1.5 is no whole number"),
        ({"max_new_tokens": "3"}, "max_new_tokens '3' is no whole number"),
        ({"temperature": "1"}, "temperature is '1'; it must be a number"),
        ({"min_p": None}, "min_p is None; it must be a number"),
        ({"top_k": 1.5}, "top-k 1.5 is no whole number"),
        ({"seed": "x"}, "the seed 'x' is no whole number"),
        ({"repetition_penalty": float("nan")}, "repetition_penalty is nan; it must be a finite"),
    ],
)
def test_how_no_text_can_be_written_is_said_at_once(
    arguments: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        load_model("random:decoder").decode("a", strategy="sample", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", ["trace", "decode"])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "give either a text or token ids"),
        ({"text": "a", "ids": [1]}, "give either a text or token ids"),
        ({"target": "a"}, "give either a text or token ids"),
        ({"text": "a", "target_ids": [1, 5]}, "target_ids go with ids"),
        ({"ids": [1], "target": "a"}, "beside token ids, give target_ids"),
        ({"ids": [1], "pair": "a"}, "beside token ids, put its ids into ids"),
    ],
)
def test_texts_and_token_ids_are_not_mixed(
    ask: str, arguments: dict[str, object], sentence: str
) -> None:
    model = load_model("random:encoder-decoder")
    with pytest.raises(RequestError, match=sentence):
        getattr(model, ask)(**arguments)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda model: model.tokenize(None), "text is a NoneType; it must be a str"),
        (lambda model: model.tokenizer.encode(None), "text is a NoneType; it must be a str"),
        (lambda model: model.tokenizer.encode("a", 5), "pair is a int; it must be a str"),
        (lambda model: model.tokenizer.decode("abc"), "the token id 'a' is no whole number"),
        (lambda model: model.tokenizer.decode(5), "in a list, not as a int"),
        (lambda model: model.tokenizer.stream([None]), "the token id None is no whole number"),
        (lambda model: model.tokenizer.id_of(5), "a piece is a str; 5 is none"),
        (lambda model: model.trace("a").axes("foo"), "foo was not recorded"),
        (
            lambda model: model.trace("a").axes("decoder.0.ffn.inside"),
            "decoder.0.ffn.inside was not recorded; there are, near it: decoder.0.ffn.inner",
        ),
    ],
)
def test_what_is_no_text_and_no_site_is_said(
    ask: Callable[[LoadedModel], object], sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        ask(load_model("random:decoder"))


def test_any_whole_number_is_the_seed_of_weights() -> None:
    large = load_model("random:decoder", seed=10**30).trace("a").logits
    assert not torch.equal(large, load_model("random:decoder").trace("a").logits)
    for seed in ("x", 1.5, None):
        with pytest.raises(RequestError, match=r"the seed .* is no whole number"):
            load_model("random:decoder", seed=seed)  # type: ignore[arg-type]


def test_any_whole_number_is_a_seed() -> None:
    model = load_model("random:decoder")

    def written(seed: int) -> list[int]:
        return [s.token for s in model.decode("a", strategy="sample", seed=seed, max_new_tokens=9)]

    large = written(10**30)
    assert large == written(10**30)
    assert large not in (written(0), written(-1))


@pytest.mark.parametrize("source", [None, 3])
def test_what_names_no_model(source: object) -> None:
    with pytest.raises(CheckpointError, match=f"by a str or a path, not by {source}"):
        load_model(source)  # type: ignore[arg-type]


def test_a_model_without_a_name_is_asked_for_one() -> None:
    with pytest.raises(CheckpointError, match="no model is named"):
        load_model(" ")


def test_a_model_and_a_trace_introduce_themselves_in_a_line() -> None:
    model = load_model("random:decoder")
    assert repr(model) == f"LoadedModel({model.name}, decoder, {model.parameters:,} weights)"
    assert repr(model.trace("ab")).startswith(f"Trace({model.name}, 2 decoder tokens, ")


@pytest.mark.parametrize("side", ["left", "right"])
def test_ids_are_padded_as_a_text_is(side: str) -> None:
    model = load_model("random:decoder")
    read = model.trace("abc", pad_to=6, pad_side=side)
    ids = torch.tensor(model.trace("abc").tokens["decoder"].ids)
    given = model.trace(ids=ids, pad_to=6, pad_side=side)  # type: ignore[arg-type]
    assert sum(given.tokens["decoder"].padding) == 3
    assert given.tokens["decoder"].ids == read.tokens["decoder"].ids
    assert given.tokens["decoder"].padding == read.tokens["decoder"].padding
    assert torch.equal(given.logits, read.logits)


@pytest.mark.parametrize(("own", "most"), [(512, 512), (None, 4096), (10_000, 4096)])
def test_padding_is_bounded(own: int | None, most: int) -> None:
    """Longer maps than there is memory for would end the program."""
    model = load_model("random:encoder")
    assert model.spec.encoder is not None
    encoder = replace(model.spec.encoder, max_positions=own)
    model = replace(model, spec=replace(model.spec, encoder=encoder))
    assert len(model.tokenize("abc", pad_to=most)[0]) == most
    sentence = f"at most {most} tokens"
    for length in (most + 1, 100_000):
        with pytest.raises(RequestError, match=f"pad_to is {length}; .+ {sentence}"):
            model.tokenize("abc", pad_to=length)
    assert len(model.tokenize("abc " * 3000, pad_to=5000)[0]) > 5000  # nothing is padded

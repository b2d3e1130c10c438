"""The evaluation's searches find what the program's own decoding finds, text by text."""

from __future__ import annotations

import pytest
import torch

from core import LoadedModel, load_model
from core.decoding import BeamSearch
from core.request import DecodeRequest
from training.evaluation.search import beam_search, greedy
from training.translator import END, PAD, START

TEXTS = (
    "这条河里有很多鱼。",
    "我不知道他为什么没来。",
    "你好",
    "苹果公司今天发布了新手机。",
    "The old man told us a long story about the war.",
    "Nobody knows what will happen next year.",
)
LONGEST = 24


@pytest.fixture(scope="module")
def translator() -> LoadedModel:
    return load_model("builtin:translator")


@pytest.fixture(scope="module")
def sources(translator: LoadedModel) -> torch.Tensor:
    rows = [list(translator.request(text).source.ids) for text in TEXTS]
    assert all(row[-1] == END for row in rows)
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


@pytest.mark.parametrize("beams", [2, 4])
def test_beam_search(translator: LoadedModel, sources: torch.Tensor, beams: int) -> None:
    found = beam_search(
        translator.network,
        sources,
        sources == PAD,
        start=START,
        end=END,
        beams=beams,
        longest=LONGEST,
    )
    for text, ids in zip(TEXTS, found, strict=True):
        request = DecodeRequest(
            run=translator.request(text), strategy="beam", beams=beams, max_new_tokens=LONGEST
        )
        search = BeamSearch(translator, request)
        path = [node.token for node in search.path(search.run()[0].id)]
        assert ids == [token for token in path if token != END]


def test_greedy(translator: LoadedModel, sources: torch.Tensor) -> None:
    found = greedy(
        translator.network, sources, sources == PAD, start=START, end=END, longest=LONGEST
    )
    for text, ids in zip(TEXTS, found, strict=True):
        steps = translator.decode(text, max_new_tokens=LONGEST)
        assert ids == [step.token for step in steps if step.token != END]


def test_beams_change_something(translator: LoadedModel, sources: torch.Tensor) -> None:
    padding = sources == PAD
    one = greedy(translator.network, sources, padding, start=START, end=END, longest=LONGEST)
    four = beam_search(
        translator.network, sources, padding, start=START, end=END, beams=4, longest=LONGEST
    )
    assert one != four

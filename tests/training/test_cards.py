"""What the model cards quote as samples is what the models say."""

from __future__ import annotations

import re
from functools import cache

import pytest
import torch

from core import load_model
from core.builtin import FOLDER
from core.loaded import LoadedModel

ROW = re.compile(r"^\| (?P<text>[^|]+?) \| (?P<said>[^|]+?) \|$", re.MULTILINE)
CHANCE = re.compile(r"(\w+) (\d\.\d\d)")
STORY = re.compile(
    r"^> \*\*(?P<prompt>.+?)\*\* ?(?P<text>.+?)(?:\n\n|\n(?!>))", re.MULTILINE | re.DOTALL
)


@cache
def builtin(name: str) -> LoadedModel:
    return load_model(f"builtin:{name}")


def samples(name: str) -> str:
    card = (FOLDER / name / "README.md").read_text(encoding="utf-8")
    return card.split("## Samples")[1].split("\n## ")[0]


def rows(name: str) -> list[tuple[str, str]]:
    found = [(row["text"], row["said"]) for row in ROW.finditer(samples(name))]
    return [(text, said) for text, said in found if "--" not in text and text not in HEADERS]


HEADERS = ("text", "source")


@pytest.mark.parametrize(("text", "said"), rows("encoder"))
def test_the_encoders_words_and_labels(text: str, said: str) -> None:
    model = builtin("encoder")
    trace = model.trace(text)
    if "[MASK]" in text:
        logits = trace.logits[trace.tokens["encoder"].pieces.index("[MASK]")]
        assert model.tokenizer is not None
        names = [model.tokenizer.piece(i) for i in range(len(logits))]
    else:
        logits, classes = trace.heads["classes"], model.spec.heads.classes
        assert classes is not None
        names = list(classes.labels)
    chances = torch.softmax(logits.flatten().double(), -1)
    quoted = CHANCE.findall(said)
    assert quoted
    best = chances.topk(len(quoted))
    for (word, chance), index, value in zip(quoted, best.indices, best.values, strict=True):
        assert names[int(index)] == word.lower()
        assert float(value) == pytest.approx(float(chance), abs=0.0051)


@pytest.mark.parametrize(("text", "said"), rows("translator"))
def test_the_translators_sentences(text: str, said: str) -> None:
    *_, last = builtin("translator").decode(text, strategy="greedy", max_new_tokens=40)
    assert last.text == re.sub(r" \([^()]+\)$", "", said)


def stories() -> list[tuple[str, str]]:
    text = samples("decoder") + "\n\n"
    return [
        (m["prompt"], " ".join(m["text"].replace("\n>", " ").split())) for m in STORY.finditer(text)
    ]


@pytest.mark.parametrize(("prompt", "quoted"), stories())
def test_the_decoders_stories(prompt: str, quoted: str) -> None:
    *_, last = builtin("decoder").decode(prompt, strategy="greedy", max_new_tokens=40)
    said = " ".join(last.text.replace("\n", " / ").split())
    assert said.startswith(quoted)


def test_there_are_samples_of_all_three() -> None:
    assert len(rows("encoder")) >= 8
    assert len(rows("translator")) >= 8
    assert len(stories()) >= 5

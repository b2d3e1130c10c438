"""Classes of a decoder whose text ends with the padding token, typed or set by the tokenizer: they
are read before it, as in the reference."""

from __future__ import annotations

import pytest
import torch
import transformers

from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.request import HEADS, RunRequest
from core.run import run
from core.tokens import Tokens
from tests.core.families import reference
from tests.core.families.conftest import Build, trace
from tests.core.families.test_classifiers import DECODERS, classifier
from tests.core.families.test_parity import near

END = 2
TEXTS = [
    [5, 7, 8, 9, 10],
    [5, 7, 8, 9, 10, END],
    [5, END, 8, 9, 10, END, END],
    [5, 7, 8, 9, END, 10],
    [END, END],
]


@pytest.mark.parametrize(("family", "stem"), DECODERS.items())
def test_the_token_before_it_is_judged(build: Build, family: str, stem: str) -> None:
    case = build(classifier(family, stem, pad_token_id=END, eos_token_id=END))
    for ids in TEXTS:
        theirs = reference.ask(case.model, ids).heads["classes"]
        near(trace(case.network, ids).heads["classes"], theirs, f"classes of {ids}")


def test_padding_beside_it(build: Build) -> None:
    case = build(classifier("Llama", "Llama", pad_token_id=END))
    ids = [5, 7, 8, 9, END]
    theirs = reference.ask(case.model, ids).heads["classes"]
    for side in ("left", "right"):
        padded = Tokens.of_ids(ids).padded(8, pad=END, piece="</s>", side=side)
        found = run(case.network, RunRequest(source=padded, wants=frozenset({HEADS})))
        near(found.heads["classes"], theirs, f"classes, padded {side}")


def test_the_layers_are_judged_at_the_same_token(build: Build) -> None:
    case = build(classifier("Llama", "Llama", pad_token_id=END))
    ours = trace(case.network, [5, 7, 8, 9, END])
    last = ours.hidden("decoder")[-1:]
    found = ours.derive.project_text(last, normalise=False, last=3)
    torch.testing.assert_close(found["classes"][0], ours.heads["classes"])


@pytest.mark.parametrize(("family", "stem"), DECODERS.items())
def test_the_padding_token_of_a_configuration_that_names_none(family: str, stem: str) -> None:
    named = dict(classifier(family, stem))
    del named["pad_token_id"]
    silent = describe(Config(named)).heads.classes
    null = describe(Config(named | {"pad_token_id": None})).heads.classes
    assert silent is not None
    assert null is not None
    theirs = transformers.AutoConfig.for_model(named["model_type"])
    assert (silent.pad, null.pad) == (theirs.pad_token_id, None)

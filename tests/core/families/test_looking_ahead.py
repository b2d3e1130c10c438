"""Decoders whose configuration says `is_causal: false`: every token sees what comes later too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckpointError
from core.families import families
from core.loaded import LoadedModel
from core.request import DecodeRequest, RunRequest
from core.tokens import Tokens
from tests.core.families import reference
from tests.core.families.conftest import Build, Case, trace
from tests.core.families.test_contradictions import as_written, described
from tests.core.families.test_parity import compare, everything, near

_TINY = {family.name: family.tiny for family in families()}
DECODERS = [
    pytest.param(tiny, id=f"{name} {i}")
    for name, every in _TINY.items()
    for i, tiny in enumerate(every)
    if name != "Transformer 2017" and described(tiny).decoder is not None
]


def open_eyed(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with `is_causal: false` where its decoder reads it."""
    inner = config.get("text_config")
    if inner is not None:
        return {**config, "text_config": {**inner, "is_causal": False}}
    return {**config, "is_causal": False}


def ahead(build: Build, config: Mapping[str, Any]) -> Case:
    """The reference and ours agree on it, and later tokens are seen."""
    case = build(open_eyed(config))
    ids, target = case.texts()
    ours = trace(case.network, ids, target)
    compare(ours, reference.ask(case.model, ids, target), everything(case))
    for layer in range(case.spec.stack("decoder").layers):
        assert ours.allowed("decoder.self", layer)[0, 1]
        assert (ours.pattern("decoder.self", layer)[:, 0, 1] > 0).all()
    return case


@pytest.mark.parametrize("config", DECODERS)
def test_as_the_reference_looks_ahead(build: Build, config: Mapping[str, Any]) -> None:
    ahead(build, config)


@pytest.mark.parametrize("family", ["Llama", "Mistral", "BART"])
def test_one_token_at_a_time(build: Build, family: str) -> None:
    """No row of a shorter text is kept: each step is the whole text's."""
    case = ahead(build, _TINY[family][0])
    ids, target = case.texts()
    long, ours = ids if target is None else target, None
    for length in [4, *range(9, 14)]:
        texts = (long[:length],) if target is None else (ids, long[:length])
        ours = trace(case.network, *texts, previous=ours)
        compare(ours, reference.ask(case.model, *texts), everything(case))


def test_decoding(build: Build) -> None:
    case = ahead(build, {**_TINY["Llama"][0], "eos_token_id": None})
    model = LoadedModel(name="tiny", source="", spec=case.spec, network=case.network)
    prompt = [9, 20, 31, 42]
    request = DecodeRequest(run=RunRequest(source=Tokens.of_ids(prompt)), max_new_tokens=6)
    run, ids = model.decoding(request), list(prompt)
    for _ in range(6):
        step = run.step()
        near(step.logits, reference.ask(case.model, ids).heads["vocab"][-1], f"after {ids}")
        ids.append(step.token)


def test_null_is_no_less_false(tmp_path: Path) -> None:
    config = {**_TINY["Llama"][0], "is_causal": None}
    assert not described(config).main_stack.blocks[0].attention.causal
    as_written(config, tmp_path)


def test_neither_true_nor_false() -> None:
    with pytest.raises(CheckpointError, match="is_causal is 'no'"):
        described({**_TINY["Llama"][0], "is_causal": "no"})

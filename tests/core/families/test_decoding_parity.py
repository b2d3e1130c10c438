"""Decoding step by step on real families equals the full forward and the reference."""

from __future__ import annotations

import pytest
import torch

from core.loaded import LoadedModel
from core.request import DecodeRequest, RunRequest
from core.tokens import Tokens
from tests.core.families import reference
from tests.core.families.conftest import Build, Case, trace

PROMPT = [9, 20, 31, 42, 53, 64, 75, 86]


def loaded(case: Case) -> LoadedModel:
    return LoadedModel(name="tiny", source="", spec=case.spec, network=case.network)


@pytest.mark.parametrize("family", ["Llama", "GPT-2", "GPT-J", "BLOOM"])
def test_twelve_greedy_steps(build: Build, family: str) -> None:
    case = build(dict(families_by_name()[family].tiny[0]) | {"eos_token_id": None})
    request = DecodeRequest(run=RunRequest(source=Tokens.of_ids(PROMPT)), max_new_tokens=12)
    decoding = loaded(case).decoding(request)
    steps = [decoding.step() for _ in range(12)]
    ids = [*PROMPT, *(step.token for step in steps)]
    full = trace(case.network, ids)
    theirs = reference.ask(case.model, ids)
    for t, step in enumerate(steps):
        row = len(PROMPT) - 1 + t
        assert (step.logits - full.logits[row]).abs().max() <= 1e-4
        assert (step.logits - theirs.heads["vocab"][row]).abs().max() <= 1e-4
        assert step.token == int(theirs.heads["vocab"][row].argmax())
        for layer in range(3):
            mine = step.trace.pattern("decoder.self", layer, query=row)
            assert mine.shape[-1] == row + 1
            whole = full.pattern("decoder.self", layer)[:, row, : row + 1]
            assert (mine - whole).abs().max() <= 1e-5
            assert (
                mine - theirs.patterns["decoder.self"][layer][:, row, : row + 1]
            ).abs().max() < 1e-4
    decoding.back()
    again = decoding.step()
    assert torch.equal(again.logits, steps[-1].logits)
    assert again.token == steps[-1].token


def test_cross_attention_over_the_steps(build: Build) -> None:
    """The decoder starts with its end token and is forced to <s>; the source has pads or none."""
    case = build(
        dict(families_by_name()["BART"].tiny[0])
        | {"decoder_start_token_id": 2, "forced_bos_token_id": 0, "eos_token_id": 2}
    )
    source = [0, 5, 6, 7, 8, 2]

    def run(tokens: Tokens) -> tuple[list[int], torch.Tensor, torch.Tensor]:
        request = RunRequest(source=tokens, target=Tokens.of_ids([2]))
        decoding = loaded(case).decoding(DecodeRequest(run=request, max_new_tokens=4))
        steps = []
        while decoding.finished is None:
            steps.append(decoding.step())
        last = steps[-1].trace
        assert last.pattern("encoder.self", 0).shape[1:] == (len(tokens), len(tokens))
        assert last.pattern("decoder.self", 0).shape[1:] == (len(steps), len(steps))
        for t, step in enumerate(steps):
            assert step.trace.pattern("decoder.cross", 1, query=t).shape == (4, len(tokens))
        cross = torch.stack([last.pattern("decoder.cross", layer) for layer in range(2)])
        ids = list(decoding.tokens.ids)
        return ids, cross, torch.stack([s.logits for s in steps])

    ids, cross, logits = run(Tokens.of_ids(source))
    assert ids[:2] == [2, 0]
    assert cross.shape == (2, 4, len(ids) - 1, 6)
    assert (cross.sum(-1) - 1).abs().max() <= 1e-5
    theirs = reference.ask(case.model, source, ids[:-1])
    assert (cross - theirs.patterns["decoder.cross"]).abs().max() <= 1e-4
    assert (logits - theirs.heads["vocab"]).abs().max() <= 1e-4

    short = Tokens.of_ids([0, 5, 6, 2])
    alone, lone_cross, lone_logits = run(short)
    padded, wide_cross, wide_logits = run(short.padded(6, pad=1, piece="<pad>"))
    assert padded == alone
    assert (wide_cross[..., 4:] == 0).all()
    assert (wide_cross[..., :4] - lone_cross).abs().max() <= 1e-4
    assert (wide_logits - lone_logits).abs().max() <= 1e-4


def families_by_name():
    from core.families import families

    return {family.name: family for family in families()}

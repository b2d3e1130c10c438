"""The candidates of every step are what the reference chose from, without what is ruled out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from core import load_model
from core.decoding.beam import BeamSearch
from core.request import DecodeRequest, Sampling, Step
from tests.core.checkpoints.test_generation import BART, END, FORCED, GPT2, PROMPT, START, saved

NEW = 6
RULED = {"suppress_tokens": list(range(20, 45)), "bad_words_ids": [[50], [7], [8]]}
CASES: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "never generated": (GPT2, END | RULED),
    "and the last one set": (GPT2, END | RULED | {"forced_eos_token_id": 9}),
    "and the first one set": (BART, START | RULED | FORCED),
}
DRAWN = Sampling(temperature=1.4, top_k=12, top_p=0.9, repetition_penalty=1.3)


def check(steps: list[Step], expected: list[torch.Tensor]) -> None:
    """Each list against the processed scores [vocab] of the reference at the same step."""
    assert len(steps) == len(expected)
    for step, scores in zip(steps, expected, strict=True):
        theirs, own = scores.softmax(-1), step.logits.softmax(-1)
        assert step.token in {c.token for c in step.candidates}
        for candidate in step.candidates:
            assert abs(candidate.kept - float(theirs[candidate.token])) <= 1e-5
            assert abs(candidate.probability - float(own[candidate.token])) <= 1e-6
            assert not (candidate.ruled_out and candidate.kept)
        assert abs(sum(c.kept for c in step.candidates) - 1) <= 1e-4 + _unlisted(step, theirs)


def _unlisted(step: Step, theirs: torch.Tensor) -> float:
    return 1 - float(theirs[[candidate.token for candidate in step.candidates]].sum())


@pytest.mark.parametrize("sampling", [None, DRAWN], ids=["greedy", "sample"])
@pytest.mark.parametrize(("config", "said"), CASES.values(), ids=CASES)
def test_what_a_step_chose_from(
    tmp_path: Path, config: Mapping[str, Any], said: Mapping[str, Any], sampling: Sampling | None
) -> None:
    theirs, ours = saved(tmp_path, config, said), load_model(tmp_path)
    torch.manual_seed(3)
    drawn = sampling and {
        "temperature": 1.4, "top_k": 12, "top_p": 0.9, "repetition_penalty": 1.3,
    }  # fmt: skip
    out = theirs.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, len(PROMPT), dtype=torch.long),
        do_sample=sampling is not None,
        max_new_tokens=NEW,
        return_dict_in_generate=True,
        output_scores=True,
        **(drawn or {}),
    )
    written = out.sequences[0].tolist()[-len(out.scores) :]
    request = DecodeRequest(
        run=ours.trace(ids=PROMPT).request,
        strategy="greedy" if sampling is None else "sample",
        sampling=sampling or Sampling(),
        max_new_tokens=NEW,
        # The draws differ, what is drawn from must not.
        forced=() if sampling is None else tuple(enumerate(written)),
    )
    decoding = ours.decoding(request)
    while decoding.finished is None:
        decoding.step()
    assert [step.token for step in decoding.steps] == written
    check(decoding.steps, [scores[0] for scores in out.scores])
    special = ours.spec.special
    first = special.forced_first if ours.spec.encoder is not None else None
    assert decoding.steps[0].fixed == first
    if len(written) == NEW:
        assert decoding.steps[-1].fixed == special.forced_last
    ruled = [c for s in decoding.steps[1:-1] for c in s.candidates if c.ruled_out]
    assert {c.token for c in ruled} <= set(special.suppressed)
    assert max(c.probability for c in ruled) > 0.01


@pytest.mark.parametrize(("config", "said"), CASES.values(), ids=CASES)
def test_what_a_beam_chose_from(
    tmp_path: Path, config: Mapping[str, Any], said: Mapping[str, Any]
) -> None:
    theirs, ours = saved(tmp_path, config, said), load_model(tmp_path)
    out = theirs.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, len(PROMPT), dtype=torch.long),
        do_sample=False,
        max_new_tokens=NEW,
        num_beams=3,
        return_dict_in_generate=True,
        output_scores=True,
    )
    run = ours.trace(ids=PROMPT).request
    search = BeamSearch(ours, DecodeRequest(run=run, strategy="beam", beams=3, max_new_tokens=NEW))
    steps = search.steps(search.run()[0].id)
    beams = out.beam_indices[0].tolist()
    check(list(steps), [out.scores[i][beams[i]] for i in range(len(steps))])


def test_one_that_is_set_leads_its_list_however_unlikely(tmp_path: Path) -> None:
    saved(tmp_path, BART, START | {"forced_bos_token_id": 51})
    logits = (
        load_model(tmp_path)
        .decoding(DecodeRequest(run=load_model(tmp_path).trace(ids=PROMPT).request))
        .step()
        .logits
    )
    unlikely = int(logits.argmin())
    saved(tmp_path / "other", BART, START | {"forced_bos_token_id": unlikely})
    ours = load_model(tmp_path / "other")
    step = ours.decoding(DecodeRequest(run=ours.trace(ids=PROMPT).request)).step()
    first, *rest = step.candidates
    assert (step.token, step.fixed, first.token, first.kept) == (unlikely, unlikely, unlikely, 1)
    assert len(step.candidates) == 50
    assert all(c.ruled_out and c.kept == 0 for c in rest)
    assert not first.ruled_out
    likeliest = logits.topk(49).indices.tolist()
    assert [c.token for c in rest] == likeliest

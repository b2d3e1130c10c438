"""A search that the settings let write no further ends with what it has, as the reference's."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import torch

from core import load_model
from core.decoding.beam import BeamSearch
from core.errors import RequestError
from core.loaded import LoadedModel
from core.request import DecodeRequest
from tests.core.checkpoints.test_generation import GPT2, saved

SIX, NEW = GPT2 | {"vocab_size": 6}, 7  # six tokens that come once: no text has more
ONCE = {"eos_token_id": 7, "pad_token_id": 0, "no_repeat_ngram_size": 1}


def search(ours: LoadedModel, prompt: list[int], beams: int, **how: Any) -> BeamSearch:
    run = ours.trace(ids=prompt).request
    asked = DecodeRequest(run=run, strategy="beam", beams=beams, max_new_tokens=NEW, **how)
    return BeamSearch(ours, asked)


@pytest.mark.parametrize("renormalised", [None, True])
@pytest.mark.parametrize("beams", [2, 3])
@pytest.mark.parametrize("prompt", [[1, 2], [0]])
@pytest.mark.parametrize("end", [5, [4, 5]], ids=str)
def test_it_ends_with_what_has_ended(
    tmp_path: Path, prompt: list[int], beams: int, end: Any, renormalised: bool | None
) -> None:
    said = ONCE | {"eos_token_id": end, "renormalize_logits": renormalised}
    theirs = saved(tmp_path, SIX, said)
    found = search(load_model(tmp_path), prompt, beams)
    best = found.run()[0]
    text = [*prompt, *(node.token for node in found.path(best.id))]
    expected = theirs.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        max_new_tokens=NEW,
        num_beams=beams,
        do_sample=False,
    )
    assert text == expected[0].tolist()
    assert best.fate == "ended"
    assert [step.token for step in found.steps(best.id)] == text[len(prompt) :]


def test_where_none_has_ended_the_likeliest_counts(tmp_path: Path) -> None:
    saved(tmp_path, SIX, ONCE)
    ours = load_model(tmp_path)
    found = search(ours, [1, 2], 30)  # as many as there are texts
    best = found.run()
    assert found.finished == "the settings rule out every further token"
    texts = [[1, 2, *(node.token for node in found.path(one.id))] for one in best]
    assert sorted(texts) == [[1, 2, *rest] for rest in permutations((0, 3, 4, 5))]
    logs = [torch.log_softmax(ours.trace(ids=text).logits, -1) for text in texts]
    totals = [
        sum(float(log[i, text[i + 1]]) for i in range(1, 5))
        for log, text in zip(logs, texts, strict=True)
    ]
    assert totals == sorted(totals, reverse=True)
    assert [one.score for one in best] == pytest.approx([total / 4 for total in totals], abs=1e-4)
    assert all(one.fate == "ended" for one in best)
    assert best[0].why.endswith(", as nothing may follow")


def test_a_text_that_nothing_may_follow_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, SIX, ONCE)
    found = search(load_model(tmp_path), [0, 1, 2, 3, 4, 5], 2)
    with pytest.raises(RequestError, match="its settings rule out every token here"):
        found.run()


def test_a_token_by_hand_leads_on(tmp_path: Path) -> None:
    saved(tmp_path, SIX, ONCE)
    found = search(load_model(tmp_path), [0, 1, 2, 3, 4, 5], 2, forced=((0, 3),))
    best = found.run()[0]
    (step,) = found.steps(best.id)
    assert (step.token, step.forced) == (3, True)
    assert all(one.ruled_out for one in step.candidates)

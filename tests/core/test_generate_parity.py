"""Greedy, sampled and beam decoding beside transformers' own `generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GenerationConfig
from transformers.generation import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from core import LoadedModel, load_model
from core.decoding.beam import BeamSearch
from core.decoding.filters import probabilities
from core.errors import RequestError
from core.request import DecodeRequest, RunRequest, Sampling
from core.tokens import Tokens
from tests.core.families import reference

CONFIGS: dict[str, dict[str, Any]] = {
    "gpt2": {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 61,
        "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64,
        "bos_token_id": 0, "eos_token_id": 7, "pad_token_id": 0,
    },
    "t5": {
        "model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": 61,
        "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4,
        "decoder_start_token_id": 0, "eos_token_id": 1, "pad_token_id": 0,
        "tie_word_embeddings": True,
    },
    "bart": {
        "model_type": "bart", "architectures": ["BartForConditionalGeneration"],
        "vocab_size": 61, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48,
        "decoder_ffn_dim": 48, "max_position_embeddings": 64, "bos_token_id": 0,
        "eos_token_id": 2, "pad_token_id": 1, "decoder_start_token_id": 2,
        "forced_bos_token_id": 0, "forced_eos_token_id": 2,
    },
}  # fmt: skip
PROMPT = [5, 17, 33, 9, 41, 12]


@pytest.fixture(scope="module", params=CONFIGS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    config = CONFIGS[request.param]
    theirs = reference.make(config, seed=3)
    # Sharp distributions leave beam search nothing to weigh; these are soft enough to branch.
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.mul_(0.6)
    folder = tmp_path_factory.mktemp(request.param)
    theirs.save_pretrained(folder)
    return theirs, load_model(Path(folder))


def start(ours: LoadedModel) -> RunRequest:
    decoder_start = ours.spec.special.decoder_start
    target = None if ours.spec.encoder is None else Tokens.of_ids([decoder_start or 0])
    return RunRequest(source=Tokens.of_ids(PROMPT), target=target)


def settings(theirs: Any, **more: Any) -> GenerationConfig:
    special = {
        name: getattr(theirs.generation_config, name)
        for name in (
            "bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id",
            "forced_bos_token_id", "forced_eos_token_id",
        )
    }  # fmt: skip
    return GenerationConfig(
        **special, return_dict_in_generate=True, output_scores=True, do_sample=False, **more
    )


def generate(theirs: Any, **more: Any) -> Any:
    return theirs.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, len(PROMPT), dtype=torch.long),
        generation_config=settings(theirs, **more),
    )


def new_tokens(theirs: Any, sequence: torch.Tensor) -> list[int]:
    first = 1 if theirs.config.is_encoder_decoder else len(PROMPT)
    return sequence[first:].tolist()


@pytest.mark.parametrize("penalty", [1.0, 1.4])
def test_greedy(pair: Any, penalty: float) -> None:
    theirs, ours = pair
    expected = generate(theirs, max_new_tokens=16, repetition_penalty=penalty)
    request = DecodeRequest(
        run=start(ours), max_new_tokens=16, sampling=Sampling(repetition_penalty=penalty)
    )
    decoding = ours.decoding(request)
    while decoding.finished is None:
        decoding.step()
    found = [s.token for s in decoding.steps]
    assert found == new_tokens(theirs, expected.sequences[0])
    assert len(set(found)) > 1
    assert not any(step.forced for step in decoding.steps), "nothing was taken by hand"
    for step, scores in zip(decoding.steps, expected.scores, strict=True):
        if penalty == 1.0 and not _fixed(ours, step, 15):
            assert (step.logits - scores[0]).abs().max() <= 1e-4


@pytest.mark.parametrize("beams", [2, 4])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0, -1.0])
@pytest.mark.parametrize("new", [3, 14])
def test_beam_search(pair: Any, beams: int, length_penalty: float, new: int) -> None:
    theirs, ours = pair
    expected = generate(
        theirs,
        max_new_tokens=new,
        num_beams=beams,
        num_return_sequences=beams,
        length_penalty=length_penalty,
        early_stopping=False,
    )
    request = DecodeRequest(
        run=start(ours),
        strategy="beam",
        beams=beams,
        length_penalty=length_penalty,
        max_new_tokens=new,
    )
    search = BeamSearch(ours, request)
    best = search.run()
    assert len(best) == beams
    for hypothesis, sequence, score in zip(
        best, expected.sequences, expected.sequences_scores.tolist(), strict=True
    ):
        tokens = [h.token for h in search.path(hypothesis.id)]
        theirs_tokens = new_tokens(theirs, sequence)
        assert tokens == theirs_tokens[: len(tokens)]
        assert all(t == ours.spec.special.pad for t in theirs_tokens[len(tokens) :])
        assert abs(hypothesis.score - score) <= 1e-4


def test_beam_search_with_repetition_penalty(pair: Any) -> None:
    theirs, ours = pair
    expected = generate(theirs, max_new_tokens=10, num_beams=3, repetition_penalty=1.5)
    sampling = Sampling(repetition_penalty=1.5)
    request = DecodeRequest(
        run=start(ours), strategy="beam", beams=3, max_new_tokens=10, sampling=sampling
    )
    search = BeamSearch(ours, request)
    best = search.run()[0]
    tokens = [h.token for h in search.path(best.id)]
    assert tokens == new_tokens(theirs, expected.sequences[0])[: len(tokens)]
    assert abs(best.score - float(expected.sequences_scores[0])) <= 1e-4


def test_a_beams_candidates_are_weighed_as_the_search_did(pair: Any) -> None:
    theirs, ours = pair
    expected = generate(theirs, max_new_tokens=10, num_beams=3, repetition_penalty=1.8)
    sampling = Sampling(repetition_penalty=1.8)
    request = DecodeRequest(
        run=start(ours), strategy="beam", beams=3, max_new_tokens=10, sampling=sampling
    )
    search = BeamSearch(ours, request)
    moved = 0
    for step in search.steps(search.run()[0].id):
        if _fixed(ours, step, 9):
            continue
        beam = int(expected.beam_indices[0, step.index])
        scores = expected.scores[step.index][beam].softmax(-1)
        for candidate in step.candidates:
            assert abs(candidate.kept - float(scores[candidate.token])) <= 1e-5
            moved += abs(candidate.kept - candidate.probability) > 1e-3
    assert moved


def test_the_tree_tells_what_became_of_every_hypothesis(pair: Any) -> None:
    _, ours = pair
    request = DecodeRequest(run=start(ours), strategy="beam", beams=3, max_new_tokens=6)
    search = BeamSearch(ours, request)
    while search.finished is None:
        found = search.step()
        kept = [h for h in found if h.fate == "kept"]
        assert len(kept) <= 3
        assert all(h.why for h in found)
        for h in found:  # the last step ends every text: by itself or not
            if "only the first" in h.why:
                ended = h.token in ours.spec.special.end
                assert h.why.startswith("ended as" if ended else "was cut as")
        dropped = [h.log_probability for h in found if h.fate == "dropped"]
        assert not dropped or not kept or max(dropped) <= max(k.log_probability for k in kept)
    assert [h.score for h in search.best] == sorted((h.score for h in search.best), reverse=True)
    for hypothesis in search.best:
        steps = search.steps(hypothesis.id)
        assert [s.token for s in steps] == [h.token for h in search.path(hypothesis.id)]
        fresh = ours.run(
            RunRequest(source=steps[-1].trace.request.source, target=steps[-1].trace.request.target)
        )
        last = len(fresh.tokens["decoder"]) - 1
        assert (fresh.logits[last] - steps[-1].logits).abs().max() <= 1e-4
        total = sum(
            float(s.logits.log_softmax(-1)[s.token]) for s in steps if not _fixed(ours, s, 5)
        )
        assert abs(total - hypothesis.log_probability) <= 1e-3


def _fixed(ours: LoadedModel, step: Any, last: int) -> bool:
    special = ours.spec.special
    first = step.index == 0 and special.forced_first is not None
    return first or (step.index == last and special.forced_last is not None)


@pytest.mark.parametrize("at", [1, 3])
def test_a_token_forced_by_hand_is_every_beams_next(pair: Any, at: int) -> None:
    """As where the reference may choose no other there: its probability counts."""
    theirs, ours = pair
    token, first = 40, 1 if theirs.config.is_encoder_decoder else len(PROMPT)
    expected = theirs.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, len(PROMPT), dtype=torch.long),
        prefix_allowed_tokens_fn=lambda _, ids: (
            [token] if len(ids) == first + at else list(range(61))
        ),
        generation_config=settings(theirs, max_new_tokens=7, num_beams=3, num_return_sequences=3),
    )
    request = DecodeRequest(
        run=start(ours), strategy="beam", beams=3, max_new_tokens=7, forced=((at, token),)
    )
    search = BeamSearch(ours, request)
    best = search.run()
    for hypothesis, sequence, score in zip(
        best, expected.sequences, expected.sequences_scores.tolist(), strict=True
    ):
        tokens = [h.token for h in search.path(hypothesis.id)]
        assert tokens == new_tokens(theirs, sequence)[: len(tokens)]
        assert abs(hypothesis.score - score) <= 1e-4
        steps = search.steps(hypothesis.id)
        assert [s.index for s in steps if s.forced] == ([at] if len(steps) > at else [])
    assert {h.token for h in search.nodes if h.index == at} == {token}
    assert all(h.log_probability > float("-inf") for h in search.nodes)


def test_narrowing_leaves_beams_alone(pair: Any) -> None:
    _, ours = pair
    plain, narrowed = (
        BeamSearch(
            ours,
            DecodeRequest(
                run=start(ours), strategy="beam", beams=3, max_new_tokens=4, sampling=sampling
            ),
        )
        for sampling in (Sampling(), Sampling(temperature=2.0, top_k=1, top_p=0.1, min_p=0.5))
    )
    assert plain.run() == narrowed.run()
    for step in narrowed.steps(narrowed.best[0].id):
        if _fixed(ours, step, 3):
            continue
        assert all(candidate.kept == candidate.probability for candidate in step.candidates)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=0.7),
        Sampling(top_k=5),
        Sampling(top_p=0.6),
        Sampling(min_p=0.2),
        Sampling(repetition_penalty=1.7),
        Sampling(temperature=1.6, top_k=12, top_p=0.8, min_p=0.1, repetition_penalty=1.3),
    ],
)
def test_narrowed_distributions(sampling: Sampling) -> None:
    """The reference's processors in its own order, at 50 random distributions."""
    warpers = LogitsProcessorList()
    warpers.append(RepetitionPenaltyLogitsProcessor(sampling.repetition_penalty))
    warpers.append(TemperatureLogitsWarper(sampling.temperature))
    warpers.append(TopKLogitsWarper(sampling.top_k or 61))
    warpers.append(TopPLogitsWarper(sampling.top_p))
    if sampling.min_p:
        warpers.append(MinPLogitsWarper(sampling.min_p))
    for seed in range(50):
        generator = torch.Generator().manual_seed(seed)
        logits = torch.randn(61, generator=generator) * 3
        expected = warpers(torch.tensor([PROMPT]), logits[None].clone())[0].softmax(-1)
        found = probabilities(logits, sampling, PROMPT)
        assert (found - expected).abs().max() <= 1e-6


def test_bad_requests(pair: Any) -> None:
    _, ours = pair
    with pytest.raises(RequestError, match="at least 1"):
        BeamSearch(ours, DecodeRequest(run=start(ours), strategy="beam", beams=0))
    with pytest.raises(RequestError, match="use BeamSearch"):
        ours.decoding(DecodeRequest(run=start(ours), strategy="beam"))

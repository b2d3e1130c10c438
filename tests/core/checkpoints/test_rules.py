"""Settings that look at the text so far, many at once: every step chooses as the reference does."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from core import LoadedModel, load_model
from core.decoding.beam import BeamSearch
from core.request import DecodeRequest, Sampling, Step
from tests.core.checkpoints.test_generation import BART, GPT2, T5, saved

VOCAB, NEW = 24, 10
LLAMA: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": VOCAB,
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
    "bos_token_id": 0, "eos_token_id": 7, "pad_token_id": 0,
}  # fmt: skip
MODELS = {
    "gpt2": GPT2 | {"vocab_size": VOCAB},
    "llama": LLAMA,
    "t5": T5 | {"vocab_size": VOCAB, "decoder_start_token_id": 0},
    "bart": BART | {"vocab_size": VOCAB},
}
PROMPTS = [5, 17, 13, 5, 17], [6]


def settings(seed: int, config: dict[str, Any]) -> dict[str, Any]:
    """Some of the rules, drawn; several end tokens and many phrases, so that all of them bite."""
    draw = random.Random(seed)
    found: dict[str, Any] = {
        "no_repeat_ngram_size": draw.choice([0, 1, 2, 3]),
        "encoder_no_repeat_ngram_size": draw.choice([0, 1, 2, 3]),
        "min_length": draw.choice([0, 4, 8]),
        "min_new_tokens": draw.choice([None, None, 0, 3]),
        "begin_suppress_tokens": draw.sample(range(VOCAB), draw.choice([0, 12])),
        "bad_words_ids": [
            draw.choices(range(VOCAB), k=draw.choice([2, 2, 2, 3])) for _ in range(200)
        ],
        "repetition_penalty": draw.choice([1.0, 1.3, 0.8]),
        "forced_bos_token_id": draw.choice([None, 11]),
        "forced_eos_token_id": draw.choice([None, 9]),
        "renormalize_logits": draw.choice([None, True]),
    }
    kept = {key: value for key, value in found.items() if value and draw.random() < 0.9}
    if draw.random() < 0.3:
        kept["min_new_tokens"] = 0  # then a least length of the whole text does not count
    start = config.get("decoder_start_token_id")
    ends = draw.sample(range(VOCAB), 4)
    return kept | {"eos_token_id": ends, "pad_token_id": 0, "decoder_start_token_id": start}


@pytest.fixture(scope="module", params=range(20, 32))
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    seed = request.param
    name = list(MODELS)[seed % len(MODELS)]
    folder = tmp_path_factory.mktemp(name)
    theirs = saved(folder, MODELS[name], settings(seed, MODELS[name]))
    return theirs, load_model(Path(folder))


def generate(theirs: Any, prompt: list[int], **how: Any) -> Any:
    torch.manual_seed(3)
    return theirs.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        max_new_tokens=NEW,
        return_dict_in_generate=True,
        output_scores=True,
        **how,
    )


def request(ours: LoadedModel, prompt: list[int], **how: Any) -> DecodeRequest:
    """Under the checkpoint's own penalty."""
    penalty = Sampling(repetition_penalty=ours.spec.repetition_penalty)
    run = ours.trace(ids=prompt).request
    return DecodeRequest(run=run, max_new_tokens=NEW, **{"sampling": penalty} | how)


def check(steps: list[Step], expected: list[torch.Tensor]) -> None:
    """Each list against the processed scores [vocab] of the reference at the same step."""
    assert len(steps) == len(expected)
    for step, scores in zip(steps, expected, strict=True):
        theirs, own = scores.softmax(-1).tolist(), step.logits.softmax(-1).tolist()
        assert len(step.candidates) == VOCAB
        for one in step.candidates:
            assert one.kept == pytest.approx(theirs[one.token], abs=2e-5)
            assert one.probability == pytest.approx(own[one.token], abs=1e-6)
            assert one.ruled_out == bool(scores[one.token] == -torch.inf)


@pytest.mark.parametrize("prompt", PROMPTS, ids=["many", "one"])
@pytest.mark.parametrize("strategy", ["greedy", "sample"])
def test_every_step(pair: Any, prompt: list[int], strategy: str) -> None:
    theirs, ours = pair
    out = generate(theirs, prompt, do_sample=strategy == "sample")
    written = out.sequences[0].tolist()[-len(out.scores) :]
    drawn = strategy == "sample"
    # The draws differ, what is drawn from must not.
    forced = tuple(enumerate(written)) if drawn else ()
    decoding = ours.decoding(request(ours, prompt, strategy=strategy, forced=forced))
    while decoding.finished is None:
        decoding.step()
    assert [step.token for step in decoding.steps] == written
    check(decoding.steps, [scores[0] for scores in out.scores])


@pytest.mark.parametrize("prompt", PROMPTS, ids=["many", "one"])
def test_every_step_of_a_beam(pair: Any, prompt: list[int]) -> None:
    theirs, ours = pair
    out = generate(theirs, prompt, do_sample=False, num_beams=3)
    search = BeamSearch(ours, request(ours, prompt, strategy="beam", beams=3))
    first = search.run()[0]
    steps, beams = search.steps(first.id), out.beam_indices[0].tolist()
    written = [step.token for step in steps]
    begun = steps[0].trace.tokens["decoder"].ids
    assert [*begun, *written] == out.sequences[0].tolist()[: len(begun) + len(written)]
    assert first.score == pytest.approx(float(out.sequences_scores[0]), abs=1e-4)
    check(list(steps), [out.scores[i][beams[i]] for i in range(len(steps))])

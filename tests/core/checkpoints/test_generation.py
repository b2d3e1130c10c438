"""Settings for writing, in config.json and beside it: greedy and beam text as the reference's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from core import load_model
from core.decoding.beam import BeamSearch
from core.errors import CheckpointError
from core.request import DecodeRequest, Sampling
from tests.core.families import reference

BART: dict[str, Any] = {
    "model_type": "bart", "architectures": ["BartForConditionalGeneration"],
    "vocab_size": 61, "d_model": 32, "encoder_layers": 1, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48, "max_position_embeddings": 64, "bos_token_id": 0,
    "eos_token_id": 2, "pad_token_id": 1, "decoder_start_token_id": 2,
}  # fmt: skip
GPT2: dict[str, Any] = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 61,
    "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64,
    "bos_token_id": 0, "eos_token_id": 7, "pad_token_id": 0,
}  # fmt: skip
T5: dict[str, Any] = {
    "model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": 61,
    "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 1, "num_heads": 4,
    "eos_token_id": 1, "pad_token_id": 0,
}  # fmt: skip
UNSTARTED = {key: value for key, value in BART.items() if key != "decoder_start_token_id"}
START = {"eos_token_id": 2, "pad_token_id": 1, "decoder_start_token_id": 2}
END = {"eos_token_id": 7, "pad_token_id": 0}
FORCED = {"forced_bos_token_id": 51, "forced_eos_token_id": 9}
PROMPT = [5, 17, 33, 9, 41, 12]
NEW = 9

CASES: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {
    "config.json alone": (BART | FORCED, None),
    "an old flag": (BART | FORCED | {"force_bos_token_to_be_generated": True}, None),
    "the file beside it alone": (BART, START | FORCED),
    "silent about the first and the last": (BART | FORCED, START),
    "null": (BART | FORCED, START | {"forced_bos_token_id": None}),
    "one of two": (BART | FORCED, START | {"forced_bos_token_id": 50}),
    "an old flag that no longer counts": (
        BART | {"force_bos_token_to_be_generated": True, "bad_words_ids": [[5]]},
        START,
    ),
    "another start and two ends": (
        BART,
        START | {"eos_token_id": [2, 8], "decoder_start_token_id": 50},
    ),
    "a beginning of sentence and no start": (UNSTARTED | {"bos_token_id": 11}, None),
    "a null for a start": (BART | {"bos_token_id": 11, "decoder_start_token_id": None}, None),
    "a beginning of sentence and no start in T5": (T5 | {"bos_token_id": 11}, None),
    "a beginning of sentence before the other file's start": (
        BART,
        {"eos_token_id": 2, "pad_token_id": 1, "bos_token_id": 11},
    ),
    "a start before a beginning of sentence": (UNSTARTED, START | {"bos_token_id": 11}),
    "the last token of a lone decoder": (GPT2 | {"forced_eos_token_id": 7}, None),
    "the last token of a lone decoder, beside": (GPT2, END | {"forced_eos_token_id": 8}),
    "a first token that a longer prompt does not have": (GPT2, END | FORCED),
    "tokens never written": (GPT2, END | {"suppress_tokens": [0, 3, 7, 11, 60]}),
    "beams scored without the bad words": (
        BART,
        START | {"bad_words_ids": [[i] for i in range(0, 60, 3)], "renormalize_logits": True},
    ),
    "the same in config.json": (
        GPT2 | {"suppress_tokens": list(range(30)), "renormalize_logits": True},
        None,
    ),
    "no beams scored so where the file beside it is silent": (
        GPT2 | {"renormalize_logits": True},
        END | {"suppress_tokens": list(range(30))},
    ),
    "rules of the text so far in config.json": (
        BART | {"no_repeat_ngram_size": 1, "begin_suppress_tokens": [4, 51], "min_length": 2},
        None,
    ),
    "none where the file beside it is silent": (
        GPT2 | {"no_repeat_ngram_size": 1, "min_new_tokens": 8, "repetition_penalty": 1.2},
        END,
    ),
    "numbers below nothing": (GPT2, END | {"no_repeat_ngram_size": -1, "min_length": -5}),
    "bad words, one of them the end": (
        GPT2,
        END | {"bad_words_ids": [[i] for i in range(30)]},
    ),
}


def saved(folder: Path, config: Mapping[str, Any], said: Mapping[str, Any] | None) -> Any:
    """The reference's model of a folder with these two files."""
    late = (
        *FORCED, "bad_words_ids", "suppress_tokens", "renormalize_logits",
        "force_bos_token_to_be_generated", "no_repeat_ngram_size", "min_length",
        "early_stopping", "min_new_tokens", "begin_suppress_tokens", "repetition_penalty",
    )  # fmt: skip
    made = reference.make({k: v for k, v in config.items() if k not in late}, seed=4)
    with torch.no_grad():  # soft distributions leave beams something to weigh
        for parameter in made.parameters():
            parameter.mul_(0.6)
    made.save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "generation_config.json").unlink()
    if said is not None:
        (folder / "generation_config.json").write_text(json.dumps(said), "utf-8")
    name = config["architectures"][0]
    return getattr(transformers, name).from_pretrained(folder, attn_implementation="eager").eval()


def generated(theirs: Any, prompt: list[int], new: int, beams: int) -> tuple[list[int], float]:
    """(the decoder's whole sequence, the score of a beam)."""
    out = theirs.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        do_sample=False,
        max_new_tokens=new,
        num_beams=beams,
        return_dict_in_generate=True,
        output_scores=True,
    )
    score = 0.0 if beams == 1 else float(out.sequences_scores[0])
    return out.sequences[0].tolist(), score


def written(theirs: Any, prompt: list[int], new: int, beams: int) -> list[int]:
    ids, _ = generated(theirs, prompt, new, beams)
    return ids[1:] if theirs.config.is_encoder_decoder else ids[len(prompt) :]


@pytest.mark.parametrize(("config", "said"), CASES.values(), ids=CASES)
def test_written_as_the_reference_writes(
    tmp_path: Path, config: Mapping[str, Any], said: Mapping[str, Any] | None
) -> None:
    theirs, ours = saved(tmp_path, config, said), load_model(tmp_path)
    assert not any("decoding" in note or "eos_token_id" in note for note in ours.notes)
    for prompt, new in ((PROMPT, NEW), (PROMPT, 1), ([5], 4)):
        found = [step.token for step in ours.decode(ids=prompt, max_new_tokens=new)]
        run = ours.trace(ids=prompt).request
        begun = run.source if run.target is None else run.target
        assert [*begun.ids, *found] == generated(theirs, prompt, new, 1)[0]
        own = Sampling(repetition_penalty=ours.spec.repetition_penalty)
        search = BeamSearch(
            ours,
            DecodeRequest(run=run, strategy="beam", beams=3, max_new_tokens=new, sampling=own),
        )
        first = search.run()[0]
        best = [*begun.ids, *(node.token for node in search.path(first.id))]
        expected, score = generated(theirs, prompt, new, 3)
        assert best == expected[: len(best)]
        assert not set(expected[len(best) :]) - {theirs.generation_config.pad_token_id}
        assert abs(first.score - score) <= 1e-4


def test_the_last_token_may_be_one_of_several(tmp_path: Path) -> None:
    theirs = saved(tmp_path, GPT2, END | {"forced_eos_token_id": [9, 4, 11]})
    found = [step.token for step in load_model(tmp_path).decode(ids=PROMPT, max_new_tokens=4)]
    assert found == written(theirs, PROMPT, 4, 1)
    assert found[-1] == 4


def test_a_language_is_not_written_behind_a_text(tmp_path: Path) -> None:
    theirs, ours = saved(tmp_path, BART, START | FORCED), load_model(tmp_path)
    begun = [2, 51, 17]
    expected = theirs.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, len(PROMPT), dtype=torch.long),
        decoder_input_ids=torch.tensor([begun]),
        do_sample=False,
        max_new_tokens=5,
    )[0].tolist()
    found = ours.decode(ids=PROMPT, target_ids=begun, max_new_tokens=5)
    assert [*begun, *(step.token for step in found)] == expected


def test_without_an_end_of_its_own_the_configuration_ends_the_text(tmp_path: Path) -> None:
    """Many folders say so in config.json alone."""
    saved(tmp_path, BART, {"forced_bos_token_id": 51})
    ours = load_model(tmp_path)
    special = ours.spec.special
    assert (special.end, special.decoder_start, special.pad) == ((2,), 2, 1)
    assert (special.forced_first, special.forced_last) == (51, None)
    (note,) = [note for note in ours.notes if "eos_token_id" in note]
    assert (
        note == "generation_config.json names no eos_token_id; texts end with that of config.json"
    )


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({"encoder_repetition_penalty": 1.3}, " the encoder_repetition_penalty of 1.3"),
        (
            {"sequence_bias": [[[4], -2.0]], "exponential_decay_length_penalty": [3, 1.1]},
            " the exponential_decay_length_penalty and sequence_bias",
        ),
        (
            {"typical_p": 0.9, "epsilon_cutoff": 0.0, "eta_cutoff": 3e-4},
            ", where it samples, the typical_p of 0.9 and eta_cutoff of 0.0003",
        ),
        (
            {"stop_strings": ["."], "guidance_scale": 2, "watermarking_config": {}, "top_h": 0.4},
            " the guidance_scale of 2 and stop_strings and, where it samples, the top_h of 0.4",
        ),
    ],
)
def test_settings_that_are_not_followed_are_named(
    tmp_path: Path, said: Mapping[str, Any], names: str
) -> None:
    saved(tmp_path, GPT2, END | said)
    (note,) = [note for note in load_model(tmp_path).notes if "decoding" in note]
    assert note == f"decoding does not follow{names} that the checkpoint sets"


def test_a_chosen_penalty_stands_in_for_the_checkpoints_own(tmp_path: Path) -> None:
    theirs, ours = saved(tmp_path, GPT2, END | {"repetition_penalty": 1.6}), load_model(tmp_path)
    texts = []
    for penalty in (None, 1.0, 0.7):
        steps = list(ours.decode(ids=PROMPT, max_new_tokens=NEW, repetition_penalty=penalty))
        theirs.generation_config.repetition_penalty = penalty or 1.6
        texts.append([step.token for step in steps])
        assert texts[-1] == written(theirs, PROMPT, NEW, 1)
    assert texts[0] != texts[1] != texts[2]


def test_settings_that_change_nothing_are_not_named(tmp_path: Path) -> None:
    neutral = {
        "no_repeat_ngram_size": 0, "repetition_penalty": 1.0, "min_length": 0,
        "begin_suppress_tokens": [], "encoder_repetition_penalty": None, "num_beams": 4,
        "do_sample": True, "top_p": 0.9, "max_length": 50,
    }  # fmt: skip
    saved(tmp_path, GPT2 | {"no_repeat_ngram_size": 3}, END | neutral)
    assert not any("decoding" in note for note in load_model(tmp_path).notes)


@pytest.mark.parametrize("start", [{}, {"decoder_start_token_id": 7}])
def test_a_text_that_is_judged_begins_as_config_json_has_it(
    tmp_path: Path, start: Mapping[str, Any]
) -> None:
    judges = {"architectures": ["BartForSequenceClassification"], "bos_token_id": 11}
    theirs = reference.make(UNSTARTED | start | judges, seed=4)
    theirs.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    if not start:
        del config["decoder_start_token_id"]  # written down as 2, which is what BART has
        (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    said = {"bos_token_id": 5, "decoder_start_token_id": 6, "eos_token_id": 12}
    (tmp_path / "generation_config.json").write_text(json.dumps(said), "utf-8")
    trace = load_model(tmp_path).trace(ids=[*PROMPT, 2])
    assert trace.tokens["decoder"].ids[0] == start.get("decoder_start_token_id", 2)
    with torch.no_grad():
        expected = theirs(torch.tensor([[*PROMPT, 2]])).logits[0]
    assert (trace.heads["classes"] - expected).abs().max() <= 1e-4


def test_bad_words_that_are_no_tokens(tmp_path: Path) -> None:
    saved(tmp_path, GPT2, END)
    (tmp_path / "generation_config.json").write_text('{"bad_words_ids": [5]}', "utf-8")
    with pytest.raises(CheckpointError, match="must be a list of lists of token ids"):
        load_model(tmp_path)


def test_ids_outside_the_vocabulary_have_no_effect(tmp_path: Path) -> None:
    saved(tmp_path, BART, START | {"forced_bos_token_id": 61, "suppress_tokens": [-1, 70, 3]})
    special = load_model(tmp_path).spec.special
    assert special.forced_first is None
    assert special.suppressed == (3,)

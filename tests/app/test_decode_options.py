"""Options of `trifocal decode` that would do nothing are refused; what they usually are."""

from __future__ import annotations

import json
from dataclasses import fields
from inspect import signature

import pytest

from app.command import main
from app.decode_options import USUAL
from core import LoadedModel, load_model
from core.decoding import Filling
from core.request import DecodeRequest, Sampling

DECODER = ["decode", "--model", "random:decoder", "--text", "Hello"]
ENCODER = ["decode", "--model", "random:encoder", "--text", "a [MASK]"]

IDLE = [
    (DECODER, "--temperature 0.5", "--strategy sample"),
    (DECODER, "--top-k 5", "--strategy sample"),
    (DECODER, "--top-p 0.5 --strategy beam", "--strategy sample"),
    (DECODER, "--min-p 0.5", "--strategy sample"),
    (DECODER, "--seed 1", "--strategy sample"),
    (DECODER, "--beams 2", "--strategy beam"),
    (DECODER, "--length-penalty 2 --strategy sample", "--strategy beam"),
    (DECODER, "--candidates 3", "only --json"),
    (DECODER, "--candidates 3 --strategy beam --json", "hypotheses"),
    (ENCODER, "--strategy sample", "encoder-only"),
    (ENCODER, "--max-new-tokens 1", "encoder-only"),
    (ENCODER, "--repetition-penalty 2", "encoder-only"),
    (ENCODER, "--seed 3", "encoder-only"),
    (ENCODER, "--beams 2", "encoder-only"),
]


@pytest.mark.parametrize(("command", "options", "why"), IDLE)
def test_an_option_that_would_do_nothing_is_refused(
    capsys: pytest.CaptureFixture[str], command: list[str], options: str, why: str
) -> None:
    assert main([*command, *options.split()]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert f"{options.split(maxsplit=1)[0]} would do nothing" in told.err
    assert why in told.err


def test_more_candidates_than_a_step_keeps_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*DECODER, "--json", "--max-new-tokens", "1", "--candidates"]
    assert main([*asked, "50"]) == 0
    assert len(json.loads(capsys.readouterr().out)["candidates"]) == 50
    assert main([*asked, "51"]) == 2
    assert "a step keeps 50 ready" in capsys.readouterr().err


def test_more_beams_than_memory_holds_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*DECODER, "--strategy", "beam", "--max-new-tokens", "1", "--beams"]
    assert main([*asked, "64"]) == 0
    capsys.readouterr()
    for count in (65, 10**20):
        assert main([*asked, str(count)]) == 2
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)
        assert f"--beams {count} are asked for; at most 64 are searched." in told.err


@pytest.mark.parametrize("command", [DECODER, ENCODER])
def test_an_option_as_it_usually_is_may_be_given(command: list[str]) -> None:
    known = {name: usual for name, usual in USUAL.items() if usual is not None}
    said = [f"--{name.replace('_', '-')}={usual}" for name, usual in known.items()]
    assert main([*command, *said]) == 0


def test_options_are_usually_those_of_python() -> None:
    known = {f.name: f.default for kind in (DecodeRequest, Sampling) for f in fields(kind)}
    penalty = signature(LoadedModel.decode).parameters["repetition_penalty"]
    known |= {"candidates": USUAL["candidates"], "repetition_penalty": penalty.default}
    assert {name: known[name] for name in USUAL} == USUAL


def test_a_filled_mask_tells_how_surprising_its_word_was(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*ENCODER, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    model = load_model("random:encoder")
    fill = Filling(model, model.request("a [MASK]")).step()
    assert (found["surprise_bits"], found["entropy_bits"]) == (fill.surprise, fill.entropy)

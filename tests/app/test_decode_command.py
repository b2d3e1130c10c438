"""`trifocal decode`, as a person runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app.command import main
from core import load_model
from core.builtin import FOLDER


def run(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert main(["decode", *line.split()]) == 0
    return capsys.readouterr().out


def test_one_json_object_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(
        capsys, "--model random:decoder --text Hello --max-new-tokens 4 --json --candidates 3"
    )
    found = [json.loads(line) for line in out.splitlines()]
    steps = list(load_model("random:decoder").decode("Hello", max_new_tokens=4))
    assert [f["token"] for f in found] == [s.token for s in steps]
    assert [f["probability"] for f in found] == pytest.approx([s.probability for s in steps])
    assert [len(f["candidates"]) for f in found] == [3] * 4
    assert found[-1]["finished"] == "4 new tokens"


def test_plain_text_is_the_text_of_the_last_step(capsys: pytest.CaptureFixture[str]) -> None:
    line = "--model random:decoder --text Hello --strategy sample --top-k 60 --seed 3"
    out = run(capsys, line)
    steps = list(load_model("random:decoder").decode("Hello", strategy="sample", top_k=60, seed=3))
    assert out == steps[-1].text + "\n"


def test_beams_come_best_first(capsys: pytest.CaptureFixture[str]) -> None:
    line = "--model random:encoder-decoder --text ab --strategy beam --beams 3 --json"
    found = [json.loads(row) for row in run(capsys, f"{line} --max-new-tokens 4").splitlines()]
    scores = [f["score"] for f in found]
    assert len(found) == 3
    assert scores == sorted(scores, reverse=True)


def test_an_encoder_fills_its_masks(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["decode", "--model", "random:encoder", "--text", "a [MASK] b [MASK]", "--json"]) == 0
    )
    found = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert [len(f["open"]) for f in found] == [2, 1]
    best = max(found[0]["open"], key=lambda o: o["probability"])
    assert found[0]["position"] == best["position"]


@pytest.mark.parametrize(
    ("line", "site"),
    [
        ("--model random:decoder --text Hello", "decoder.self"),
        ("--model random:decoder --text Hello --json", "decoder.self"),
        ("--model random:encoder --text a[MASK][MASK]", "encoder.self"),
        ("--model random:encoder-decoder --text ab --strategy beam --beams 2", "encoder.self"),
    ],
)
def test_what_could_not_be_taken_at_its_word_is_told_once(
    capsys: pytest.CaptureFixture[str], line: str, site: str
) -> None:
    assert main(["decode", *line.split(), "--mask", f"{site}=prefix:prefix=99"]) == 0
    _, source, _, text, *_ = line.split()
    source_tokens, _ = load_model(source).tokenize(text)
    random, *told = capsys.readouterr().err.splitlines()
    assert "weights drawn at random" in random
    assert "\n".join(told) == (
        f"trifocal: at {site}, prefix 99 of the mask 'Prefix LM' is more than the tokens of the "
        f"text and acts like {source_tokens.real()}"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "--model random:decoder --text Hello --strategy sample --top-p 4",
            "Top-p is 4.0; it must be above 0",
        ),
        ("--model random:encoder --text Hello", "has no mask"),
        ("--model random:decoder --text Hello --beams x", "Argument --beams: invalid int value"),
        ("--text Hello --candidates -2", "--candidates: -2 is given; it must be at least 0"),
        ("--text Hello --candidates x", "Argument --candidates: 'x' is no whole number"),
        ("--model random:decoder --text Hello --strategy beam --beams 0", "must be at least 1"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    capsys: pytest.CaptureFixture[str], line: str, sentence: str
) -> None:
    assert main(["decode", *line.split()]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


def test_what_the_checkpoint_rules_out_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shutil.copytree(FOLDER / "decoder", tmp_path / "decoder")
    own = json.loads(run(capsys, "--text Once --max-new-tokens 1 --json --model builtin:decoder"))
    end = json.loads((folder / "config.json").read_text("utf-8"))["eos_token_id"]
    said = {"eos_token_id": end, "suppress_tokens": [own["token"]], "guidance_scale": 1.5}
    (folder / "generation_config.json").write_text(json.dumps(said), "utf-8")
    line = f"--text Once --max-new-tokens 1 --json --model {folder}"
    assert main(["decode", *line.split()]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["token"] == own["candidates"][1]["token"]
    best = found["candidates"][0]
    assert (best["token"], best["kept"], best["ruled_out"]) == (own["token"], 0, True)
    assert best["probability"] == pytest.approx(own["probability"])
    assert not any(other["ruled_out"] for other in found["candidates"][1:])
    (note,) = told.err.splitlines()
    assert note.endswith("not follow the guidance_scale of 1.5 that the checkpoint sets")

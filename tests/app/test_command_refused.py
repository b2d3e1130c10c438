"""A command that cannot be carried out: one sentence, exit status 2 and no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.command import main

pytestmark = pytest.mark.usefixtures("qapp")  # else `render` would make one that is no widget's

RENDER = ["render", "--model", "random:encoder", "--text", "a cat"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*RENDER, "--layer", "9"], "layers 1 to 4, not 9"),
        ([*RENDER, "--layer", "0"], "layers 1 to 4, not 0"),
        ([*RENDER, "--head", "5"], "heads 1 to 4"),
        ([*RENDER, "--head", "first"], "heads 1 to 4, or mean"),
        ([*RENDER, "--head", "²"], "or mean, not '²'"),
        ([*RENDER, "--view", "telescope"], "no view 'telescope'"),
        ([*RENDER, "--site", "decoder.cross"], "it has encoder.self"),
        ([*RENDER, "--mask", "opaque"], "no mask 'opaque'"),
        ([*RENDER, "--mask", "local:window=wide"], "window=wide"),
        ([*RENDER, "--mask", "local:width=3"], "no parameter 'width'"),
        ([*RENDER, "--query", "99"], "not query 99"),
        ([*RENDER, "--width", "5"], "5"),
        ([*RENDER, "--layer", "two"], "two"),
        ([*RENDER, "--view", "over_time"], "--steps N"),
        ([*RENDER, "--view", "over_time", "--steps", "0"], "at least 1, not 0"),
        ([*RENDER, "--view", "over_time", "--steps", "2"], "no mask"),
        ([*RENDER, "--view", "compare"], "--against TEXT"),
        ([*RENDER, "--view", "two_runs"], "--against-mask its mask"),
        ([*RENDER, "--against-mask", "causal"], "1 --against-mask for 0 --against"),
        ([*RENDER, "--view", "beams"], "is encoder-only"),
        ([*RENDER, "--view", "branches", "--model", "random:decoder"], "--steps N"),
        ([*RENDER, "--view", "beams", "--model", "random:decoder"], "--beams N"),
        ([*RENDER, "--pad-side", "top"], "top"),
        ([*RENDER, "--pad-side", "left"], "give --pad-to"),
        ([*RENDER, "--sentences", "AB"], "give --pair"),
        ([*RENDER, "--sentences", "AC"], "AC"),
        ([*RENDER, "--heads-by", "beauty"], "beauty"),
        ([*RENDER, "--heads-by", "entropy"], "attention sorts no heads"),
        ([*RENDER, "--heads-reversed"], "attention sorts no heads"),
        ([*RENDER, "--find", " "], "writes ' '"),
        ([*RENDER, "--against-pair", "b"], "1 --against-pair for 0 --against"),
        (["render", "--model", "random:banana", "--text", "a"], "random:banana"),
        (["render", "--model", "nowhere/at/all", "--text", "a"], "nowhere"),
        (["render", "--model", "random:encoder", "--text", ""], "is empty"),
        (["render", "--model", "random:encoder"], "--text"),
        (["models", "all"], "all"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "map.svg"
    if arguments[0] == "render":
        arguments = [*arguments, "--out", str(out)]
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert said.lower() in told.err.lower()
    assert told.err.startswith("trifocal: ") and told.err.endswith(".\n")
    assert not told.err[10].islower()
    assert "Traceback" not in told.err
    assert not out.exists()


def test_a_picture_of_an_unknown_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RENDER, "--out", "map.pdf"]) == 2
    assert ".png, .svg or .csv" in capsys.readouterr().err

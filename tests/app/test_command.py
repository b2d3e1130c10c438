"""The command line, as a person runs it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from app.command import main

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.usefixtures("qapp")  # else `render` would make one that is no widget's


def trifocal(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_render_writes_an_svg_without_a_display(tmp_path: Path) -> None:
    out = tmp_path / "map.svg"
    done = trifocal(
        *("render", "--model", "random:encoder", "--text", "a cat", "--layer", "3"),
        *("--head", "mean", "--mask", "sliding_window:window=2", "--theme", "dark"),
        *("--out", str(out)),
        DISPLAY="",
        WAYLAND_DISPLAY="",
    )
    assert done.returncode == 0, done.stderr
    text = "".join(ET.parse(out).getroot().itertext())
    assert "layer 3 of 4" in text
    assert "mean of 4 heads" in text


def test_render_writes_the_numbers_of_the_model(tmp_path: Path) -> None:
    from core import load_model

    out = tmp_path / "map.csv"
    code = main(
        "render --model random:encoder-decoder --text ab --target c --site decoder.cross "
        f"--layer 2 --head 3 --out {out}".split()
    )
    assert code == 0
    trace = load_model("random:encoder-decoder").trace("ab", target="c")
    expected = trace.pattern("decoder.cross", 1, 2)
    numbers = [
        float(cell)
        for row in csv.reader(out.read_text(encoding="utf-8-sig").splitlines())
        for cell in row
        if _is_number(cell)
    ]
    for value in expected.flatten().tolist():
        assert any(abs(value - number) < 1e-4 for number in numbers), value


def test_render_draws_a_png_of_the_width_asked_for(tmp_path: Path) -> None:
    from PySide6.QtGui import QImage

    out = tmp_path / "map.png"
    code = main(
        f"render --model random:decoder --text cat --view all_heads --width 900 --out {out}".split()
    )
    assert code == 0
    assert QImage(str(out)).width() == 900


RENDER = ["render", "--model", "random:encoder", "--text", "a cat"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*RENDER, "--layer", "9"], "layers 1 to 4, not 9"),
        ([*RENDER, "--layer", "0"], "layers 1 to 4, not 0"),
        ([*RENDER, "--head", "5"], "heads 1 to 4"),
        ([*RENDER, "--head", "first"], "heads 1 to 4, or mean"),
        ([*RENDER, "--view", "telescope"], "no view 'telescope'"),
        ([*RENDER, "--site", "decoder.cross"], "it has encoder.self"),
        ([*RENDER, "--mask", "opaque"], "no mask 'opaque'"),
        ([*RENDER, "--mask", "local:window=wide"], "window=wide"),
        ([*RENDER, "--mask", "local:width=3"], "no parameter 'width'"),
        ([*RENDER, "--query", "99"], "not query 99"),
        ([*RENDER, "--width", "5"], "5"),
        ([*RENDER, "--layer", "two"], "two"),
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
    assert said in told.err
    assert "Traceback" not in told.err
    assert not out.exists()


def test_a_picture_of_an_unknown_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RENDER, "--out", "map.pdf"]) == 2
    assert ".png, .svg or .csv" in capsys.readouterr().err


def test_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("random:encoder ") for line in lines)
    assert any(line.startswith("random:vanilla ") for line in lines)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are a matter of X11")
def test_without_a_display_the_window_says_so() -> None:
    done = trifocal(DISPLAY="", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "trifocal render" in done.stderr


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

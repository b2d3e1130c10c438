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
RENDER = ["render", "--model", "random:encoder", "--text", "a cat"]

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


def test_render_tells_of_a_mask_that_asks_for_more_than_the_text_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "map.svg"
    line = f"render --model random:decoder --text cat --mask prefix:prefix=99 --out {out}"
    assert main(line.split()) == 0
    assert "trifocal: at decoder.self, prefix 99 of the mask" in capsys.readouterr().err


def test_render_draws_a_png_of_the_width_asked_for(tmp_path: Path) -> None:
    from PySide6.QtGui import QImage

    out = tmp_path / "map.png"
    code = main(
        f"render --model random:decoder --text cat --view all_heads --width 900 --out {out}".split()
    )
    assert code == 0
    assert QImage(str(out)).width() == 900


DECODING = [
    ("random:decoder", "a cat", "over_time", ["--steps", "3"], "The 3 tokens have"),
    ("random:decoder", "a cat", "branches", ["--steps", "3"], "One continuation so far"),
    ("random:decoder", "a cat", "beams", ["--beams", "3", "--steps", "4"], "3 beams"),
    ("random:encoder", "a [MASK] b [MASK]", "over_time", ["--steps", "9"], "The 2 tokens have"),
    ("random:encoder", "a cat", "compare", ["--against", "a dog"], "states of 2 texts"),
    ("random:encoder", "a cat", "two_runs", ["--against", "a dog"], "“a dog”"),
]


@pytest.mark.parametrize(("model", "text", "view", "more", "said"), DECODING)
def test_render_decodes_what_a_view_of_decoding_shows(
    model: str, text: str, view: str, more: list[str], said: str, tmp_path: Path
) -> None:
    out = tmp_path / "picture.svg"
    asked = ["render", "--model", model, "--text", text, "--view", view, *more, "--out", str(out)]
    assert main(asked) == 0
    assert said in "".join(ET.parse(out).getroot().itertext())


def test_render_shows_the_last_step_that_it_decoded(tmp_path: Path) -> None:
    """Its row is the query that predicted the last token."""
    from core import load_model

    out = tmp_path / "map.csv"
    asked = ["render", "--model", "random:decoder", "--text", "a cat", "--steps", "3"]
    assert main([*asked, "--out", str(out)]) == 0
    steps = list(load_model("random:decoder").decode("a cat", max_new_tokens=3))
    expected = steps[-1].trace.pattern("decoder.self", 0, 0)
    table = out.read_text(encoding="utf-8-sig")
    found = [float(row["weight"]) for row in csv.DictReader(table.splitlines())]
    assert found == pytest.approx(expected.flatten().tolist(), abs=1e-4)


def _written(out: Path, *arguments: str) -> str:
    assert main([*arguments, "--out", str(out)]) == 0
    return out.read_text(encoding="utf-8-sig")


def _table(out: Path, *arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_written(out, *arguments).splitlines()))


def test_render_leaves_out_what_it_is_told_to(tmp_path: Path) -> None:
    out = tmp_path / "map.csv"
    pair = [*RENDER, "--pair", "b, c"]
    whole, sinks = _table(out, *pair), _table(out, *pair, "--drop-sinks")
    sunk = {"[CLS]", "[SEP]", ","}
    assert sunk < {row["key label"] for row in whole if float(row["weight"]) > 0}
    assert sunk.isdisjoint({row["key label"] for row in sinks if float(row["weight"]) > 0})
    svg = _written(tmp_path / "map.svg", *pair, "--sentences", "AB")
    assert "Only A → B is shown" in svg


def test_render_fits_the_colours(tmp_path: Path) -> None:
    fixed = _written(tmp_path / "map.svg", *RENDER)
    fitted = _written(tmp_path / "map.svg", *RENDER, "--fit-colours")
    assert "colours scaled to this map" in fitted
    assert "colours scaled to this map" not in fixed


def test_render_sorts_the_heads(tmp_path: Path) -> None:
    arguments = [*RENDER, "--view", "head_table", "--heads-by", "entropy"]
    for turned in (False, True):
        rows = _table(tmp_path / "map.csv", *arguments, *["--heads-reversed"] * turned)
        found = [float(r["value"]) for r in rows if r["measure label"].startswith("entropy")]
        assert len(found) == 16
        assert found == sorted(found, reverse=not turned)


def test_render_finds_a_word(tmp_path: Path) -> None:
    from core import load_model

    asked = ["render", "--model", "random:encoder", "--text", "a [MASK] cat", "--find", "z"]
    rows = _table(tmp_path / "list.csv", *asked, "--view", "predictions")
    model = load_model("random:encoder")
    assert model.tokenizer is not None
    token = model.tokenizer.id_of("z")
    assert token is not None
    trace = model.trace("a [MASK] cat")
    mask = trace.spec.special.mask
    assert mask is not None
    logits = trace.logits_at(trace.tokens["encoder"].ids.index(mask))[0]
    rank = 1 + int((logits > logits[token]).sum())
    (row,) = [row for row in rows if row["token id"] == str(token)]
    assert f"rank {rank:,}" in row["note"]


def test_render_compares_with_several_texts_and_pairs(tmp_path: Path) -> None:
    more = ["--view", "compare", "--against", "a dog", "--against-pair", "a wolf"]
    text = _written(tmp_path / "map.svg", *RENDER, *more, "--against", "a cat")
    assert "states of 3 texts" in text
    alone = _table(tmp_path / "a.csv", *RENDER, "--view", "compare", "--against", "a dog")
    paired = _table(tmp_path / "b.csv", *RENDER, *more)
    assert "w" in {value for row in paired for value in row.values()}
    assert "w" not in {value for row in alone for value in row.values()}


def test_render_puts_two_masks_of_one_text_beside_each_other(tmp_path: Path) -> None:
    from core import load_model

    more = ["--view", "two_runs", "--mask", "causal", "--head", "2", "--against", "a cat"]
    rows = _table(tmp_path / "a.csv", *RENDER, *more, "--against-mask", "local:window=1")
    model = load_model("random:encoder")
    maps = [
        model.trace("a cat", masks={"encoder.self": mask}).pattern("encoder.self", 0, 1).numpy()
        for mask in ("local:window=1", "causal")
    ]
    drawn = [row for row in rows if row["panel"].startswith(("Kept: mask", "This run: mask"))]
    expected = [float(weight) for one in maps for weight in one.ravel()]
    assert [float(row["weight"]) for row in drawn] == pytest.approx(expected, abs=1e-6)
    text = _written(tmp_path / "map.svg", *RENDER, *more, "--against-mask", "local:window=1")
    assert "Local (both sides), window 1" in text
    assert main([*RENDER, *more, "--out", str(tmp_path / "b.svg")]) != 0, "one run twice"


def test_render_pads_on_either_side(tmp_path: Path) -> None:
    out = tmp_path / "map.svg"
    for side, first in (("left", "[PAD]"), ("right", "[CLS]")):
        assert main([*RENDER, "--pad-to", "12", "--pad-side", side, "--out", str(out)]) == 0
        words = [text.strip() for text in ET.parse(out).getroot().itertext() if text.strip()]
        assert words[words.index("Key (attended to)") + 1] == first  # the label of the first row


def test_help_names_every_view(capsys: pytest.CaptureFixture[str]) -> None:
    from app.views import views

    with pytest.raises(SystemExit):
        main(["render", "--help"])
    told = "".join(capsys.readouterr().out.split())
    assert all(view.key in told for view in views())
    for option in ("drop-sinks", "sentences", "fit-colours", "find", "heads-by", "against-mask"):
        assert f"--{option}" in told


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

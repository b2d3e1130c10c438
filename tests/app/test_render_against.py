"""Other texts are for the views that compare."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from app.command import main
from app.render_command import HINTS
from app.render_options import kept
from app.views import views
from core import load_model

pytestmark = pytest.mark.usefixtures("qapp")

COMPARING = {key for key, hint in HINTS.items() if "--against" in hint}


@pytest.mark.parametrize("view", sorted(view.key for view in views()))
def test_other_texts_are_refused_by_every_other_view(
    view: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "picture.csv"
    asked = ["render", "--model", "random:encoder", "--text", "a cat", "--against", "a dog"]
    code = main([*asked, "--view", view, "--out", str(out)])
    told = f"The view {view} compares no texts; compare and two_runs do." in capsys.readouterr().err
    assert (code, told) == ((0, False) if view in COMPARING else (2, True))


@pytest.mark.parametrize("side", ["left", "right"])
def test_other_texts_are_padded_as_the_first(side: str) -> None:
    model = load_model("random:encoder")
    asked = Namespace(
        against=["a dog"], against_pair=[], against_mask=[], target=None, pad_to=12, pad_side=side
    )
    (found,) = kept(asked, model, {})
    first = model.request("a cat", pad_to=12, pad_side=side).source
    assert found.tokens["encoder"].padding == first.padding
    assert sum(first.padding) > 0

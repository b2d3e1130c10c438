"""Other texts are for the views that compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.command import main
from app.render_command import HINTS
from app.views import views

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

"""Results that are no finite numbers are told of above their picture, which is drawn anyway."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.engine import Engine
from app.render import export
from app.selection import Selection
from app.theme import LIGHT
from app.views import ViewOptions, views
from tests.app.driver import Opener, heatmap, settled, type_text


class Spoilt(Engine):
    """A model with no number for position 30."""

    def load(self, source: str, device: str, report: Any, stop: Any) -> Any:
        from core import load_model

        model = load_model(source)
        table = model.network.stack("encoder").embedding.position
        table.weight.data = table.weight.data.clone()
        table.weight.data[30] = float("nan")
        return model


LONG = "a text of more than thirty characters"


def test_it_is_told_above_a_picture_that_is_not_old(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app(core=Spoilt())
    assert not app.window.banner.isVisible()
    type_text(app, LONG)
    settled(qtbot, app)
    assert app.window.banner.isVisible()
    text = app.window.banner.label.text()
    assert text.startswith("The results are no finite numbers: NaN stands first in embed.position")
    assert text.endswith("encoder.embedding.position.weight holds NaN.")
    assert not app.store.state.old
    assert not app.window.prompt.problem.isVisible()
    assert heatmap(app).values.shape == (len(LONG) + 2, len(LONG) + 2)
    app.window.banner.close_button.click()
    assert not app.window.banner.isVisible()
    type_text(app, f"{LONG} again")
    settled(qtbot, app)
    assert app.window.banner.isVisible()
    type_text(app, "a cat")
    settled(qtbot, app)
    assert not app.window.banner.isVisible()


def test_a_picture_without_the_window_tells_of_it_too(
    qapp: object,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import core
    from app.command import main

    spoilt = Spoilt().load("random:encoder", "cpu", None, None)
    monkeypatch.setattr(core, "load_model", lambda *given, **more: spoilt)
    out = tmp_path / "map.svg"
    assert main(["render", "--model", "random:encoder", "--text", LONG, "--out", str(out)]) == 0
    assert out.exists()
    assert "trifocal: the results are no finite numbers" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's, of what is drawn
@pytest.mark.parametrize("kind", ["encoder", "decoder", "encoder-decoder"])
@pytest.mark.parametrize("everywhere", [True, False])
def test_every_view_can_be_drawn(qapp: object, tmp_path: Path, kind: str, everywhere: bool) -> None:
    """A feed-forward network spoils every row, a position's embedding what comes after it."""
    from core import load_model

    model = load_model(f"random:{kind}")
    stack = model.network.stack(model.spec.stacks[-1].name)
    if everywhere:
        stack.blocks[1].feedforward.inner.weight.data[3] = float("nan")
    else:
        stack.embedding.token.weight.data[40:] = float("inf")
    text = "a [MASK] cat" if kind == "encoder" else "a cat"
    request = model.request(text, None, "a dog" if kind == "encoder-decoder" else None)
    for view in views():
        trace = model.run(request)
        assert model.trouble(trace)
        for site in model.spec.sites:
            name, part = site.split(".")
            selection = Selection(stack=name, part=part, layer=1, query=1, key=1)
            for looked_at in (selection, replace(selection, head=None, query=None, key=None)):
                figure = view.draw(trace, looked_at, ViewOptions())
                export.save(figure, tmp_path / f"{view.key}.svg", width=900, theme=LIGHT)

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from app import looking
from app.figure import Figure, Heatmap, Mosaic
from app.groups import GROUPS
from app.selection import Selection
from app.views import ViewOptions, view, views
from core import load_model
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from tests.traces import KINDS, sentence, trace_of, variants


def test_the_views_of_the_menu_come_in_order() -> None:
    keys = [v.key for v in views()]
    assert [k for k in keys if k in FIRST] == list(FIRST)
    assert len(set(keys)) == len(keys)


FIRST = ("attention", "all_heads", "hidden_states", "predictions")


def test_the_views_come_group_by_group_and_every_group_has_some() -> None:
    assert [key for key, _ in groupby(v.group for v in views())] == [g.key for g in GROUPS]
    assert len({g.title for g in GROUPS}) == len(GROUPS)
    assert all(sum(v.group == g.key for v in views()) <= 6 for g in GROUPS)


def test_views_and_groups_say_in_one_sentence_what_they_show() -> None:
    for one in (*views(), *GROUPS):
        assert 20 <= len(one.summary) <= 90, one.key
        assert one.summary[0].isupper(), one.key
        assert not one.summary.endswith("."), one.key


def test_a_view_in_a_group_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = replace(view("beams"), group="elsewhere")
    monkeypatch.setattr("app.views.beams.VIEW", lost)
    with pytest.raises(ValueError, match="'beams' is in no group that exists: 'elsewhere'"):
        views()


def test_an_unknown_view_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="no view 'heat'; there are attention"):
        view("heat")


def test_listing_the_views_imports_neither_torch_nor_qt() -> None:
    code = (
        "import sys; from app.views import views; assert views();"
        "print([m for m in ('torch', 'PySide6', 'pyqtgraph') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("kind", "length"),
    [*((kind, 9) for kind in KINDS), ("encoder", 1), ("rotary decoder", 1), ("translator", 1)],
)
@pytest.mark.parametrize("key", [v.key for v in views()])
def test_every_view_draws_every_kind_of_model_at_every_site(
    key: str, kind: str, length: int
) -> None:
    source = sentence(length, masked=(length // 2,)) if "encoder" in kind else None
    trace = trace_of(kind, length=length, target=max(1, length - 3), source=source)
    for site in ("encoder.self", "decoder.self", "decoder.cross"):
        stack, part = site.split(".")
        for head, query, limits in ((0, None, "fixed"), (None, 0, "auto"), (3, 99, "fixed")):
            selection = Selection(stack=stack, part=part, layer=1, head=head, query=query)
            figure = view(key).draw(trace, selection, ViewOptions(limits=limits))
            _sound(figure)


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder-decoder"])
def test_every_view_draws_a_decoding_step(source: str) -> None:
    model = load_model(source)
    steps = tuple(model.decode("ab", max_new_tokens=3))
    last = steps[-1]
    for chosen in views():
        selection = Selection(stack="decoder", layer=1, step=2)
        options = ViewOptions(step=last, steps=steps, pieces=str)
        figure = chosen.draw(last.trace, selection, options)
        _sound(figure)
        panel = figure.panels[0]
        if chosen.key in ("attention", "contribution"):
            assert isinstance(panel, Heatmap)
            assert panel.row == len(panel.rows.labels) - 1
            assert panel.rows.marks[-2:] == tuple(
                (len(panel.rows.labels) - i, "generated") for i in (2, 1)
            )


@pytest.mark.parametrize("name", variants())
def test_every_view_draws_rarer_models_too(name: str) -> None:
    made = variants()[name]
    target = sentence(4, offset=3) if made.architecture == "encoder-decoder" else None
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(6), target=target))
    for chosen in views():
        for head, query in ((1, 2), (None, None)):
            selection = Selection(stack=made.main_stack.name, layer=1, head=head, query=query)
            _sound(chosen.draw(trace, selection, ViewOptions()))


@pytest.mark.parametrize("key", [v.key for v in views() if v.prepare is not None])
def test_preparing_changes_nothing_in_the_picture(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "QUICK", 0)
    selection = Selection(stack="encoder", head=None)
    first, second = (trace_of("encoder", source=sentence(9, masked=(3,))) for _ in range(2))
    chosen = view(key)
    assert chosen.prepare is not None
    assert chosen.ready is not None
    assert not chosen.ready(first, selection, ViewOptions())
    chosen.prepare(first, selection, ViewOptions(), None)
    assert chosen.ready(first, selection, ViewOptions())
    drawn = chosen.draw(first, selection, ViewOptions())
    assert repr(drawn) == repr(chosen.draw(second, selection, ViewOptions()))


def _sound(figure: Figure) -> None:
    """Labels and shapes agree, colour scales have a length, nothing is NaN but what lies behind the
    end of a shorter vector."""
    assert figure.title
    assert figure.panels
    for panel in figure.panels:
        if isinstance(panel, Heatmap):
            assert panel.values.shape == (len(panel.rows.labels), len(panel.columns.labels))
            assert panel.hidden is None or panel.hidden.shape == panel.values.shape
            assert all(extra.shape == panel.values.shape for _, extra in panel.details)
        if isinstance(panel, Mosaic):
            assert panel.values.shape[:2] == (len(panel.rows.labels), len(panel.columns.labels))
        if isinstance(panel, Heatmap | Mosaic):
            assert panel.values.dtype.name == "float32"
            assert panel.limits[0] < panel.limits[1]
            missing = np.isnan(panel.values)
            if panel.rows.title == "Step":
                missing = missing & ~np.logical_and.accumulate(missing[:, ::-1], axis=1)[:, ::-1]
            assert not missing.any()

"""The numbers of the read-out, beside the formula."""

from __future__ import annotations

import pytest
import torch

from app.choices import Inputs
from app.examples import Example, masks_of, read
from app.looking import fitted
from app.reading import read as read_out
from app.selection import Selection
from app.views import views
from core.errors import RequestError
from core.masks import choose
from tests.app.driver import loaded


def test_every_number_follows_from_queries_and_keys() -> None:
    trace = loaded("random:decoder").trace("abcdef")
    selection = Selection(stack="decoder", layer=1, head=2, query=4, key=1)
    found = read_out(trace, selection)
    q, k = trace["decoder.1.self.q"][2, 4], trace["decoder.1.self.k"][2]
    assert found.product == pytest.approx(float(q @ k[1]), abs=1e-5)
    assert found.scale == pytest.approx(32**-0.5)
    assert found.score == pytest.approx(float(q @ k[1]) * 32**-0.5, abs=1e-5)
    weights = torch.softmax(k[:5] @ q * 32**-0.5, 0)
    assert found.weight == pytest.approx(float(weights[1]), abs=1e-6)
    assert found.rank == int((weights > weights[1]).sum()) + 1
    assert found.keys == 5
    assert found.allowed
    assert found.adjusted == ""


def test_a_masked_pair_and_the_mean() -> None:
    trace = loaded("random:decoder").trace("abcdef")
    masked = read_out(trace, Selection(stack="decoder", query=1, key=3, head=0))
    assert not masked.allowed
    assert masked.weight == 0
    mean = read_out(trace, Selection(stack="decoder", query=3, key=1, head=None))
    expected = trace.pattern("decoder.self", 0)[:, 3, 1].mean()
    assert mean.weight == pytest.approx(float(expected))
    assert mean.product is None


def test_a_pinned_row_or_column_lists_its_strongest() -> None:
    trace = loaded("random:encoder").trace("abcdef")
    row = trace.pattern("encoder.self", 0, 0)[3]
    found = read_out(trace, Selection(query=3))
    assert [place.index for place, _ in found.strongest] == row.topk(5).indices.tolist()
    column = trace.pattern("encoder.self", 0, 0)[:, 2]
    found = read_out(trace, Selection(key=2))
    assert [weight for _, weight in found.strongest] == column.topk(5).values.tolist()


def test_a_query_without_keys() -> None:
    trace = loaded("random:encoder").trace("abc", masks=masks_of("no_self", ("encoder.self",)) | {})
    assert not read_out(trace, Selection(query=1)).dead
    from core.masks import MaskChoice

    blocked = MaskChoice(blocked=tuple((1, key) for key in range(5)))
    trace = loaded("random:encoder").trace("abc", masks={"encoder.self": blocked})
    found = read_out(trace, Selection(query=1, key=2))
    assert found.dead
    assert found.weight == 0


def test_a_selection_is_kept_inside_the_model_and_the_text() -> None:
    model = loaded("random:encoder")
    trace = model.trace("ab")
    far = Selection(stack="decoder", part="cross", layer=40, head=40, query=9, key=3)
    assert fitted(far, model.spec, trace) == Selection(layer=3, head=3)
    kept = Selection(layer=2, head=None, query=3, key=0)
    assert fitted(kept, model.spec, trace) == kept


def test_masks_as_the_command_line_writes_them() -> None:
    sites = ("encoder.self", "decoder.self", "decoder.cross")
    found = masks_of("causal decoder.cross=local:window=2", sites)
    assert found["encoder.self"].key == "causal"
    assert found["decoder.cross"].params == (("window", 2),)
    joined = masks_of("causal encoder.self=local:window=2", sites)["encoder.self"]
    assert joined == choose("causal") & choose("local:window=2"), "each hides what it hides"
    assert masks_of("", sites) == {}
    with pytest.raises(RequestError, match=r"no attention site 'middle'"):
        masks_of("middle=causal", sites)


def test_examples_count_from_one(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "examples.toml"
    file.write_text(
        '[[example]]\ntitle = "One"\nmodel = "random:decoder"\ntext = "a b"\n'
        'site = "decoder.self"\nlayer = 3\nhead = "mean"\nmask = "causal"\n',
        encoding="utf-8",
    )
    (example,) = read(file)
    assert example.inputs == Inputs(text="a b")
    assert example.selection() == Selection(stack="decoder", layer=2, head=None)
    assert example.view == "attention", "unless it names another"
    file.write_text('[[example]]\ntitle = "Two"\nmodel = "m"\ntext = "a"\ncolour = 1\n')
    with pytest.raises(ValueError, match=r"'Two' is not understood"):
        read(file)
    assert read(tmp_path / "none.toml") == ()


def test_the_examples_that_ship_can_be_shown() -> None:
    known = {view.key for view in views()}
    shown = {example.title: example.view for example in read()}
    assert shown["Static sum: one word, two places"] == "embeddings"
    for example in read():
        assert isinstance(example, Example)
        assert example.view in known
        assert example.title
        assert example.text
        assert example.layer >= 1

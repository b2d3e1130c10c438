"""What is said beside two runs: true weights, what differs, and what is not judged."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from app.figure import Figure, Heatmap, WordGrid, Words
from app.render.readout import cell
from app.selection import Selection
from app.views import ViewOptions, view
from app.views._both import _bits
from app.views._growth import OPEN, OWN
from core.edits import Edit
from core.masks import choose
from core.request import RunRequest, Sampling
from core.run import run
from core.spec import Heads, PairHead, SpecialIds
from core.trace import Trace
from tests.app.views.test_sentences import PAIR
from tests.app.views.test_two_predictions import both, softmax
from tests.traces import network, sentence, trace_of


def test_sinks_left_out_have_their_own_weights_in_the_difference() -> None:
    masks = (("decoder.self", choose("sliding_window:window=4")),)
    kept, own = trace_of("decoder", length=7), trace_of("decoder", length=7, masks=masks)
    selection = Selection(stack="decoder", layer=1, head=0)
    options = ViewOptions(kept=(kept,), drop_sinks=True)
    panel = view("two_runs").draw(own, selection, options).panels[2]
    assert isinstance(panel, Heatmap)
    assert panel.left_out is not None and panel.left_out[1, 0] and not panel.left_out[1, 1]
    for name, trace in (("kept", kept), ("this run", own)):
        weight = float(trace.pattern("decoder.self", 1, 0)[1, 0])
        assert weight > 0.001
        assert dict(panel.details)[name][1, 0] == pytest.approx(weight, abs=1e-6)
        assert f"{name} {weight:.3f}" in cell(panel, 1, 0)
    shown = ~panel.left_out & ~(panel.hidden if panel.hidden is not None else False)
    told = [np.where(shown, values, 0) for _, values in panel.details]
    assert np.nan_to_num(told[1]) - np.nan_to_num(told[0]) == pytest.approx(
        np.where(shown, panel.values, 0), abs=1e-6
    )


def drawn(own: Trace, kept: Trace, site: str, **options: object) -> Figure:
    stack, part = site.split(".")
    selection = Selection(stack=stack, part=part, layer=1)
    return view("two_runs").draw(own, selection, ViewOptions(kept=(kept,), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("site", ["encoder.self", "decoder.self", "decoder.cross"])
def test_the_text_of_the_other_stack_is_said_to_differ(site: str) -> None:
    kept, target = trace_of("translator", length=3), sentence(4)
    source = trace_of("translator", source=sentence(3, offset=3))
    figure = drawn(source, kept, site)
    said = "The source text differs: kept “w5 w12 w19”, this run “w8 w15 w22”."
    assert (said in figure.note) == site.startswith("decoder")
    written = run(network("translator"), replace(kept.request, target=target))
    figure = drawn(written, kept, site)
    assert ("The target text differs: kept “" in figure.note) == (site == "encoder.self")
    assert "padded" not in figure.note
    wide = sentence(3).padded(5, pad=0, piece="[PAD]")
    figure = drawn(trace_of("translator", source=wide), kept, "decoder.self")
    assert "The source text is padded otherwise." in figure.note


def test_a_text_that_differs_late_is_not_told_by_its_beginning() -> None:
    kept = trace_of("translator", source=sentence(20))
    own = trace_of("translator", source=replace(sentence(20), ids=(*sentence(19).ids, 2)))
    assert (
        "The source text differs, though it begins alike." in drawn(own, kept, "decoder.self").note
    )


def test_edits_are_said_to_differ() -> None:
    edit = Edit(site="decoder.1.self.context", at=(("head", 1),))
    other = replace(edit, at=(("head", 2),))
    plain, once, twice = (trace_of("decoder", edits=edits) for edits in ((), (edit,), (other,)))
    assert (
        "The edits differ: kept no edit, this run 1 edit."
        in drawn(once, plain, "decoder.self").note
    )
    assert "The edits differ." in drawn(twice, once, "decoder.self").note


def test_where_one_run_is_no_pair_both_maps_are_whole() -> None:
    second = replace(PAIR, text="a b", pair="c d")
    alone = replace(PAIR, sequence=(None, 0, 0, 0, 0, 0, None), text="a b")
    pair, single = (trace_of("encoder", source=text) for text in (second, alone))
    for own, kept, which in ((pair, single, "this run"), (single, pair, "the kept run")):
        figure = drawn(own, kept, "encoder.self", sentences=(0, 1))
        assert f"Only {which} has a second sentence. Both maps are shown whole." in figure.note
        assert "A → B" not in figure.title + figure.note
        for panel in figure.panels[:3]:
            assert isinstance(panel, Heatmap)
            assert panel.left_out is None
    other = trace_of("encoder", source=replace(second, ids=(2, 10, 11, 3, 14, 13, 3), pair="e d"))
    figure = drawn(other, pair, "encoder.self", sentences=(0, 1))
    assert "The second sentence differs: kept “c d”, this run “e d”." in figure.note
    assert "Only A → B is shown" in figure.note
    first = figure.panels[0]
    assert isinstance(first, Heatmap)
    assert first.left_out is not None


@pytest.mark.parametrize("special", [{"forced_first": 9}, {"suppressed": (16, 1)}, {}])
def test_the_table_says_that_nothing_is_ruled_out(special: dict[str, object]) -> None:
    made = copy(network("translator"))
    rules = SpecialIds(pad=0, decoder_start=1, **special)  # type: ignore[arg-type]
    made.spec = replace(made.spec, special=rules)
    asked = RunRequest(source=sentence(7), target=sentence(1, offset=3))
    kept, own = (run(made, replace(asked, source=source)) for source in (sentence(7), sentence(5)))
    table = drawn(own, kept, "decoder.cross").panels[3]
    assert isinstance(table, WordGrid)
    assert table.title.endswith(OPEN) == bool(special)
    narrowed = drawn(own, kept, "decoder.cross", sampling=Sampling(top_k=2)).panels[3]
    assert narrowed.title.endswith(OWN)


def test_the_class_is_told_beside_the_words() -> None:
    kept = trace_of("encoder", length=7)
    own = trace_of("encoder", length=7, masks=(("encoder.self", choose("local:window=1")),))
    told = []
    for trace in (kept, own):
        values = softmax(trace.sentence_heads["classes"])
        assert trace.spec.heads.classes is not None
        label = trace.spec.heads.classes.labels[int(values.argmax())]
        told.append(f"“{label}” {values.max():.3f}")
    note = drawn(own, kept, "encoder.self").note
    assert f" bits; class: kept {told[0]}, this run {told[1]}." in note


def test_why_a_pair_is_not_compared() -> None:
    alone = sentence(6)
    figure, _, _ = both(Heads(pair=PairHead()), alone)
    words = figure.panels[3]
    assert isinstance(words, Words)
    assert words.text == "“Does B follow A?” is not judged: there is no second sentence."
    for source, other, which in ((alone, PAIR, "the kept run"), (PAIR, alone, "this run")):
        words = both(Heads(pair=PairHead()), source, other)[0].panels[3]
        assert isinstance(words, Words)
        assert words.text == f"“Does B follow A?” is not compared: {which} has no second sentence."


def test_noise_of_rounding_is_no_difference() -> None:
    assert _bits(2.08e-13) == _bits(-1e-16) == "0 bits"
    assert _bits(2e-6) == "2e-06 bits".replace("-", "−")

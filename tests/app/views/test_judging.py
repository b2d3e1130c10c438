"""Heads that judge the whole text: what they are asked, and where they say nothing of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.figure import Bars, Curves
from app.selection import Selection
from app.views import ViewOptions, view
from app.views._judged import sees_itself
from core.checkpoints.config import Config
from core.families import families
from core.masks import choose
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import ClassHead, Heads, PairHead
from core.tokens import Tokens
from core.trace import Trace
from tests.traces import LABELS, sentence, spec, trace_of

ORDER = PairHead(question="Are A and B in order?", labels=("in order", "swapped"))
ITSELF = "Under this mask “w5” sees only itself: what is judged from it does not depend on the"


def text(*, pair: bool) -> Tokens:
    """[CLS] and five words, the last three of them a second sentence if asked."""
    one = replace(sentence(6), special=(True, *[False] * 5))
    return replace(one, sequence=(None, 0, 0, 1, 1, 1) if pair else (None, *[0] * 5))


def judging(pair: PairHead, *, vocab: bool = True) -> Transformer:
    made = spec("encoder")
    heads = replace(made.heads, pair=pair, classes=None, replaced=None)
    heads = heads if vocab else replace(heads, vocab=None)
    return Transformer(replace(made, heads=heads)).eval()


def lens(trace: Trace) -> tuple[list[str], list[str], str, str]:
    """Titles of the panels of a text's heads, their lines, note and hint."""
    figure = view("lens").draw(trace, Selection(query=0), ViewOptions())
    curves = [panel for panel in figure.panels if isinstance(panel, Curves)]
    lines = [curve.name for panel in curves for curve in panel.curves]
    return [panel.title for panel in curves], lines, figure.note, figure.hint


def test_alberts_head_tells_order_and_berts_succession() -> None:
    """As in transformers: 0 is the original order, 1 the switched one; 0 is the next sentence."""
    found = {}
    for family in families():
        if family.name in ("ALBERT", "BERT"):
            found[family.name] = family.spec(Config(family.tiny[0], Path("x"))).heads.pair
    assert found == {"ALBERT": ORDER, "BERT": PairHead()}
    assert (PairHead().question, PairHead().labels[0]) == ("Does B follow A?", "follows")


@pytest.mark.parametrize("pair", [PairHead(), ORDER])
def test_the_lens_asks_what_the_head_answers(pair: PairHead) -> None:
    trace = run(judging(pair), RunRequest(source=text(pair=True)))
    titles, lines, _, _ = lens(trace)
    assert titles == [f"{pair.question} From the first token of each layer"]
    assert lines == list(pair.labels)
    panels = view("predictions").draw(trace, Selection(), ViewOptions()).panels
    (bars,) = (panel for panel in panels if panel.title == pair.question)
    assert isinstance(bars, Bars)
    assert [bar.label for bar in bars.bars] == list(pair.labels)
    chances = trace.sentence_heads["pair"].softmax(-1).tolist()
    assert [bar.value for bar in bars.bars] == pytest.approx(chances, abs=1e-6)


def test_a_pair_is_judged_only_where_there_is_one() -> None:
    trace = run(judging(PairHead()), RunRequest(source=text(pair=False)))
    titles, _, _, hint = lens(trace)
    assert titles == []
    unpinned = view("lens").draw(trace, Selection(), ViewOptions())
    assert "what it says of the whole text" not in hint + unpinned.hint
    bare = run(judging(PairHead(), vocab=False), RunRequest(source=text(pair=False)))
    figure = view("lens").draw(bare, Selection(), ViewOptions())
    assert "there is no second sentence" in str(figure.panels)
    with_classes = trace_of("encoder", source=text(pair=False))
    assert lens(with_classes)[0] == ["Class of the text, from the first token of each layer"]


@pytest.mark.parametrize("mask", ["causal", "bidirectional"])
def test_a_token_that_sees_only_itself_judges_no_text(mask: str) -> None:
    masks = (("encoder.self", choose(mask)),)
    trace = trace_of("encoder", source=text(pair=True), masks=masks)
    _, _, note, _ = lens(trace)
    assert (ITSELF in note) is (mask == "causal")
    panels = view("predictions").draw(trace, Selection(), ViewOptions()).panels
    said = [panel.title for panel in panels if isinstance(panel, Bars) and ITSELF in panel.note]
    heads = ["Does B follow A?", "Class of the text"]  # not each token's own
    assert said == (heads if mask == "causal" else [])
    other = replace(text(pair=True), ids=(*text(pair=True).ids[:1], 30, 31, 32, 33, 34))
    judged = trace.sentence_heads["classes"]
    again = trace_of("encoder", source=other, masks=masks).sentence_heads["classes"]
    assert judged.allclose(again, atol=1e-6) is (mask == "causal")  # what is said is true


def test_what_reads_more_than_one_token_is_never_said_to_read_one() -> None:
    causal = (("encoder.self", choose("causal")),)
    one = trace_of("encoder", source=text(pair=False).padded(9, pad=0, piece="[PAD]"))
    assert sees_itself(one, ViewOptions()) == ""
    mean = replace(spec("encoder"), heads=Heads(classes=ClassHead(labels=LABELS, of="mean")))
    read = RunRequest(source=text(pair=False), masks=causal)
    assert sees_itself(run(Transformer(mean).eval(), read), ViewOptions()) == ""
    lone = trace_of("encoder", source=sentence(1), masks=causal)
    assert sees_itself(lone, ViewOptions()) == ""

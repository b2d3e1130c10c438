"""Predictions about a whole text: its classes, its score, and whether B follows A."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.figure import Bars, Curves, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from tests.app.views.predicted import CLASS_TITLE, draw, masked_encoder, softmax, two_sentences
from tests.traces import LABELS, LAST_TOKEN, sentence, spec


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("places", [(), (2,)])
def test_a_single_text_has_classes_and_one_line_about_the_pair(
    places: tuple[int, ...], compact: bool
) -> None:
    options = ViewOptions(compact=compact)
    figure = view("predictions").draw(masked_encoder(*places), Selection(), options)
    assert "Does B follow A?" not in [p.title for p in figure.panels]
    assert CLASS_TITLE in [p.title for p in figure.panels]
    assert figure.note.endswith("there is no second sentence.") is not compact
    figure = view("predictions").draw(two_sentences(), Selection(), options)
    assert "Does B follow A?" in [p.title for p in figure.panels]
    assert "no second sentence" not in figure.note


def test_sentence_pair_and_classes() -> None:
    trace = two_sentences()
    figure = draw(trace)
    pair, classes = (p for p in figure.panels if p.title in ("Does B follow A?", CLASS_TITLE))
    assert isinstance(pair, Bars)
    assert [b.label for b in pair.bars] == ["follows", "does not"]
    expected = softmax(trace.sentence_heads["pair"])
    assert [b.value for b in pair.bars] == pytest.approx(expected.tolist(), abs=1e-6)
    assert isinstance(classes, Bars)
    expected = softmax(trace.sentence_heads["classes"])
    assert {b.label: b.value for b in classes.bars} == pytest.approx(
        dict(zip(LABELS, expected.tolist(), strict=True)), abs=1e-6
    )
    values = [b.value for b in classes.bars]
    assert values == sorted(values, reverse=True)


def test_without_its_first_token_a_head_says_what_it_reads() -> None:
    trace = two_sentences()
    tokens = trace.tokens["encoder"]
    for special in (True, False):
        first = (special, *tokens.special[1:])
        shown = replace(trace, tokens={"encoder": replace(tokens, special=first)})
        panels = draw(shown).panels
        for title in ("Does B follow A?", CLASS_TITLE):
            (panel,) = (p for p in panels if p.title == title)
            assert isinstance(panel, Bars)
            assert ("It reads the first position" in panel.note) is not special


def test_behind_padding_a_head_reads_the_first_real_token_and_says_which() -> None:
    trace = two_sentences()
    tokens = trace.tokens["encoder"]
    padding = (True, True, *tokens.padding[2:])
    special = (*tokens.special[:2], False, *tokens.special[3:])
    shown = replace(trace, tokens={"encoder": replace(tokens, padding=padding, special=special)})
    (panel,) = (p for p in draw(shown).panels if p.title == CLASS_TITLE)
    assert isinstance(panel, Bars)
    assert "It reads the first position that is no padding, 2, which is" in panel.note


def test_a_decoder_that_classifies() -> None:
    """Beside its next token, where it has that head too."""
    for vocab in (spec("decoder").heads.vocab, None):
        heads = Heads(vocab=vocab, classes=LAST_TOKEN)
        trace = run(
            Transformer(replace(spec("decoder"), heads=heads)).eval(),
            RunRequest(source=sentence(4)),
        )
        panels = draw(trace, missing={"vocab": "No."}).panels
        first, classes = panels if vocab is not None else reversed(panels)
        assert isinstance(first, Words if vocab is None else Bars)
        assert isinstance(classes, Bars)
        assert classes.title == CLASS_TITLE
        values = sorted(softmax(trace.sentence_heads["classes"]).tolist(), reverse=True)
        assert [b.value for b in classes.bars] == pytest.approx(values, abs=1e-6)


def test_classes_that_hold_together_and_scores() -> None:
    """Several classes each have a chance of their own; a score is the logit as it is."""
    for problem in ("several", "score"):
        head = replace(LAST_TOKEN, problem=problem, labels=("a-b", "c", "d"))
        made = Transformer(replace(spec("decoder"), heads=Heads(classes=head))).eval()
        trace = run(made, RunRequest(source=sentence(4)))
        panel, logits = draw(trace).panels[0], trace.sentence_heads["classes"]
        of_layers = view("lens").draw(trace, Selection(stack="decoder"), ViewOptions()).panels[-1]
        assert isinstance(of_layers, Curves)
        last = [float(curve.y[-1]) for curve in of_layers.curves]
        if problem == "several":
            assert isinstance(panel, Bars)
            assert {b.label: b.value for b in panel.bars} == pytest.approx(
                dict(zip(head.labels, logits.sigmoid().tolist(), strict=True)), abs=1e-6
            )
            assert "no sum of 1" in panel.note
            assert last == pytest.approx(logits.sigmoid().tolist(), abs=1e-6)
        else:
            assert isinstance(panel, Words)
            lines = dict(line.split(": ") for line in panel.text.splitlines())
            found = {name: float(value.replace("−", "-")) for name, value in lines.items()}
            assert found == pytest.approx(
                dict(zip(head.labels, logits.tolist(), strict=True)), abs=1e-4
            )
            assert last == pytest.approx(logits.tolist(), abs=1e-6)
            assert (of_layers.y_title, of_layers.y_limits) == ("Score", None)

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figure import Curves, WordGrid, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from core.tokens import Tokens
from tests.core.analysis.by_hand import array, linear, softmax
from tests.traces import LABELS, LAST_TOKEN, network, sentence, spec, trace_of


def test_words_are_the_layers_best_and_the_last_row_the_answer() -> None:
    trace = trace_of("relative translator", length=4, target=6)
    figure = view("lens").draw(trace, Selection(stack="decoder", query=2), ViewOptions())
    grid, numbers = figure.panels
    assert isinstance(grid, WordGrid)
    assert grid.rows.labels[-1] == "layer 3"
    assert "Every layer is read through the final norm." in figure.note  # not the last one alone
    assert [c.text for c in grid.cells[-1]] == [f"⟨{i}⟩" for i in trace.logits.argmax(dim=-1)]
    best = trace.logits.softmax(dim=-1).max(dim=-1).values.tolist()
    assert [c.strength for c in grid.cells[-1]] == pytest.approx(best, abs=1e-6)
    assert grid.column == 2
    assert grid.picks == (None, "query")
    assert "ranks" in grid.cells[0][2].note
    answer = int(trace.logits[2].argmax())
    assert numbers.title == f"The answer “⟨{answer}⟩” at position 2, layer by layer"
    assert (figure.columns, figure.weights) == (1, ())  # of few layers: words need the width


def test_rank_and_divergence_of_the_answer_are_written_for_every_layer() -> None:
    trace = trace_of("relative translator", length=4, target=6)
    numbers = view("lens").draw(trace, Selection(stack="decoder", query=2), ViewOptions()).panels[1]
    assert isinstance(numbers, WordGrid)
    assert numbers.rows.labels == ("probability", "rank", "KL, bits")
    assert numbers.columns.labels == ("emb", "1", "2", "3")
    last = trace.logits[2].double().softmax(-1)
    answer = int(last.argmax())
    for layer in range(4):
        here = last
        if layer < 3:
            states = trace.hidden("decoder")[layer, [2]]
            here = trace.derive.project(states, normalise=True)[0].double().softmax(-1)
        chance, rank, bits = (numbers.cells[row][layer] for row in range(3))
        assert chance.text == f"{here[answer]:.3f}"
        assert chance.strength == pytest.approx(float(here[answer]), abs=1e-6)
        assert rank.text == str(1 + int((here > here[answer]).sum()))
        assert bits.value == pytest.approx(float((last * (last / here).log2()).sum()), abs=1e-4)
    assert [numbers.cells[row][3].text for row in (1, 2)] == ["1", "0.00"]


def test_of_a_deep_model_the_numbers_take_the_whole_width() -> None:
    deep = spec("decoder").main_stack
    deep = replace(deep, blocks=deep.blocks * 3)
    made = Transformer(replace(spec("decoder"), decoder=deep)).eval()
    trace = run(made, RunRequest(source=sentence(5)))
    figure = view("lens").draw(trace, Selection(stack="decoder"), ViewOptions())
    assert [type(panel) for panel in figure.panels] == [WordGrid, Curves, WordGrid]
    curves = figure.panels[1]
    assert isinstance(curves, Curves)
    answer = int(trace.logits[-1].argmax())
    assert curves.curves[0].name == f"“⟨{answer}⟩”, the answer"
    chance = float(trace.logits[-1].softmax(-1)[answer])
    assert curves.curves[0].y[-1] == pytest.approx(chance, abs=1e-6)
    assert curves.x_labels[:2] == ("emb", "1")
    assert (figure.columns, figure.wide_last) == (2, True)


def test_it_looks_at_the_mask_unless_something_is_pinned() -> None:
    trace = trace_of("encoder", source=sentence(8, masked=(3,)))
    for selection, column in ((Selection(), 3), (Selection(query=6), 6)):
        grid = view("lens").draw(trace, selection, ViewOptions()).panels[0]
        assert isinstance(grid, WordGrid)
        assert grid.column == column


def test_a_long_text_is_shown_page_by_page() -> None:
    trace = trace_of("decoder", length=60)
    for query, first in ((None, 36), (0, 0), (25, 24)):
        selection = Selection(stack="decoder", query=query)
        figure = view("lens").draw(trace, selection, ViewOptions())
        grid = figure.panels[0]
        assert isinstance(grid, WordGrid)
        assert len(grid.columns.labels) == 24
        assert grid.columns.labels[0] == trace.tokens["decoder"].pieces[first]
        assert grid.picks == (None, "query")
        assert grid.columns.numbers == tuple(range(first, first + 24))
        where = f"Positions {first} to {first + 23}."
        assert figure.note.startswith(where)
        assert "Pin another to move there." in figure.hint
        assert grid.cells[-1][0].text == f"⟨{int(trace.logits[first].argmax())}⟩"


def two_sentences() -> Tokens:
    return replace(sentence(5), sequence=(0, 0, 0, 1, 1))


def test_classes_of_the_first_token_by_layer() -> None:
    trace, made = trace_of("encoder", source=two_sentences()), network("encoder")
    figure = view("lens").draw(trace, Selection(query=0), ViewOptions())
    grid, classes, pair = figure.panels
    assert isinstance(grid, WordGrid)
    assert isinstance(classes, Curves)
    assert isinstance(pair, Curves)
    assert [c.name for c in classes.curves] == list(LABELS)
    states = array(trace.hidden("encoder"))[:, 0]
    pooled = np.tanh(linear(made.heads.pooler, states))
    assert made.heads.classes is not None
    for panel, head in ((classes, made.heads.classes.out), (pair, made.heads.pair)):
        expected = softmax(linear(head, pooled))
        assert np.stack([c.y for c in panel.curves], axis=1) == pytest.approx(expected, abs=1e-5)
        best = int(expected[-1].argmax())  # not simply the first
        assert [c.emphasised for c in panel.curves] == [i == best for i in range(len(panel.curves))]
    elsewhere = view("lens").draw(trace, Selection(query=1), ViewOptions())
    assert len(elsewhere.panels) == 2
    assert elsewhere.hint == "Pin the first token to see what it says of the whole text."
    unpinned = view("lens").draw(trace, Selection(), ViewOptions())
    assert len(unpinned.panels) == 2
    assert isinstance(unpinned.panels[1], WordGrid)
    assert "at position 0" in unpinned.panels[1].title
    assert "Pin a token to follow another answer" in unpinned.hint


@pytest.mark.parametrize(
    ("of", "pad", "title"),
    [
        ("last", None, "from the last token of"),
        ("last", sentence(4).ids[-1], "from the last token that is not the padding token of"),
        ("mean", None, "from the mean of the tokens of"),
    ],
)
def test_classes_of_another_token_than_the_first(of: str, pad: int | None, title: str) -> None:
    """The curves are what the head makes of the judged states behind the final norm."""
    kind = "decoder" if of == "last" else "encoder"
    head = replace(LAST_TOKEN, pad=pad) if of == "last" else replace(LAST_TOKEN, of="mean")
    made = Transformer(replace(spec(kind), heads=Heads(classes=head))).eval()
    trace = run(made, RunRequest(source=sentence(4).padded(6, pad=0, piece="[PAD]")))
    (curves,) = view("lens").draw(trace, Selection(), ViewOptions()).panels
    assert isinstance(curves, Curves)
    assert title in curves.title
    assert made.heads.classes is not None
    stack = made.stack(kind)
    states = trace.hidden(kind)[:-1, :4]
    if stack.final_norm is not None:
        states = stack.final_norm(states)
    states = torch.cat([states, trace.hidden(kind)[-1:, :4]])
    judged = states[:, 3 if pad is None else 2] if of == "last" else states.mean(1)
    expected = softmax(linear(made.heads.classes.out, array(judged)))
    found = np.stack([c.y for c in curves.curves], axis=1)
    assert found == pytest.approx(expected, abs=1e-5)


def test_without_any_head_it_says_why() -> None:
    bare = Transformer(replace(spec("encoder"), heads=Heads())).eval()
    trace = run(bare, RunRequest(source=sentence(3)))
    (words,) = view("lens").draw(trace, Selection(), ViewOptions(missing={"vocab": "No."})).panels
    assert isinstance(words, Words)
    assert words.text == "No."

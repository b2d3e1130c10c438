"""What two runs predict, side by side: against the softmax of their logits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figure import Figure, WordGrid, Words
from app.render.figure_csv import csv_text
from app.selection import Selection
from app.views import ViewOptions, view
from app.views._growth import OWN
from app.views._vectors import plain
from core.masks import choose
from core.model import Transformer
from core.request import RunRequest, Sampling
from core.run import run
from core.spec import ClassHead, Heads, ModelSpec, PairHead, ReplacedHead
from core.tokens import Tokens
from core.trace import Trace
from tests.app.views.test_notes import ROOM, lines
from tests.app.views.test_sentences import PAIR
from tests.traces import LABELS, LAST_TOKEN, sentence, spec, trace_of


def softmax(logits: torch.Tensor) -> np.ndarray:
    powers = np.exp(logits.double().numpy() - logits.double().numpy().max())
    return np.asarray(powers / powers.sum())


def bits(before: np.ndarray, after: np.ndarray) -> float:
    return float((before * np.log2(before / after)).sum())


def masked(kind: str, site: str, **more: object) -> tuple[Trace, Trace]:
    """A kept run and one of a narrow mask."""
    masks = ((site, choose("local:window=1")),)
    return trace_of(kind, **more), trace_of(kind, masks=masks, **more)  # type: ignore[arg-type]


def table(figure: Figure, place: int = 3) -> WordGrid:
    found = figure.panels[place]
    assert isinstance(found, WordGrid)
    return found


def values(grid: WordGrid) -> np.ndarray:
    """[label, 3]: kept, this run, change."""
    return np.array([[cell.value for cell in row] for row in grid.cells]).T


@pytest.mark.parametrize(
    ("kind", "site", "query", "position", "where"),
    [
        ("encoder", "encoder.self", None, 3, "In place of “w4” (position 3)"),
        ("encoder", "encoder.self", 1, 1, "In place of “w12” (position 1)"),
        ("decoder", "decoder.self", None, 6, "After “w12” (position 6)"),
        ("rotary decoder", "decoder.self", 2, 2, "After “w19” (position 2)"),
        ("translator", "decoder.cross", None, 4, "After “w36” (position 4)"),
        ("translator", "encoder.self", 2, 4, "After “w36” (position 4)"),
    ],
)
def test_the_likeliest_of_both(
    kind: str, site: str, query: int | None, position: int, where: str
) -> None:
    source = sentence(7, masked=(3,)) if kind == "encoder" else sentence(7)
    kept, own = masked(kind, site, source=source)
    stack, part = site.split(".")
    selection = Selection(stack=stack, part=part, layer=1, query=query)
    figure = view("two_runs").draw(own, selection, ViewOptions(kept=(kept,)))
    grid = table(figure)
    assert grid.title == where
    before, after = (softmax(t.logits[position]) for t in (kept, own))
    first = [set(np.argsort(-one)[:6].tolist()) for one in (before, after)]
    tokens = list(grid.columns.numbers)
    assert set(tokens) == first[0] | first[1]
    expected = np.stack([before, after, after - before], axis=1)[tokens]
    assert values(grid) == pytest.approx(expected, abs=1e-5)
    larger = expected[:, :2].max(axis=1)
    assert (larger[:-1] >= larger[1:] - 1e-6).all()
    assert grid.columns.labels == tuple(f"⟨{token}⟩" for token in tokens)
    for row, one in enumerate((before, after)):
        for cell, token in zip(grid.cells[row], tokens, strict=True):
            assert cell.text == f"{cell.value:.4f}"
            assert cell.note == f"rank {1 + int((one > one[token]).sum())}"
    there_and_back = bits(before, after), bits(after, before)
    assert plain(there_and_back[0]) != plain(there_and_back[1])
    # Beside what a class head says there is less room.
    of, end = ("", "; class: kept") if kind == "encoder" else (" of the predictions", ".")
    assert f"KL(kept ‖ this run){of} = {plain(there_and_back[0])} bits{end}" in figure.note


def test_words_asked_for_are_listed_too() -> None:
    kept, own = masked("encoder", "encoder.self", source=sentence(7, masked=(3,)))
    shown = table(view("two_runs").draw(own, Selection(), ViewOptions(kept=(kept,))))
    missing = next(token for token in range(40) if token not in shown.columns.numbers)
    options = ViewOptions(kept=(kept,), asked=(missing, 99))
    grid = table(view("two_runs").draw(own, Selection(), options))
    assert set(grid.columns.numbers) == {*shown.columns.numbers, missing}


def test_sampling_cuts_nothing_and_that_is_said() -> None:
    kept, own = masked("encoder", "encoder.self", source=sentence(7, masked=(3,)))
    plainly = table(view("two_runs").draw(own, Selection(), ViewOptions(kept=(kept,))))
    options = ViewOptions(kept=(kept,), sampling=Sampling(top_k=1, temperature=0.5))
    grid = table(view("two_runs").draw(own, Selection(), options))
    assert (values(grid) == values(plainly)).all()
    assert grid.title == plainly.title + OWN


def test_each_text_at_its_own_mask() -> None:
    kept = trace_of("encoder", source=sentence(6, masked=(1,)))
    own = trace_of("encoder", source=sentence(8, masked=(4,)))
    grid = table(view("two_runs").draw(own, Selection(), ViewOptions(kept=(kept,))))
    assert grid.title == ("In place of “w4” (position 1) kept, “w4” (position 4) in this run")
    before, after = softmax(kept.logits[1]), softmax(own.logits[4])
    tokens = list(grid.columns.numbers)
    assert values(grid)[:, :2] == pytest.approx(np.stack([before, after], 1)[tokens], abs=1e-5)


def test_a_pinned_position_that_the_kept_text_lacks() -> None:
    kept = trace_of("decoder", source=sentence(4).padded(6, pad=0, piece="[PAD]"))
    own = trace_of("decoder", source=sentence(6))
    for query, position in ((2, 2), (5, 3)):
        selection = Selection(stack="decoder", query=query)
        grid = table(view("two_runs").draw(own, selection, ViewOptions(kept=(kept,))))
        before = softmax(kept.logits[position])
        assert values(grid)[:, 0] == pytest.approx(before[list(grid.columns.numbers)], abs=1e-5)


def judge(heads: Heads, source: Tokens) -> tuple[Trace, Trace]:
    torch.manual_seed(5)
    made = Transformer(replace(_base(heads), heads=heads)).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.4)
    site = f"{made.spec.main_stack.name}.self"
    asked = RunRequest(source=source)
    narrow = replace(asked, masks=((site, choose("local:window=1")),))
    return run(made, asked), run(made, narrow)


def _base(heads: Heads) -> ModelSpec:
    return spec("decoder" if heads.classes == LAST_TOKEN else "encoder")


def both(heads: Heads, source: Tokens, other: Tokens | None = None) -> tuple[Figure, Trace, Trace]:
    kept, own = judge(heads, source)
    if other is not None:
        own = judge(heads, other)[1]
    stack = own.spec.main_stack.name
    figure = view("two_runs").draw(own, Selection(stack=stack), ViewOptions(kept=(kept,)))
    return figure, kept, own


@pytest.mark.parametrize("head", [ClassHead(labels=LABELS), LAST_TOKEN])
def test_a_classifier_has_its_classes(head: ClassHead) -> None:
    figure, kept, own = both(Heads(classes=head), sentence(6))
    grid = table(figure)
    assert grid.title == "Class of the text"
    before, after = (softmax(t.sentence_heads["classes"]) for t in (kept, own))
    places = [LABELS.index(label) for label in grid.columns.labels]
    assert sorted(places) == [0, 1, 2]
    expected = np.stack([before, after, after - before], axis=1)[places]
    assert values(grid) == pytest.approx(expected, abs=1e-5)
    assert np.argmax(expected[:, :2].max(axis=1)) == 0
    assert f"KL(kept ‖ this run) = {plain(bits(before, after))} bits of “Class" in figure.note


def test_classes_on_their_own_and_scores_are_no_distribution() -> None:
    several = ClassHead(labels=LABELS, problem="several")
    figure, kept, own = both(Heads(classes=several), sentence(6))
    before, after = (
        1 / (1 + np.exp(-t.sentence_heads["classes"].double().numpy())) for t in (kept, own)
    )
    places = [LABELS.index(label) for label in table(figure).columns.labels]
    expected = np.stack([before, after], axis=1)[places]
    assert values(table(figure))[:, :2] == pytest.approx(expected, abs=1e-5)
    assert "KL" not in figure.note
    figure, kept, own = both(Heads(classes=replace(several, problem="score")), sentence(6))
    grid = table(figure)
    before, after = (t.sentence_heads["classes"].numpy() for t in (kept, own))
    assert grid.columns.labels == LABELS
    assert values(grid)[:, :2] == pytest.approx(np.stack([before, after], axis=1), abs=1e-6)
    assert all(cell.strength is None for row in grid.cells for cell in row)
    assert "KL" not in figure.note
    assert "score,score label,label,label label,text,value" in csv_text(figure)


def test_the_pair_and_each_token() -> None:
    figure, kept, own = both(Heads(pair=PairHead(), replaced=ReplacedHead()), PAIR)
    pair, replaced = table(figure, 3), table(figure, 4)
    before, after = (softmax(t.sentence_heads["pair"]) for t in (kept, own))
    assert pair.columns.labels == ("follows", "does not")
    assert values(pair)[:, :2] == pytest.approx(np.stack([before, after], axis=1), abs=1e-5)
    assert f"= {plain(bits(before, after))} bits of “Does B follow A?”." in figure.note
    chances = [
        1 / (1 + np.exp(-t.sentence_heads["replaced"].double().numpy())) for t in (kept, own)
    ]
    assert values(replaced)[:, :2] == pytest.approx(np.stack(chances, axis=1), abs=1e-5)
    assert replaced.columns.numbers == tuple(range(len(PAIR)))


def test_a_pair_beside_a_single_text_and_tokens_that_are_others() -> None:
    heads = Heads(pair=PairHead(), replaced=ReplacedHead())
    figure, _, _ = both(heads, PAIR, sentence(6))
    (words,) = figure.panels[3:]
    assert isinstance(words, Words)
    assert words.text == "The tokens of the two runs are not the same, so none is judged in both."
    padded = sentence(5).padded(8, pad=0, piece="[PAD]")
    grid = table(both(heads, padded)[0])
    assert grid.columns.numbers == tuple(range(5)), "padding is judged by nobody"


def test_no_head_at_all() -> None:
    kept, own = judge(Heads(), sentence(6))
    options = ViewOptions(kept=(kept,), missing={"vocab": "No head."})
    figure = view("two_runs").draw(own, Selection(), options)
    words = figure.panels[3]
    assert isinstance(words, Words)
    assert words.text == "No head."
    assert "KL" not in figure.note


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("changes", [{}, {"drop_sinks": True}, {"limits": "auto"}])
def test_the_note_has_room(changes: dict[str, object]) -> None:
    long = Tokens.of_ids(list(range(5, 13)), "the banker lent nobody any money before noon".split())
    mask = replace(choose("sliding_window:window=3"), blocked=((4, 2), (5, 2)))
    kept = trace_of("encoder", source=long)
    own = trace_of("encoder", source=long, masks=(("encoder.self", mask),))
    options = ViewOptions(kept=(kept,), **changes)  # type: ignore[arg-type]
    figure = view("two_runs").draw(own, Selection(layer=1), options)
    assert lines(f"{figure.note} {figure.hint}", ROOM) <= 3
    wide = replace(choose("local:window=2"), blocked=((1, 1),))
    masks = (("encoder.self", choose("causal")), ("decoder.cross", wide))
    kept, own = trace_of("translator"), trace_of("translator", masks=masks)
    selection = Selection(stack="decoder", part="cross", layer=1)
    figure = view("two_runs").draw(own, selection, ViewOptions(kept=(kept,)))
    assert lines(f"{figure.note} {figure.hint}", ROOM) <= 3

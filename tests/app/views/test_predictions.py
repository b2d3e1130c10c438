"""Predictions of a token: lists for masks, pinned tokens and the next one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figure import Bars, Words
from app.selection import Selection
from app.views import ViewOptions, _bars, view
from core.decoding.filters import probabilities
from core.model import Transformer
from core.request import RunRequest, Sampling
from core.run import run
from core.spec import Heads, ReplacedHead
from tests.app.views.predicted import CLASS_TITLE, draw, masked_encoder, softmax, two_sentences
from tests.traces import VOCAB, network, sentence, spec, trace_of


def test_one_list_for_every_mask() -> None:
    trace = masked_encoder(2, 5)
    figure = draw(trace)
    bars = [p for p in figure.panels if p.title.startswith("Mask at")]
    assert [b.title for b in bars] == ["Mask at position 2", "Mask at position 5"]
    for place, panel in zip((2, 5), bars, strict=True):
        assert isinstance(panel, Bars)
        expected = softmax(trace.logits[place])
        order = np.argsort(-expected)[:10]
        assert [b.token for b in panel.bars] == order.tolist()
        assert [b.value for b in panel.bars] == pytest.approx(expected[order].tolist(), abs=1e-5)
        assert [b.label for b in panel.bars] == [f"⟨{i}⟩" for i in order]


def test_all_candidates_together_sum_to_one() -> None:
    bars = draw(masked_encoder(2), top=10_000).panels[0]
    assert isinstance(bars, Bars)
    assert len(bars.bars) == VOCAB
    assert math.fsum(b.value for b in bars.bars) == pytest.approx(1, abs=1e-5)


def test_without_a_mask_it_says_what_to_do() -> None:
    figure = draw(masked_encoder(), pieces=lambda i: f"[M{i}]")
    assert figure.note.startswith("There is no [M4] in the text: click a word to mask it")
    assert figure.panels[0].title == CLASS_TITLE
    assert not any(isinstance(panel, Words) for panel in figure.panels)
    wide = view("predictions").draw(masked_encoder(), Selection(), ViewOptions())
    *judged, last = wide.panels
    assert judged[0].title == CLASS_TITLE
    assert isinstance(last, Words)
    assert wide.wide_last


def test_a_pinned_token_is_predicted_in_place() -> None:
    trace = masked_encoder(5)
    figure = draw(trace, Selection(query=1))
    assert [p.title for p in figure.panels[:2]] == [
        "In place of “w12” (position 1)",
        "Mask at position 5",
    ]
    assert isinstance(figure.panels[0], Bars)
    assert figure.panels[0].bars[0].value == pytest.approx(softmax(trace.logits[1]).max(), abs=1e-5)


def test_many_masks_are_cut_and_it_says_so() -> None:
    figure = draw(trace_of("encoder", source=sentence(30, masked=tuple(range(20)))))
    lists = [p for p in figure.panels if p.title.startswith("Mask at")]
    assert len(lists) == 12
    assert figure.note == "The first 12 of 20 masked positions; pin another to see it."


@pytest.mark.parametrize("kind", ["decoder", "translator", "relative translator"])
def test_next_token_after_the_last_or_the_pinned_position(kind: str) -> None:
    trace = trace_of(kind, length=5, target=5)
    for query, place in ((None, 4), (1, 1)):
        figure = draw(trace, Selection(stack="decoder", query=query))
        (bars,) = figure.panels
        assert isinstance(bars, Bars)
        assert f"(position {place})" in bars.title
        expected = softmax(trace.logits[place])
        assert bars.bars[0].value == pytest.approx(expected.max(), abs=1e-5)
        assert bars.bars[0].token == expected.argmax()
    assert figure.note.startswith("The text goes on with “")


def test_a_query_of_the_encoder_does_not_choose_a_target_position() -> None:
    (bars,) = draw(trace_of("translator", length=9, target=5), Selection(query=1)).panels
    assert "(position 4)" in bars.title


def test_padding_is_not_the_last_word() -> None:
    trace = trace_of("decoder", source=sentence(4).padded(7, pad=0, piece="[PAD]"))
    (bars,) = draw(trace, Selection(stack="decoder")).panels
    assert "(position 3)" in bars.title


def test_places_are_counted_alike_behind_padding() -> None:
    source = sentence(6, masked=(2,)).padded(9, pad=0, piece="[PAD]", side="left")
    figure = draw(trace_of("encoder", source=source), Selection(query=6))
    titles = [panel.title for panel in figure.panels if isinstance(panel, Bars)]
    assert titles[0].endswith("(index 6, position 3)")
    assert titles[1] == "Mask at position 2 (index 5)"


def test_four_lists_stand_two_by_two() -> None:
    figure = draw(two_sentences(), Selection())
    lists = [panel for panel in figure.panels if isinstance(panel, Bars)]
    assert (len(lists), figure.columns) == (4, 2)
    figure = draw(two_sentences(), Selection(query=4))
    lists = [panel for panel in figure.panels if isinstance(panel, Bars)]
    assert (len(lists), figure.columns) == (5, 3)


def test_sampling_narrows_and_dims_what_is_cut() -> None:
    trace = trace_of("decoder", length=6)
    sampling = Sampling(temperature=0.5, top_k=3)
    (bars,) = draw(trace, Selection(stack="decoder"), sampling=sampling, top=5).panels
    assert isinstance(bars, Bars)
    assert [b.dimmed for b in bars.bars] == [False] * 3 + [True] * 2
    logits = trace.logits[5].double().numpy() / 0.5
    kept = np.sort(np.exp(logits))[::-1][:3]
    assert [b.value for b in bars.bars[:3]] == pytest.approx(list(kept / kept.sum()), abs=1e-5)
    plain = np.sort(softmax(trace.logits[5]))[::-1]
    assert [b.value for b in bars.bars[3:]] == [0, 0], "one scale in one column"
    assert bars.value_name == "probability after temperature and cut-offs"
    assert [b.note for b in bars.bars] == [f"model {p:.4f}" for p in plain[:5]]
    p = kept / kept.sum()
    entropy = -(p * np.log2(p)).sum()
    assert bars.note.startswith(f"Entropy {entropy:.2f} bits")
    assert "after temperature 0.5, top-k 3." in bars.note
    assert bars.note.endswith("0 where cut; point at one for the model's own probability.")
    assert float(probabilities(trace.logits[5], sampling).sum()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    "sampling", [Sampling(), Sampling(temperature=2, top_k=3, top_p=0.5), Sampling(temperature=0)]
)
def test_the_numbers_of_one_list_are_of_one_scale(sampling: Sampling) -> None:
    (bars,) = draw(
        trace_of("decoder", length=6), Selection(stack="decoder"), sampling=sampling, top=VOCAB
    ).panels
    assert isinstance(bars, Bars)
    assert math.fsum(b.value for b in bars.bars) == pytest.approx(1, abs=1e-5)
    assert ("after temperature" in bars.value_name) == (sampling != Sampling())


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        (Sampling(min_p=0.1), "cut-offs"),
        (Sampling(repetition_penalty=2), "penalty"),
        (Sampling(repetition_penalty=2, temperature=2, top_p=0.5), "penalty, temperature and cut-"),
    ],
)
def test_a_probability_is_named_after_what_changed_it(sampling: Sampling, words: str) -> None:
    trace = trace_of("decoder", length=6)
    (bars,) = draw(trace, Selection(stack="decoder"), sampling=sampling).panels
    assert isinstance(bars, Bars)
    assert bars.value_name.startswith(f"probability after {words}")


def test_a_head_wider_than_the_tokenizer() -> None:
    made = Transformer(spec("decoder")).eval()
    assert made.decoder is not None
    trace = run(made, RunRequest(source=sentence(3)))
    best = int(trace.logits[2].argmax())
    known = best  # every id from here on is unused

    def piece(token: int) -> str:
        return f"w{token}" if token < known else f"⟨unused id {token}⟩"

    (bars,) = draw(trace, Selection(stack="decoder"), pieces=piece, top=VOCAB).panels
    assert isinstance(bars, Bars)
    assert bars.bars[0].label == f"⟨unused id {best}⟩"
    assert bars.bars[0].token == best
    assert math.fsum(b.value for b in bars.bars) == pytest.approx(1, abs=1e-5)


def test_without_a_vocabulary_head_there_is_a_reason_and_no_bars() -> None:
    made = replace(spec("encoder"), heads=Heads(replaced=ReplacedHead()))
    trace = run(Transformer(made).eval(), RunRequest(source=sentence(4, masked=(1,))))
    reason = "The file has no cls.predictions.decoder.weight."
    replaced, words = draw(trace, missing={"vocab": reason}).panels
    assert isinstance(words, Words)
    assert words.text == reason
    assert isinstance(replaced, Bars)
    expected = 1 / (1 + np.exp(-trace.sentence_heads["replaced"].double().numpy()))
    assert [b.value for b in replaced.bars] == pytest.approx(expected.tolist(), abs=1e-6)
    fallback = draw(trace).panels[-1]
    assert isinstance(fallback, Words)
    assert fallback.text == "The encoder has no output over the vocabulary."


def test_heads_read_the_end_of_the_stack() -> None:
    """The masked-word list equals the head applied by hand to the last hidden state."""
    trace, made = masked_encoder(3), network("encoder")
    with torch.inference_mode():
        by_hand = made.vocab_logits(trace.hidden("encoder")[-1][None])[0, 3]
    bars = draw(trace).panels[0]
    assert isinstance(bars, Bars)
    assert bars.bars[0].value == pytest.approx(softmax(by_hand).max(), abs=1e-5)


def test_an_asked_token_is_listed_with_its_rank_however_unlikely() -> None:
    trace = masked_encoder(2)
    expected = softmax(trace.logits[2])
    order = np.argsort(-expected).tolist()
    unlikely, likely = order[30], order[3]
    bars = draw(trace, asked=(unlikely, likely, VOCAB + 5)).panels[0]
    assert isinstance(bars, Bars)
    assert [b.token for b in bars.bars] == [*order[:10], unlikely]
    assert bars.bars[-1].value == pytest.approx(expected[unlikely], abs=1e-6)
    assert (bars.bars[-1].note, bars.bars[3].note) == ("rank 31", "rank 4")
    cut = draw(trace, asked=(unlikely,), sampling=Sampling(top_k=5)).panels[0]
    assert isinstance(cut, Bars)
    assert expected[unlikely] < 0.00005  # four decimals would show nothing of it
    assert cut.bars[-1].dimmed
    assert cut.bars[-1].value == 0
    assert cut.bars[-1].note == "rank 31, model <0.0001"


@pytest.mark.parametrize(
    ("entropy", "words"),
    [(0.0, "like a single certain token."), (0.02, "like 1.01 equally"), (2.0, "like 4 equally")],
)
def test_what_an_entropy_is_like(entropy: float, words: str) -> None:
    assert words in _bars._note(entropy, [])

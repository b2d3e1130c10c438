"""The architecture while one decodes or fills masks: which parts run, and the text so far."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.views import _inputs
from core.masks import MaskChoice
from core.model import Transformer
from core.request import RunRequest, Step
from core.run import run
from core.tokens import Tokens
from core.trace import Trace
from tests.app.views.architecture_drawn import box, draw
from tests.traces import sentence, spec, trace_of


def step(trace: Trace, index: int) -> Step:
    return Step(
        surprise=1.0,
        entropy=2.0,
        index=index,
        token=5,
        piece="w",
        probability=0.5,
        text="w",
        pending=0,
        candidates=(),
        logits=trace.logits[-1],
        trace=trace,
        tokens=trace.tokens["decoder"],
        cache_positions=5,
        cache_bytes=0,
    )


def test_a_decoding_step_shows_what_runs() -> None:
    trace = trace_of("translator", length=7, target=5)
    figure, panel = draw(trace, step=step(trace, 2))
    kinds = {b.kind for b in panel.boxes if b.key.startswith("encoder.layer.")}
    assert kinds == {"plain"}
    assert "attention" in {b.kind for b in panel.boxes if b.key.startswith("decoder.layer.")}
    assert "runs for position 4 alone" in figure.note
    assert "The encoder does not run again." in figure.note
    figure, panel = draw(trace, step=step(trace, 0))
    assert "attention" in {b.kind for b in panel.boxes if b.key.startswith("encoder.layer.")}
    assert "prompt's own run" in figure.note


@pytest.mark.parametrize("mask", ["bidirectional", "no_self"])
def test_a_step_under_an_open_mask_runs_all_positions(mask: str) -> None:
    """Nothing is on the cache then; a translator's encoder still stays as it is."""
    for kind, masked in (("decoder", 5), ("translator", 4)):
        trace = masked_run(kind, masked, mask)
        figure, panel = draw(trace, step=step(trace, 2))
        assert f"x [{masked} × 16]" in [b.text for b in panel.boxes]
        assert box(panel, "Next token").text.startswith(f"Next token [{masked} × 40]")
        assert f"runs for all {masked} positions." in figure.note
        assert "cache" not in figure.note
        assert ("The encoder does not run again." in figure.note) == (kind == "translator")


def test_a_prefix_is_read_anew_only_until_it_is_whole() -> None:
    """Rows of a text shorter than the prefix change with the next token; longer ones stay."""
    for length, rows in ((4, 4), (5, 1)):
        trace = masked_run("decoder", length, "prefix", prefix=4)
        panel = draw(trace, step=step(trace, 1))[1]
        assert f"x [{rows} × 16]" in [b.text for b in panel.boxes]


def test_the_run_over_all_positions_is_not_the_last_step() -> None:
    trace = trace_of("translator", length=7, target=5)
    alone = step(trace_of("translator", length=7, target=4), 2)
    figure, panel = draw(trace, step=alone)
    assert "x [5 × 16]" in [b.text for b in panel.boxes]
    assert box(panel, "Next token").text.startswith("Next token [5 × 40]")
    kinds = {b.kind for b in panel.boxes if b.key.startswith("encoder.layer.")}
    assert "attention" in kinds
    assert "one run over all 5 positions" in figure.note
    assert "come from the cache" not in figure.note
    assert "does not run again" not in figure.note


def masked_run(kind: str, length: int, mask: str, **parameters: int) -> Trace:
    """A run of so many decoder tokens under a mask of the decoder's own attention."""
    text = sentence(length)
    choice = MaskChoice(key=mask, params=tuple(parameters.items()))
    request = RunRequest(
        source=text,
        target=None if kind == "decoder" else text,
        masks=(("decoder.self", choice),),
    )
    return run(Transformer(spec(kind)).eval(), request)


def test_while_decoding_the_text_so_far_can_be_read() -> None:
    """Not the prompt alone, nor the tokenizer's spelling; of a long one the end."""
    pieces = ["<s>", "▁I", "▁like", "▁warm", "▁tea"]
    tokens = replace(
        Tokens.of_ids([1, 7, 8, 9, 10], pieces),
        spelling="sentencepiece",
        special=(True, False, False, False, False),
        text="I like",
    )
    made, cut, ids = _inputs.text(tokens, changed=False, growing=True, raw=False)
    assert made.text == "I like warm tea"
    assert cut.text == "Tokenizer\n5 tokens: … ·warm ·tea"
    assert ids.text == "ids [5]\n1, 7, 8, 9, 10"
    first = replace(Tokens.of_ids([1], ["<s>"]), special=(True,), spelling="sentencepiece")
    made, cut, ids = _inputs.text(first, changed=False, growing=True, raw=False)
    assert (made.text, cut.text, ids.text) == (
        "(nothing yet)",
        "Tokenizer\n1 token: <s>",
        "ids [1]\n1",
    )
    made = _inputs.text(tokens, changed=False, growing=False, raw=False)[0]
    assert made.text == "I like"
    long = Tokens.of_ids(range(30), [f"w{i}" for i in range(30)])
    made, cut, ids = _inputs.text(long, changed=False, growing=True, raw=False)
    assert made.text.startswith("…")
    assert made.text.endswith("w28 w29")
    assert ids.text.endswith("…, 24, 25, 26, 27, 28, 29")


def test_a_filled_text_is_spelled_from_its_pieces() -> None:
    """Special tokens that were typed, such as masks, are part of it; those that were added not."""
    tokens = replace(
        Tokens.of_ids([2, 5, 6, 7, 4], ["[CLS]", "a", "play", "##ing", "[MASK]"]),
        spelling="wordpiece",
        special=(True, False, False, False, True),
        spans=(None, (0, 1), (2, 6), (6, 9), (10, 16)),
        text="a [MASK] [MASK]",
    )
    assert _inputs.written(tokens) == "a playing [MASK]"
    made = _inputs.text(tokens, changed=True, growing=False, raw=False)[0]
    assert made.text == "a playing [MASK]"


def test_the_beginning_of_a_text_is_cut_by_its_width() -> None:
    for text, cut in (
        ("The cat sat on the mat.", "The cat sat on the mat."),
        ("The cat sat on the mats of", "The cat sat on the mats…"),
        ("我喜欢在早上喝一杯热茶", "我喜欢在早上喝一杯热茶"),
        ("<2en>我喜欢在早上喝一杯热茶", "<2en>我喜欢在早上喝一…"),
    ):
        assert _inputs.beginning(text, 24) == cut

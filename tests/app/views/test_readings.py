"""Texts that were not read alike are not compared in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.figure import Curves, Heatmap
from app.selection import Selection
from app.views import ViewOptions, view
from core.masks import MaskChoice, choose
from core.tokens import Tokens
from core.trace import Trace
from tests.app.views.test_notes import ROOM, lines
from tests.traces import sentence, trace_of

BANK = Tokens.of_ids([5, 6, 7, 8], ["the", "bank", "of", "sand"])
PAYS = Tokens.of_ids([9, 6, 10], ["my", "bank", "pays"])
NOTES = Tokens.of_ids([6, 11], ["bank", "notes"])


def read(tokens: Tokens, mask: MaskChoice | str | None = None) -> Trace:
    masks = () if mask is None else (("encoder.self", choose(mask)),)
    return trace_of("encoder", source=tokens, masks=masks)


def note(trace: Trace, *kept: Trace, stack: str = "encoder") -> str:
    """What is said before the rest of the note."""
    figure = view("compare").draw(trace, Selection(stack=stack), ViewOptions(kept=kept))
    said, found, _ = figure.note.partition("Cosine of two states")
    assert found
    assert not (said and figure.hint), "they would not both have room"
    return said.strip()


def test_another_mask_is_told_of_either_text() -> None:
    assert note(read(BANK), read(PAYS)) == ""
    assert note(read(BANK, "causal"), read(PAYS)) == (
        "Not read alike: this text with the mask “Causal”,"
        " “my bank pays” with the model's own mask."
    )
    assert note(read(BANK), read(PAYS, "causal"), read(NOTES)) == (
        "Not read alike: this text with the model's own mask,"
        " “my bank pays” with the mask “Causal”."
    )


def test_two_texts_of_one_mask_share_their_words() -> None:
    assert note(read(BANK), read(PAYS, "causal"), read(NOTES, "causal")) == (
        "Not read alike: this text with the model's own mask,"
        " “my bank pays” and “bank notes” with the mask “Causal”."
    )


def test_a_mask_is_told_with_all_that_it_is_made_of() -> None:
    both = choose("local:window=2") & choose("no_self")
    painted = replace(both, blocked=((0, 1), (0, 2)))
    assert "with the mask “Local (both sides), window 2 and Not itself”, “my" in note(
        read(BANK, both), read(PAYS)
    )
    assert "Not itself”, 2 cells painted out, “my" in note(read(BANK, painted), read(PAYS))
    either = choose("causal") | choose("local:window=2")
    assert "“Causal or Local (both sides), window 2”" in note(read(BANK, either), read(PAYS))


def test_two_names_of_one_mask_are_one() -> None:
    assert note(read(BANK, "bidirectional"), read(PAYS)) == ""
    shown = MaskChoice(hide_padding=False)
    assert note(read(BANK, shown), read(PAYS)) == "", "there is no padding"
    padded = BANK.padded(6, pad=0, piece="[PAD]")
    assert "this text with the model's own mask, padding not hidden, “" in note(
        read(padded, shown), read(PAYS)
    )
    assert note(read(padded), read(PAYS)) == "", "nothing reads hidden padding"
    far = MaskChoice(blocked=((7, 7),))
    assert note(read(BANK, far), read(PAYS)) == "", "neither text has such a cell"


def test_special_tokens_left_out_are_told() -> None:
    around = Tokens.of_ids([1, 9, 6, 10, 2], ["[CLS]", "my", "bank", "pays", "[SEP]"])
    around = replace(around, special=(True, False, False, False, True))
    said = note(read(BANK), read(around))
    assert said.startswith("Not read alike: this text without special tokens, “")
    assert said.endswith("” with special tokens.")
    typed = replace(around, spans=((0, 5), None, None, None, (6, 11)))
    assert note(read(BANK), read(typed)) == "", "they are part of the text"
    padded = BANK.padded(6, pad=0, piece="[PAD]")
    assert note(read(padded), read(BANK)) == ""


def test_only_masks_that_the_states_depend_on_count() -> None:
    """A decoder reads what the encoder says, and an encoder nothing of the decoder."""
    own = trace_of("translator", source=sentence(5))
    for site, told in (
        ("decoder.self", {"decoder"}),
        ("decoder.cross", {"decoder"}),
        ("encoder.self", {"decoder", "encoder"}),
    ):
        masks = ((site, choose("local:window=1")),)
        other = trace_of("translator", source=sentence(6), masks=masks)
        assert {stack for stack in ("encoder", "decoder") if note(own, other, stack=stack)} == told
        at = {"decoder.cross": "decoder cross-attention", "decoder.self": "decoder self-attention"}
        words = f"window 1” in {at.get(site, 'encoder self-attention')}."
        assert note(own, other, stack="decoder").endswith(words)


def test_one_text_kept_under_two_masks_is_two_texts() -> None:
    kept = (read(PAYS, "causal"), read(PAYS, "no_self"))
    assert note(read(BANK), *kept) == (
        "Not read alike: this text with the model's own mask,"
        " “[1] my bank pays” with the mask “Causal”, “[2] my bank pays” with the mask “Not itself”."
    )
    pairs, words = view("compare").draw(read(BANK), Selection(), ViewOptions(kept=kept)).panels
    assert isinstance(pairs, Heatmap)
    assert pairs.columns.title == "Token of “[2] my bank pays”"
    assert isinstance(words, Curves)
    names = [curve.name for curve in words.curves]
    assert names[-2:] == ["mean state: [1] my bank pays", "mean state: [2] my bank pays"]


@pytest.mark.usefixtures("qapp")
def test_the_note_has_room_where_pictures_are_narrow() -> None:
    long = Tokens.of_ids([5, 6, 7, 8, 9, 10], ["the", "bank", "near", "the", "wide", "river"])
    options = ViewOptions(kept=(read(long),))
    figure = view("compare").draw(read(BANK, "sliding_window:window=3"), Selection(), options)
    assert lines(f"{figure.note} {figure.hint}", ROOM) <= 3


@pytest.mark.usefixtures("qapp")
def test_of_many_texts_the_last_ones_are_told() -> None:
    """Four are kept at most; each read otherwise, or all of them in one way."""

    def long(first: int, mask: str) -> Trace:
        words = [f"word{first + i}" for i in range(6)]
        return read(Tokens.of_ids([first + i for i in range(6)], words), mask)

    masks = ("causal", "no_self", "local:window=2", "sliding_window:window=3")
    figures = [
        view("compare").draw(read(BANK), Selection(), ViewOptions(kept=kept))
        for kept in (
            tuple(long(5 + i, mask) for i, mask in enumerate(masks)),
            tuple(long(5 + i, "causal") for i in range(4)),
            (*(long(5 + i, mask) for i, mask in enumerate(masks[:2])), long(9, "causal")),
        )
    ]
    assert all(lines(f"{figure.note} {figure.hint}", ROOM) <= 3 for figure in figures)
    each, alike, two = (figure.note.partition(" Cosine")[0] for figure in figures)
    assert "with the mask “Local (both sides), window 2”, “" in each
    assert "with the mask “Sliding window (causal), window 3”, 2 more in other ways." in each
    assert "Causal" not in each
    assert alike.endswith("” and 3 more with the mask “Causal”.")
    assert "“word8" in alike
    assert two.count("“word") == 3

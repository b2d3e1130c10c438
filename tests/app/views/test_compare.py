from __future__ import annotations

import numpy as np
import pytest

from app.figure import Curves, Heatmap, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.tokens import Tokens
from tests.traces import trace_of


def by_hand(a: np.ndarray, b: np.ndarray) -> list[float]:
    return [float(x @ y / np.linalg.norm(x) / np.linalg.norm(y)) for x, y in zip(a, b, strict=True)]


ONE = trace_of("encoder", source=Tokens.of_ids([5, 6, 7, 8], ["the", "bank", "of", "sand"]))
TWO = trace_of("encoder", source=Tokens.of_ids([9, 6, 10], ["my", "bank", "pays"]))
THREE = trace_of("encoder", source=Tokens.of_ids([6, 11], ["bank", "notes"]))


def test_the_same_word_in_other_company() -> None:
    options = ViewOptions(kept=(THREE, TWO))
    figure = view("compare").draw(ONE, Selection(layer=1, query=1), options)
    pairs, words = figure.panels
    a, b, c = (t.hidden("encoder").double().numpy() for t in (ONE, TWO, THREE))
    assert isinstance(pairs, Heatmap)
    for i, j in np.ndindex(4, 3):
        assert pairs.values[i, j] == pytest.approx(by_hand(a[2:3, i], b[2:3, j])[0], abs=1e-5)
    assert pairs.rows.labels == ("the", "bank", "of", "sand")
    assert pairs.columns.labels == ("my", "bank", "pays")
    assert isinstance(words, Curves)
    assert words.title == "“bank” (position 1) by layer"
    assert [curve.name for curve in words.curves] == [
        "bank notes",
        "my bank pays",
        "mean state: bank notes",
        "mean state: my bank pays",
    ]
    assert figure.title == "Encoder states of 3 texts · after layer 2 of 3"
    assert words.curves[0].y == pytest.approx(by_hand(a[:, 1], c[:, 0]), abs=1e-5)
    assert words.curves[1].y == pytest.approx(by_hand(a[:, 1], b[:, 1]), abs=1e-5)
    whole = by_hand(a.mean(axis=1), b.mean(axis=1))
    assert words.curves[3].y == pytest.approx(whole, abs=1e-5)


def test_what_the_bold_line_is_is_said() -> None:
    """It may lie above all lines of words, so it must not read as their mean."""
    figure = view("compare").draw(ONE, Selection(), ViewOptions(kept=(TWO,)))
    words = figure.panels[1]
    assert isinstance(words, Curves)
    (bold,) = [curve for curve in words.curves if curve.emphasised]
    assert bold.name == "the texts' mean states"
    assert "whose cosine is no mean of the lines" in figure.note
    assert "apart" not in view("compare").summary


def test_a_pinned_word_meets_every_place_it_has() -> None:
    twice = trace_of("encoder", source=Tokens.of_ids([6, 9, 6], ["bank", "my", "bank"]))
    words = view("compare").draw(ONE, Selection(query=1), ViewOptions(kept=(twice,))).panels[1]
    assert isinstance(words, Curves)
    names = [curve.name for curve in words.curves]
    assert names == ["bank my bank (0)", "bank my bank (2)", "the texts' mean states"]
    a, b = (t.hidden("encoder").double().numpy() for t in (ONE, twice))
    assert words.curves[1].y == pytest.approx(by_hand(a[:, 1], b[:, 2]), abs=1e-5)


def test_without_a_pin_every_shared_word_of_the_last_text() -> None:
    words = view("compare").draw(ONE, Selection(), ViewOptions(kept=(TWO,))).panels[1]
    assert isinstance(words, Curves)
    assert [curve.name for curve in words.curves] == ["bank", "the texts' mean states"]
    other = trace_of("encoder", source=Tokens.of_ids([20, 21], ["x", "y"]))
    words = view("compare").draw(ONE, Selection(), ViewOptions(kept=(other,))).panels[1]
    assert isinstance(words, Curves)
    assert words.title == "No word is shared"
    assert [curve.name for curve in words.curves] == ["the texts' mean states"]
    words = view("compare").draw(ONE, Selection(query=1), ViewOptions(kept=(other,))).panels[1]
    assert words.title == "“bank” (position 1) is in no other text"


def test_words_that_occur_twice_are_told_apart() -> None:
    twice = trace_of("encoder", source=Tokens.of_ids([6, 9, 6], ["bank", "my", "bank"]))
    again = trace_of("encoder", source=Tokens.of_ids([9, 6, 6], ["my", "bank", "bank"]))
    words = view("compare").draw(twice, Selection(), ViewOptions(kept=(again,))).panels[1]
    assert isinstance(words, Curves)
    assert [c.name for c in words.curves[:3]] == ["bank (0)", "my", "bank (2)"]


def test_nothing_kept_or_kept_from_another_model() -> None:
    for kept in ((), (trace_of("joint encoder"),)):
        (words,) = view("compare").draw(ONE, Selection(), ViewOptions(kept=kept)).panels
        assert isinstance(words, Words)
        assert words.text.startswith("Keep this text")


def test_a_text_that_is_kept_is_not_asked_for_again() -> None:
    (words,) = view("compare").draw(ONE, Selection(), ViewOptions(kept=(ONE,))).panels
    assert isinstance(words, Words)
    assert words.text.startswith("This text is kept. Now type another one")


def test_texts_that_begin_alike_keep_their_numbers_where_names_are_cut() -> None:
    """Also while one of them is the text that is read: a text's number stays its own."""
    start = ["the", "banker", "lent", "nobody", "any", "money", "before"]
    one, two, three = (
        trace_of("encoder", source=Tokens.of_ids([*range(5, 12), last], [*start, word]))
        for last, word in ((12, "noon"), (13, "dusk"), (14, "dawn"))
    )
    words = view("compare").draw(ONE, Selection(), ViewOptions(kept=(one, two, three))).panels[1]
    assert isinstance(words, Curves)
    means = [curve.name for curve in words.curves if curve.name.startswith("mean")]
    cut = "the banker lent nobody any mon…"
    assert [name[:15] for name in means] == [f"mean state: [{n}]" for n in (1, 2, 3)]
    assert all(name.endswith("…") and len(name) < 12 + 4 + len(cut) for name in means)
    words = view("compare").draw(two, Selection(), ViewOptions(kept=(one, two, three))).panels[1]
    assert isinstance(words, Curves)
    means = [curve.name for curve in words.curves if curve.name.startswith("mean")]
    assert [name[:15] for name in means] == ["mean state: [1]", "mean state: [3]"]


def test_lines_of_like_texts_are_told_apart() -> None:
    """From 0 on they would all lie on one another."""
    other = trace_of("encoder", source=Tokens.of_ids([5, 6, 7, 8], ["the", "bank", "of", "sand"]))
    words = view("compare").draw(ONE, Selection(), ViewOptions(kept=(other,))).panels[1]
    assert isinstance(words, Curves)
    assert words.y_limits == (0.9, 1.0)
    words = view("compare").draw(ONE, Selection(), ViewOptions(kept=(TWO,))).panels[1]
    assert isinstance(words, Curves) and words.y_limits is not None
    low = min(float(curve.y.min()) for curve in words.curves)
    assert words.y_limits[0] <= low and (low > 0.1) is (words.y_limits[0] > 0)

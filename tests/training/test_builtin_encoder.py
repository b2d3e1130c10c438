"""The shipped encoder still says what the examples and its card say it says."""

from __future__ import annotations

import pytest

from app.examples import masks_of, read
from core.analysis.divergence import divergence_bits
from tests.training.builtin import builtin, fillers, sentiment

BEFORE = (
    "It was a fine morning in spring, and the old man sat in his garden with a book. The birds "
    "sang in the trees. His little dog lay at his feet and slept. After a while his daughter came "
    "out of the house with a cup of tea, and they spoke about the weather and about the fields and "
    "about the people of the village. Then the bell rang, and she rose. "
)


@pytest.mark.parametrize(
    ("text", "word", "among"),
    [
        ("He sat on the bank of the [MASK].", "river", 1),
        ("The cat sat on the bank of the [MASK].", "river", 1),
        ("She opened the [MASK] and went out.", "door", 2),
        ("She opened the [MASK] and went out.", "window", 2),
        ("Tom said that [MASK] was tired.", "he", 1),
        ("Mary said that [MASK] was tired.", "she", 1),
        ("He went to the bank to get some [MASK].", "money", 1),
    ],
)
def test_masked_words_of_the_examples(text: str, word: str, among: int) -> None:
    assert word in fillers(text)[:among]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She opened the [MASK] and went out.", "door"),
        ("Tom was tired, so he went to [MASK].", "bed"),
        ("He is taller [MASK] me.", "than"),
    ],
)
def test_a_mask_at_the_end_of_a_long_text_is_filled_too(text: str, word: str) -> None:
    tokens = builtin("encoder").trace(BEFORE + text).tokens["encoder"]
    assert tokens.pieces.index("[MASK]") > 80
    assert fillers(BEFORE + text)[0] == word


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("What a wonderful day!", "positive"),
        ("I love this movie.", "positive"),
        ("I hate this movie.", "negative"),
        ("The train leaves at nine.", "neutral"),
    ],
)
def test_sentiment_of_the_examples(text: str, label: str) -> None:
    assert sentiment(text) == label


def test_a_sentence_that_follows_is_told_from_one_that_does_not() -> None:
    def follows(second: str) -> float:
        heads = builtin("encoder").trace("Tom was very hungry.", second).heads
        return float(heads["pair"].softmax(-1)[0])

    assert follows("He ate some bread and cheese.") > 0.5
    assert follows("Paris is the capital of France.") < 0.5


def test_an_encoder_behind_a_causal_mask_fills_a_gap_worse() -> None:
    text = "The [MASK] fell from the tree."
    assert fillers(text)[0] == "apple"
    assert "apple" not in fillers(text, mask="causal")[:10]


@pytest.mark.parametrize(
    ("text", "word"), [("What a wonderful day!", "wonderful"), ("I hate this movie.", "hate")]
)
def test_cls_gathers_the_word_that_decides(text: str, word: str) -> None:
    trace = builtin("encoder").trace(text)
    row = trace.pattern("encoder.self", 1, head=3)[0]
    assert row[trace.tokens["encoder"].pieces.index(word)] > 0.9


@pytest.mark.parametrize(
    ("text", "layer", "head", "query", "key"),
    [
        ("Mary lost her book, so she was sad.", 2, 8, "she", "mary"),
        ("Mary was tired because she had worked all day.", 2, 8, "she", "mary"),
        ("Tom said that [MASK] was tired.", 4, 5, "[MASK]", "tom"),
        ("Mary said that [MASK] was tired.", 4, 5, "[MASK]", "mary"),
    ],
)
def test_a_pronoun_looks_for_its_name(
    text: str, layer: int, head: int, query: str, key: str
) -> None:
    trace = builtin("encoder").trace(text)
    pieces = trace.tokens["encoder"].pieces
    row = trace.pattern("encoder.self", layer - 1, head=head - 1)[pieces.index(query)]
    assert pieces[int(row.argmax())] == key
    assert row.max() > 0.7


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Tom was tired because he had worked all day.", "tom"),
        ("Mary saw Tom, and he was happy.", "mary"),
    ],
)
def test_the_head_of_the_pronoun_knows_names_and_no_rule(text: str, name: str) -> None:
    trace = builtin("encoder").trace(text)
    pieces = trace.tokens["encoder"].pieces
    row = trace.pattern("encoder.self", 1, head=7)[pieces.index("he")]
    assert pieces[int(row.argmax())] == name


def test_late_heads_rest_on_the_full_stop() -> None:
    trace = builtin("encoder").trace("She opened the [MASK] and went out.")
    stop = trace.tokens["encoder"].pieces.index(".")
    given = [trace.pattern("encoder.self", i).mean(0)[:, stop].mean() for i in range(6)]
    assert given[4] > 0.7
    assert max(given[:2]) < 0.2


def test_a_late_head_rests_on_the_word_that_turns_the_meaning() -> None:
    trace = builtin("encoder").trace("The movie was not bad.")
    row = trace.pattern("encoder.self", 3, head=6)[0]
    assert row[trace.tokens["encoder"].pieces.index("not")] > 0.9
    assert sentiment("The movie was not bad.") == "positive"
    assert sentiment("The movie was bad.") == "negative"


def test_what_the_mask_changes_in_two_runs() -> None:
    """As the example of that name says."""
    (example,) = [e for e in read() if e.view == "two_runs"]
    model = builtin("encoder")
    assert example.text == example.against
    kept, own = (
        model.trace(example.text, masks=masks_of(mask, model.spec.sites))
        for mask in (example.against_mask, example.mask)
    )
    place = own.tokens["encoder"].pieces.index("[MASK]")
    before, after = (t.logits_at(place)[0].double() for t in (kept, own))
    assert model.tokenizer is not None
    assert model.tokenizer.piece(int(before.argmax())) == "apple"
    assert before.softmax(-1).max() > 0.98
    assert round(float(divergence_bits(before, after))) == 6
    maps = [t.pattern("encoder.self", example.layer - 1).mean(0) for t in (kept, own)]
    hidden = ~own.allowed("encoder.self", 0) & kept.allowed("encoder.self", 0)
    assert (maps[1] - maps[0])[hidden].max() < 0

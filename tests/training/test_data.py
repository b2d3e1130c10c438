"""Reading the training texts: whole books and unlike pairs are set aside, profanity is dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.data.everyday import everyday_sentences
from training.data.pairs import (
    Pair,
    near_key_chinese,
    near_key_english,
    read_pairs,
    split_pairs,
    tidy_chinese,
)
from training.data.sentiment import LABELS, is_clean, read_sentiment
from training.data.stories import HELD_OUT, Book, read_books, sentences_of, split_books


def write_books(folder: Path, books: dict[str, str], *, error: int = 0) -> None:
    texts = {name: text.encode() for name, text in books.items()}
    (folder / "stories.txt").write_bytes(b"\n\n".join(texts.values()))
    lines = ["repo\tcommit\tbytes\tset"]
    lines += [f"owner/{name}\tabc\t{len(text) + error}\tcore" for name, text in texts.items()]
    (folder / "stories_sources.tsv").write_text("\n".join(lines) + "\n")


def test_books_are_cut_where_the_list_says_even_with_long_characters(tmp_path: Path) -> None:
    books = {HELD_OUT[0]: "Café one.\nTwo.\n\nThree.", HELD_OUT[1]: "A", HELD_OUT[2]: "B", "x": "C"}
    write_books(tmp_path, books)
    found = read_books(tmp_path)
    assert found[0].chapters == (("Café one.", "Two."), ("Three.",))
    train, held = split_books(found)
    assert [b.name for b in train] == ["x"]
    assert [b.name for b in held] == list(HELD_OUT)


def test_sizes_that_do_not_add_up_are_an_error(tmp_path: Path) -> None:
    write_books(tmp_path, {"x": "One."}, error=3)
    with pytest.raises(ValueError, match=r"4 bytes, its list 7"):
        read_books(tmp_path)


def test_a_quotation_mark_stays_with_its_sentence() -> None:
    book = Book(name="x", chapters=(('He said "Go." Then he left. "Why?" she asked.',),))
    assert sentences_of(book) == ['He said "Go."', "Then he left.", '"Why?" she asked.']


def test_everyday_sentences_of_books_are_short_known_and_unlike_those_set_aside() -> None:
    known = "I you do not know what she said now go home we are glad Mrs is here".split()
    pairs = [Pair(zh="", en=" ".join(known))] * 2 + [Pair(zh="", en="once")]
    paragraph = (
        '"I do not know. Do you know?" she said. What she said now is here. '
        "We once are glad. (She is here now.) We are glad you are home. Here is Mrs. "
    )
    book = Book(name="x", chapters=((paragraph, "you go home now.", "Go home!"),))
    held_out = [Pair(zh="", en="Tom is glad, very glad at home.")]
    # Each of the others is rare in a word, bracketed, like a held-out one, cut short or begins low.
    assert everyday_sentences([book], pairs, held_out) == [
        "Do you know?",
        "I do not know.",
        "What she said now is here.",
    ]


def test_share_alike_rows_are_left_out(tmp_path: Path) -> None:
    rows = [
        "zh\ten\tsource\tattribution",
        "你好。\tHello.\tmanythings\tx",
        "你好吗？\tHow?\thsk-sa\tx",
    ]
    (tmp_path / "pairs_zh_en.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert read_pairs(tmp_path) == [Pair(zh="你好。", en="Hello.")]


def test_no_held_out_pair_resembles_a_training_pair() -> None:
    verbs = ("买", "卖", "看", "读", "写", "画", "洗", "找")
    names = ("buys", "sells", "sees", "reads", "writes", "draws", "washes", "finds")
    pairs = [
        Pair(zh=f"{who}{verb}{thing}书本。", en=f"{person} {name} {colour} books.")
        for who, person in (("他", "He"), ("汤姆", "Tom"))
        for verb, name in zip(verbs, names, strict=True)
        for thing, colour in (("红", "red"), ("绿", "green"))
    ]
    train, held = split_pairs(
        pairs + [Pair(zh=f"第{i}天到了。", en=f"Day {i} came.") for i in range(99)]
    )
    assert held
    for key, side in ((near_key_english, "en"), (near_key_chinese, "zh")):
        seen = {key(getattr(pair, side)) for pair in train}
        assert seen.isdisjoint(key(getattr(pair, side)) for pair in held)


def test_near_duplicates_differ_in_names_and_small_words_only() -> None:
    assert near_key_english("Tom's dog barks!") != near_key_english("The cat barks.")
    assert near_key_english("He bought a red car.") == near_key_english("Tom bought the red car!")
    assert near_key_chinese("他买了红车。") == near_key_chinese("汤姆买红车")


def test_chinese_marks_become_full_width() -> None:
    assert tidy_chinese("你 好 吗?") == "你好吗？"
    assert tidy_chinese("我爱 Tom Smith.") == "我爱Tom Smith。"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("What a lovely class of students", True),
        ("I passed the assessment", True),
        ("this is sh*t", False),
        ("What the hell", False),
        ("absofuckinglutely", False),
        ("kick his ass", False),
    ],
)
def test_profanity_is_recognised_by_word(text: str, clean: bool) -> None:
    assert is_clean(text) is clean


def test_sentiment_is_read_without_texts_of_two_labels(tmp_path: Path) -> None:
    rows = [
        "label\ttext",
        "positive\tI love [NAME]",
        "negative\tno",
        "neutral\tno",
        'neutral\t"a ""b"""',
    ]
    (tmp_path / "sentiment.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = {o.text: LABELS[o.label] for o in read_sentiment(tmp_path)}
    assert found == {"I love Tom": "positive", 'a "b"': "neutral"}

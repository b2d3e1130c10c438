"""The template grammar: right alignments, repeatable, and nothing held out is trained on."""

from __future__ import annotations

import random

import pytest

from training.grammar.fixed import COURTESIES, TEXTBOOK
from training.grammar.opinions import NEGATIVE, POSITIVE, opinion
from training.grammar.parallel import held_out_sentences, is_held_out, training_sentences
from training.grammar.phrase import compose, phrase, words
from training.grammar.tales import tale


def test_a_sentence_is_written_in_both_languages_with_its_word_alignment() -> None:
    sentence = compose(
        "{s} {t} 去:go 买:v 了:_ {o} 。:.",
        "{s} went:go to:_ buy:v {o} {t} .:.",
        s=phrase("我", "I"),
        t=phrase("今天", "today"),
        o=phrase("苹果", "apples"),
    )
    assert sentence.chinese == "我今天去买了苹果。"
    assert sentence.english == "I went to buy apples today."
    linked = {(sentence.zh[i].text, sentence.en[j].text) for i, j in sentence.links()}
    assert linked == {
        ("我", "I"),
        ("今天", "today"),
        ("去", "went"),
        ("买", "buy"),
        ("苹果", "apples"),
        ("。", "."),
    }


def test_latin_words_in_chinese_keep_the_space_between_them() -> None:
    both = compose("{a} {b} 很 好", "x", a=phrase("Tom", "Tom"), b=phrase("Smith", "Smith"))
    assert both.chinese == "Tom Smith很好"


def test_a_slot_without_a_filling_is_an_error() -> None:
    with pytest.raises(KeyError):
        compose("{s} 跑", "{s} runs")


def test_words_of_different_slots_do_not_share_labels() -> None:
    sentence = compose(
        "{a} 和:and {b}", "{a} and:and {b}", a=phrase("猫", "cats"), b=phrase("狗", "dogs")
    )
    assert sentence.links() == [(0, 0), (1, 1), (2, 2)]


def test_labels_of_written_words() -> None:
    assert [(w.text, w.label) for w in words("machine~learning:n the")] == [
        ("machine learning", "n"),
        ("the", "_"),
    ]


def test_training_and_held_out_sentences_share_no_sentence_in_either_language() -> None:
    train, held = training_sentences(3000), held_out_sentences(100)
    assert len(held) == 100
    assert {s.chinese for s in train}.isdisjoint(s.chinese for s in held)
    assert {s.english for s in train}.isdisjoint(s.english for s in held)


def test_the_same_seed_writes_the_same_sentences() -> None:
    first = [s.english for s in training_sentences(50, seed=4)]
    assert first == [s.english for s in training_sentences(50, seed=4)]
    assert first != [s.english for s in training_sentences(50, seed=5)]
    assert tale(random.Random(3)) == tale(random.Random(3))


@pytest.mark.parametrize(("zh", "en"), TEXTBOOK + COURTESIES)
def test_fixed_sentences_are_never_held_out(zh: str, en: str) -> None:
    assert not is_held_out(compose(f"{zh}:w", f"{en.replace(' ', '~')}:w"))


def test_negation_turns_an_opinion_round() -> None:
    rng = random.Random(0)
    drawn = [opinion(rng) for _ in range(6000)]
    bad = [label for text, label in drawn if "was not good." in text]
    good = [label for text, label in drawn if "was not bad." in text]
    assert set(bad) == {NEGATIVE}
    assert set(good) == {POSITIVE}

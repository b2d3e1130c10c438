"""Noun phrases, subjects and times as parallel phrases."""

from __future__ import annotations

import random

from training.grammar.lexicon import NOUNS, NUMBERS, SUBJECTS, Noun, Subject
from training.grammar.phrase import Phrase, phrase, words


def nouns_of(kinds: tuple[str, ...]) -> list[Noun]:
    """Every noun of one of the kinds."""
    return [noun for noun in NOUNS if set(noun.kind.split()) & set(kinds)]


def article(text: str) -> str:
    """ "a" or "an" for the word that follows."""
    return "an" if text[0].lower() in "aeio" or text.startswith("umb") else "a"


def bare(noun: Noun) -> Phrase:
    """苹果 / apples; 音乐 / music."""
    return Phrase(zh=words(f"{noun.zh}:n"), en=words(_english(noun.plural or noun.en)))


def one(noun: Noun) -> Phrase:
    """一个苹果 / an apple; a mass noun stays bare."""
    if not noun.plural:
        return bare(noun)
    en = f"{article(noun.en)}:d " + _english(noun.en)
    return Phrase(zh=words(f"一{noun.measure}:d {noun.zh}:n"), en=words(en))


def pointed(noun: Noun, which: str) -> Phrase:
    """这个苹果 / this apple (which "this"), 那个苹果 / that apple ("that")."""
    zh = {"this": "这", "that": "那"}[which]
    measure = noun.measure if noun.plural else ""
    return Phrase(
        zh=words(f"{zh}{measure}:d {noun.zh}:n"), en=words(f"{which}:d " + _english(noun.en))
    )


def counted(noun: Noun, rng: random.Random) -> Phrase:
    """三个苹果 / three apples; a mass noun stays bare."""
    if not noun.plural:
        return bare(noun)
    zh, en = rng.choice(NUMBERS)
    return Phrase(
        zh=words(f"{zh}:d {noun.measure}:_ {noun.zh}:n"),
        en=words(f"{en}:d " + _english(noun.plural)),
    )


def owned(noun: Noun, owner: Subject) -> Phrase:
    """我的苹果 / my apple."""
    zh = owner.zh.removesuffix("的")
    possessive = " ".join(f"{word}:d" for word in owner.possessive.split())
    return Phrase(
        zh=words(f"{zh}:d 的:_ {noun.zh}:n"), en=words(f"{possessive} " + _english(noun.en))
    )


def some_object(noun: Noun, rng: random.Random) -> Phrase:
    """One of the forms above, the bare one most often."""
    draw = rng.random()
    if not noun.measure or draw < 0.45:
        return bare(noun)
    if draw < 0.65:
        return one(noun)
    if draw < 0.78:
        return pointed(noun, rng.choice(("this", "that")))
    if draw < 0.9:
        return counted(noun, rng)
    return owned(noun, rng.choice(SUBJECTS[:6]))


def subject(person: Subject) -> Phrase:
    """The subject as a phrase of one label."""
    return phrase(person.zh, person.en)


def _english(text: str) -> str:
    return " ".join(f"{word}:n" for word in text.replace("~", " ").split())

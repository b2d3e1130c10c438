"""Patterns of what things are, what they are like, where they are and whose."""

from __future__ import annotations

import random

from training.grammar.draws import person
from training.grammar.lexicon import JOBS, NOUNS, QUALITIES, SPOTS, SUBJECTS
from training.grammar.nominal import article, bare, counted, nouns_of, one, owned, pointed, subject
from training.grammar.phrase import Phrase, compose, phrase


def where(rng: random.Random) -> Phrase:
    """猫在桌子上。 / The cat is on the table. 猫在哪里？ / Where is the cat?"""
    noun = rng.choice([n for n in nouns_of(("animal", "thing", "text", "food")) if n.plural])
    draw = rng.random()
    if draw < 0.25:
        return compose(f"{noun.zh}:n 在:be 哪里:q ？:.", f"where:q is:be the:n {noun.en}:n ?:.")
    if draw < 0.35:
        who = person(rng)
        return compose("{s} 在:be 哪里:q ？:.", f"where:q {who.be}:be {{s}} ?:.", s=subject(who))
    zh, en, on = rng.choice(SPOTS)
    spot = _spot(on, rng)
    if draw < 0.7:
        return compose(
            f"{noun.zh}:n 在:be {spot[0]}:p {zh}:on 。:.",
            f"the:n {noun.en}:n is:be {en}:on the:p {spot[1]}:p .:.",
        )
    if draw < 0.85:
        return compose(
            f"{spot[0]}:p {zh}:on 有:be {{o}} 。:.",
            f"there:_ is:be {{o}} {en}:on the:p {spot[1]}:p .:.",
            o=one(noun),
        )
    return compose(
        f"{spot[0]}:p {zh}:on 有:be {{o}} 。:.",
        f"there:_ are:be {{o}} {en}:on the:p {spot[1]}:p .:.",
        o=counted(noun, rng),
    )


def _spot(names: str, rng: random.Random) -> tuple[str, str]:
    table = {noun.zh: noun.en for noun in NOUNS} | {"窗": "window"}
    known = [name for name in names.split() if name in table]
    name = rng.choice(known)
    return name, table[name]


def naming(rng: random.Random) -> Phrase:
    """这是一本书。 / This is a book. 她是老师。 / She is a teacher."""
    draw = rng.random()
    zh, en = rng.choice((("这", "this"), ("那", "that")))
    if draw < 0.05:
        return compose(f"{zh}:s 是:be 什么:q ？:.", f"what:q is:be {en}:s ?:.")
    if draw < 0.6:
        noun = rng.choice([n for n in NOUNS if n.measure and n.zh != "音乐"])
        o = one(noun) if rng.random() < 0.6 else owned(noun, rng.choice(SUBJECTS))
        if draw < 0.15:
            return compose(f"{zh}:s 是:be {{o}} 吗:_ ？:.", f"is:be {en}:s {{o}} ?:.", o=o)
        if draw < 0.28:
            return compose(f"{zh}:s 不是:be {{o}} 。:.", f"{en}:s isn't:be {{o}} .:.", o=o)
        return compose(f"{zh}:s 是:be {{o}} 。:.", f"{en}:s is:be {{o}} .:.", o=o)
    who = rng.choice([p for p in SUBJECTS if p.be != "are" or p.en == "you"])
    job = rng.choice(JOBS)
    trade = f"{article(job[1])}:_ {job[1]}:o"
    s = subject(who)
    if draw < 0.7:
        return compose(
            f"{{s}} 不是:be {job[0]}:o 。:.", f"{{s}} {who.be}:be not:be {trade} .:.", s=s
        )
    if draw < 0.78:
        return compose(f"{{s}} 是:be {job[0]}:o 吗:_ ？:.", f"{who.be}:be {{s}} {trade} ?:.", s=s)
    return compose(f"{{s}} 是:be {job[0]}:o 。:.", f"{{s}} {who.be}:be {trade} .:.", s=s)


def quality(rng: random.Random) -> Phrase:
    """这个苹果很红。 / This apple is red. 他不高兴。 / He is not happy."""
    if rng.random() < 0.5:
        who = person(rng)
        what = rng.choice([q for q in QUALITIES if "person" in q.of])
        s, be = subject(who), who.be
    else:
        what = rng.choice([q for q in QUALITIES if set(q.of) != {"person"}])
        noun = rng.choice(nouns_of(tuple(k for k in what.of if k != "person")))
        if noun.plural:
            s = (
                pointed(noun, rng.choice(("this", "that")))
                if rng.random() < 0.7
                else owned(noun, rng.choice(SUBJECTS))
            )
        elif noun.measure and noun.zh != "音乐":
            s = pointed(noun, rng.choice(("this", "that")))
        else:
            s = bare(noun)
        be = "is"
    draw = rng.random()
    if draw < 0.5:
        return compose(f"{{s}} 很:be {what.zh}:a 。:.", f"{{s}} {be}:be {what.en}:a .:.", s=s)
    if draw < 0.6:
        return compose(
            f"{{s}} 太:m {what.zh}:a 了:_ 。:.", f"{{s}} {be}:_ too:m {what.en}:a .:.", s=s
        )
    if draw < 0.85:
        return compose(
            f"{{s}} 不:neg {what.zh}:a 。:.", f"{{s}} {be}:_ not:neg {what.en}:a .:.", s=s
        )
    return compose(f"{{s}} {what.zh}:a 吗:q ？:.", f"{be}:q {{s}} {what.en}:a ?:.", s=s)


def having(rng: random.Random) -> Phrase:
    """我有两只猫。 / I have two cats. 他没有车。 / He doesn't have a car."""
    who = person(rng)
    noun = rng.choice(nouns_of(("food", "animal", "thing", "text", "furniture")))
    s = subject(who)
    has, do = ("has", "does") if who.third else ("have", "do")
    draw = rng.random()
    if draw < 0.35:
        return compose("{s} 有:v {o} 。:.", f"{{s}} {has}:v {{o}} .:.", s=s, o=one(noun))
    if draw < 0.65:
        return compose("{s} 有:v {o} 。:.", f"{{s}} {has}:v {{o}} .:.", s=s, o=counted(noun, rng))
    if draw < 0.85:
        return compose(
            "{s} 没:neg 有:v {o} 。:.", f"{{s}} {do}n't:neg have:v {{o}} .:.", s=s, o=bare(noun)
        )
    return compose("{s} 有:v {o} 吗:q ？:.", f"{do}:q {{s}} have:v {{o}} ?:.", s=s, o=one(noun))


def giving(rng: random.Random) -> Phrase:
    """他给了我一本书。 / He gave me a book."""
    who = person(rng)
    other = rng.choice([p for p in SUBJECTS if p is not who])
    noun = rng.choice([n for n in nouns_of(("food", "drink", "thing", "text")) if n.measure])
    o = one(noun) if rng.random() < 0.6 else counted(noun, rng)
    return compose(
        "{s} 给:v 了:_ {f} {o} 。:.",
        "{s} gave:v {f} {o} .:.",
        s=subject(who),
        f=phrase(other.zh, other.object),
        o=o,
    )


def comparison(rng: random.Random) -> Phrase:
    """猫比狗小。 / Cats are smaller than dogs."""
    a, b = rng.sample([n for n in nouns_of(("animal",)) if n.zh not in ("羊", "鱼")], 2)
    zh, en = rng.choice(
        (("大", "bigger"), ("小", "smaller"), ("快", "faster"), ("聪明", "smarter"))
    )
    return compose(
        f"{{a}} 比:than {{b}} {zh}:m 。:.",
        f"{{a}} are:_ {en}:m than:than {{b}} .:.",
        a=bare(a),
        b=bare(b),
    )

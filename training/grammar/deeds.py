"""Patterns of what people do, did, will do, wish, and where they go."""

from __future__ import annotations

import random

from training.grammar.draws import act, person, verb_of
from training.grammar.lexicon import DAILY, DEEDS, FEELINGS, FUTURE, PAST, PLACES, SUBJECTS, VERBS
from training.grammar.nominal import bare, nouns_of, one, subject
from training.grammar.phrase import Phrase, compose, phrase


def feeling(rng: random.Random) -> Phrase:
    """我爱AI。 / I love AI. and its negation and question; 热爱 goes with studies and arts."""
    who = person(rng)
    zh, en, kinds = rng.choice(FEELINGS)
    noun = rng.choice(nouns_of(tuple(kinds.split())))
    if en == "love" and "topic" in noun.kind and noun.zh != "AI":
        zh = "热爱"
    o = bare(noun)
    s = subject(who)
    draw = rng.random()
    if draw < 0.6:
        extra = rng.random() < 0.12
        form = en + "s" if who.third else en
        if extra:
            return compose(
                f"{{s}} 非常:m {zh}:v {{o}} 。:.",
                f"{{s}} {form}:v {{o}} very:m much:m .:.",
                s=s,
                o=o,
            )
        return compose(f"{{s}} {zh}:v {{o}} 。:.", f"{{s}} {form}:v {{o}} .:.", s=s, o=o)
    do = "does" if who.third else "do"
    if draw < 0.85:
        return compose(
            f"{{s}} 不:neg {zh}:v {{o}} 。:.", f"{{s}} {do}n't:neg {en}:v {{o}} .:.", s=s, o=o
        )
    return compose(f"{{s}} {zh}:v {{o}} 吗:q ？:.", f"{do}:q {{s}} {en}:v {{o}} ?:.", s=s, o=o)


def past(rng: random.Random) -> Phrase:
    """我昨天买了一本书。 / I bought a book yesterday. and its negation and question."""
    who, (verb, o) = person(rng), act(rng)
    s, t = subject(who), phrase(*rng.choice(PAST))
    draw = rng.random()
    if draw < 0.65:
        return compose(
            f"{{s}} {{t}} {verb.zh}:v 了:_ {{o}} 。:.",
            f"{{s}} {verb_of(verb.past)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    if draw < 0.85:
        return compose(
            f"{{s}} {{t}} 没:neg {verb.zh}:v {{o}} 。:.",
            f"{{s}} didn't:neg {verb_of(verb.base)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    return compose(
        f"{{s}} {{t}} {verb.zh}:v 了:_ {{o}} 吗:q ？:.",
        f"did:q {{s}} {verb_of(verb.base)} {{o}} {{t}} ?:.",
        s=s,
        t=t,
        o=o,
    )


def went_to(rng: random.Random) -> Phrase:
    """我今天去买了苹果。 / I went to buy apples today."""
    who, (verb, o) = person(rng), act(rng)
    return compose(
        f"{{s}} {{t}} 去:go {verb.zh}:v 了:_ {{o}} 。:.",
        f"{{s}} went:go to:_ {verb_of(verb.base)} {{o}} {{t}} .:.",
        s=subject(who),
        t=phrase(*rng.choice(PAST)),
        o=o,
    )


def future(rng: random.Random) -> Phrase:
    """我明天要买苹果。 / I will buy apples tomorrow."""
    who, (verb, o) = person(rng), act(rng)
    s, t = subject(who), phrase(*rng.choice(FUTURE))
    draw = rng.random()
    if draw < 0.6:
        return compose(
            f"{{s}} {{t}} 要:w {verb.zh}:v {{o}} 。:.",
            f"{{s}} will:w {verb_of(verb.base)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    if draw < 0.8:
        return compose(
            f"{{s}} {{t}} 不会:w {verb.zh}:v {{o}} 。:.",
            f"{{s}} won't:w {verb_of(verb.base)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    return compose(
        f"{{s}} {{t}} 会:w {verb.zh}:v {{o}} 吗:_ ？:.",
        f"will:w {{s}} {verb_of(verb.base)} {{o}} {{t}} ?:.",
        s=s,
        t=t,
        o=o,
    )


def habit(rng: random.Random) -> Phrase:
    """他每天喝茶。 / He drinks tea every day."""
    who, verb = person(rng), rng.choice(VERBS)
    o = bare(rng.choice(nouns_of(verb.kinds)))
    form = verb.third if who.third else verb.base
    s = subject(who)
    if rng.random() < 0.6:
        return compose(
            f"{{s}} {{t}} 都:_ {verb.zh}:v {{o}} 。:.",
            f"{{s}} {verb_of(form)} {{o}} {{t}} .:.",
            s=s,
            o=o,
            t=phrase(*rng.choice(DAILY)),
        )
    zh, en = rng.choice(
        (("经常", "often"), ("总是", "always"), ("从不", "never"), ("有时", "sometimes"))
    )
    return compose(
        f"{{s}} {zh}:m {verb.zh}:v {{o}} 。:.", f"{{s}} {en}:m {verb_of(form)} {{o}} .:.", s=s, o=o
    )


def going_on(rng: random.Random) -> Phrase:
    """她正在读书。 / She is reading books. and 她在做什么？ / What is she doing?"""
    who = person(rng)
    s = subject(who)
    draw = rng.random()
    if draw < 0.12:
        return compose("{s} 在:be 做:v 什么:q ？:.", f"what:q {who.be}:be {{s}} doing:v ?:.", s=s)
    if draw < 0.45:
        zh, _, _, _, ing = rng.choice(DEEDS)
        return compose(f"{{s}} 正在:be {zh}:v 。:.", f"{{s}} {who.be}:be {ing}:v .:.", s=s)
    verb, o = act(rng)
    return compose(
        f"{{s}} 正在:be {verb.zh}:v {{o}} 。:.",
        f"{{s}} {who.be}:be {verb_of(verb.ing)} {{o}} .:.",
        s=s,
        o=o,
    )


def wish(rng: random.Random) -> Phrase:
    """我想吃苹果。 / I want to eat apples. 我会游泳。 / I can swim."""
    who = person(rng)
    s = subject(who)
    draw = rng.random()
    if draw < 0.45:
        verb, o = act(rng)
        if draw < 0.12:
            do = "does" if who.third else "do"
            return compose(
                f"{{s}} 不:neg 想:w {verb.zh}:v {{o}} 。:.",
                f"{{s}} {do}n't:neg want:w to:_ {verb_of(verb.base)} {{o}} .:.",
                s=s,
                o=o,
            )
        want = "wants" if who.third else "want"
        return compose(
            f"{{s}} 想:w {verb.zh}:v {{o}} 。:.",
            f"{{s}} {want}:w to:_ {verb_of(verb.base)} {{o}} .:.",
            s=s,
            o=o,
        )
    if draw < 0.75:
        zh, base, *_ = rng.choice(DEEDS[:7])
        if rng.random() < 0.3:
            return compose(f"{{s}} 不会:c {zh}:v 。:.", f"{{s}} can't:c {base}:v .:.", s=s)
        if rng.random() < 0.3:
            return compose(f"{{s}} 会:c {zh}:v 吗:_ ？:.", f"can:c {{s}} {base}:v ?:.", s=s)
        return compose(f"{{s}} 会:c {zh}:v 。:.", f"{{s}} can:c {base}:v .:.", s=s)
    noun = rng.choice(nouns_of(("food", "drink", "thing", "text")))
    need = "needs" if who.third else "need"
    return compose("{s} 需要:w {o} 。:.", f"{{s}} {need}:w {{o}} .:.", s=s, o=one(noun))


def journey(rng: random.Random) -> Phrase:
    """他们昨天去了公园。 / They went to the park yesterday."""
    who, place = person(rng), rng.choice(PLACES)
    s = subject(who)
    to, *rest = place.to.split()
    en = f"{to}:_ " + " ".join(f"{word}:p" for word in rest)
    draw = rng.random()
    if draw < 0.35:
        return compose(
            f"{{s}} {{t}} 去:go 了:_ {place.zh}:p 。:.",
            f"{{s}} went:go {en} {{t}} .:.",
            s=s,
            t=phrase(*rng.choice(PAST)),
        )
    if draw < 0.5:
        return compose(
            f"{{s}} {{t}} 要:w 去:go {place.zh}:p 。:.",
            f"{{s}} will:w go:go {en} {{t}} .:.",
            s=s,
            t=phrase(*rng.choice(FUTURE)),
        )
    if draw < 0.62:
        want = "wants" if who.third else "want"
        return compose(
            f"{{s}} 想:w 去:go {place.zh}:p 。:.", f"{{s}} {want}:w to:_ go:go {en} .:.", s=s
        )
    if draw < 0.74:
        at = " ".join(f"{word}:p" for word in place.at.split())
        return compose(f"{{s}} 在:be {place.zh}:p 。:.", f"{{s}} {who.be}:be {at} .:.", s=s)
    if draw < 0.88:
        verb, o = act(rng)
        at = " ".join(f"{word}:p" for word in place.at.split())
        return compose(
            f"{{s}} {{t}} 在:_ {place.zh}:p {verb.zh}:v 了:_ {{o}} 。:.",
            f"{{s}} {verb_of(verb.past)} {{o}} {at} {{t}} .:.",
            s=s,
            o=o,
            t=phrase(*rng.choice(PAST)),
        )
    other = rng.choice([p for p in SUBJECTS[2:] if p is not who])
    return compose(
        f"{{s}} {{t}} 和:with {{f}} 一起:_ 去:go 了:_ {place.zh}:p 。:.",
        f"{{s}} went:go {en} with:with {{f}} {{t}} .:.",
        s=s,
        t=phrase(*rng.choice(PAST)),
        f=phrase(other.zh, other.object),
    )

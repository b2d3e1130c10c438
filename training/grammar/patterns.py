"""Sentence patterns: each draws its words and returns one parallel sentence."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.grammar.lexicon import (
    DAILY,
    DEEDS,
    FEELINGS,
    FUTURE,
    JOBS,
    NOUNS,
    PAST,
    PLACES,
    QUALITIES,
    SPOTS,
    SUBJECTS,
    VERBS,
    Subject,
    Verb,
)
from training.grammar.nominal import (
    article,
    bare,
    counted,
    nouns_of,
    one,
    owned,
    pointed,
    some_object,
    subject,
)
from training.grammar.phrase import Phrase, compose, phrase

Pattern = Callable[[random.Random], Phrase]


def _person(rng: random.Random) -> Subject:
    # Half pronouns: they are the commonest subjects of real speech.
    return rng.choice(SUBJECTS[:6] if rng.random() < 0.5 else SUBJECTS)


def _verb(text: str) -> str:
    return " ".join(f"{word}:v" for word in text.replace("~", " ").split())


def _act(rng: random.Random) -> tuple[Verb, Phrase]:
    verb = rng.choice(VERBS)
    return verb, some_object(rng.choice(nouns_of(verb.kinds)), rng)


def feeling(rng: random.Random) -> Phrase:
    """我爱AI。 / I love AI. and its negation and question; 热爱 goes with studies and arts."""
    who = _person(rng)
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
    who, (verb, o) = _person(rng), _act(rng)
    s, t = subject(who), phrase(*rng.choice(PAST))
    draw = rng.random()
    if draw < 0.65:
        return compose(
            f"{{s}} {{t}} {verb.zh}:v 了:_ {{o}} 。:.",
            f"{{s}} {_verb(verb.past)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    if draw < 0.85:
        return compose(
            f"{{s}} {{t}} 没:neg {verb.zh}:v {{o}} 。:.",
            f"{{s}} didn't:neg {_verb(verb.base)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    return compose(
        f"{{s}} {{t}} {verb.zh}:v 了:_ {{o}} 吗:q ？:.",
        f"did:q {{s}} {_verb(verb.base)} {{o}} {{t}} ?:.",
        s=s,
        t=t,
        o=o,
    )


def went_to(rng: random.Random) -> Phrase:
    """我今天去买了苹果。 / I went to buy apples today."""
    who, (verb, o) = _person(rng), _act(rng)
    return compose(
        f"{{s}} {{t}} 去:go {verb.zh}:v 了:_ {{o}} 。:.",
        f"{{s}} went:go to:_ {_verb(verb.base)} {{o}} {{t}} .:.",
        s=subject(who),
        t=phrase(*rng.choice(PAST)),
        o=o,
    )


def future(rng: random.Random) -> Phrase:
    """我明天要买苹果。 / I will buy apples tomorrow."""
    who, (verb, o) = _person(rng), _act(rng)
    s, t = subject(who), phrase(*rng.choice(FUTURE))
    draw = rng.random()
    if draw < 0.6:
        return compose(
            f"{{s}} {{t}} 要:w {verb.zh}:v {{o}} 。:.",
            f"{{s}} will:w {_verb(verb.base)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    if draw < 0.8:
        return compose(
            f"{{s}} {{t}} 不会:w {verb.zh}:v {{o}} 。:.",
            f"{{s}} won't:w {_verb(verb.base)} {{o}} {{t}} .:.",
            s=s,
            t=t,
            o=o,
        )
    return compose(
        f"{{s}} {{t}} 会:w {verb.zh}:v {{o}} 吗:_ ？:.",
        f"will:w {{s}} {_verb(verb.base)} {{o}} {{t}} ?:.",
        s=s,
        t=t,
        o=o,
    )


def habit(rng: random.Random) -> Phrase:
    """他每天喝茶。 / He drinks tea every day."""
    who, verb = _person(rng), rng.choice(VERBS)
    o = bare(rng.choice(nouns_of(verb.kinds)))
    form = verb.third if who.third else verb.base
    s = subject(who)
    if rng.random() < 0.6:
        return compose(
            f"{{s}} {{t}} 都:_ {verb.zh}:v {{o}} 。:.",
            f"{{s}} {_verb(form)} {{o}} {{t}} .:.",
            s=s,
            o=o,
            t=phrase(*rng.choice(DAILY)),
        )
    zh, en = rng.choice(
        (("经常", "often"), ("总是", "always"), ("从不", "never"), ("有时", "sometimes"))
    )
    return compose(
        f"{{s}} {zh}:m {verb.zh}:v {{o}} 。:.", f"{{s}} {en}:m {_verb(form)} {{o}} .:.", s=s, o=o
    )


def going_on(rng: random.Random) -> Phrase:
    """她正在读书。 / She is reading books. and 她在做什么？ / What is she doing?"""
    who = _person(rng)
    s = subject(who)
    draw = rng.random()
    if draw < 0.12:
        return compose("{s} 在:be 做:v 什么:q ？:.", f"what:q {who.be}:be {{s}} doing:v ?:.", s=s)
    if draw < 0.45:
        zh, _, _, _, ing = rng.choice(DEEDS)
        return compose(f"{{s}} 正在:be {zh}:v 。:.", f"{{s}} {who.be}:be {ing}:v .:.", s=s)
    verb, o = _act(rng)
    return compose(
        f"{{s}} 正在:be {verb.zh}:v {{o}} 。:.",
        f"{{s}} {who.be}:be {_verb(verb.ing)} {{o}} .:.",
        s=s,
        o=o,
    )


def wish(rng: random.Random) -> Phrase:
    """我想吃苹果。 / I want to eat apples. 我会游泳。 / I can swim."""
    who = _person(rng)
    s = subject(who)
    draw = rng.random()
    if draw < 0.45:
        verb, o = _act(rng)
        if draw < 0.12:
            do = "does" if who.third else "do"
            return compose(
                f"{{s}} 不:neg 想:w {verb.zh}:v {{o}} 。:.",
                f"{{s}} {do}n't:neg want:w to:_ {_verb(verb.base)} {{o}} .:.",
                s=s,
                o=o,
            )
        want = "wants" if who.third else "want"
        return compose(
            f"{{s}} 想:w {verb.zh}:v {{o}} 。:.",
            f"{{s}} {want}:w to:_ {_verb(verb.base)} {{o}} .:.",
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
    who, place = _person(rng), rng.choice(PLACES)
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
        verb, o = _act(rng)
        at = " ".join(f"{word}:p" for word in place.at.split())
        return compose(
            f"{{s}} {{t}} 在:_ {place.zh}:p {verb.zh}:v 了:_ {{o}} 。:.",
            f"{{s}} {_verb(verb.past)} {{o}} {at} {{t}} .:.",
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


def where(rng: random.Random) -> Phrase:
    """猫在桌子上。 / The cat is on the table. 猫在哪里？ / Where is the cat?"""
    noun = rng.choice([n for n in nouns_of(("animal", "thing", "text", "food")) if n.plural])
    draw = rng.random()
    if draw < 0.25:
        return compose(f"{noun.zh}:n 在:be 哪里:q ？:.", f"where:q is:be the:n {noun.en}:n ?:.")
    if draw < 0.35:
        who = _person(rng)
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
        who = _person(rng)
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
    who = _person(rng)
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
    who = _person(rng)
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


def reason(rng: random.Random) -> Phrase:
    """因为我很累，所以我没去学校。 / I didn't go to school because I was tired."""
    who, place = _person(rng), rng.choice(PLACES)
    what = rng.choice([q for q in QUALITIES if q.en in ("tired", "busy", "angry", "hungry")])
    s = subject(who)
    to, *rest = place.to.split()
    en = f"{to}:_ " + " ".join(f"{word}:p" for word in rest)
    pronoun = {"汤姆": ("他", "he"), "小明": ("他", "he"), "玛丽": ("她", "she")}.get(who.zh)
    pronouns = [p.zh for p in SUBJECTS[:6]]
    if pronoun is None and who.zh not in pronouns:
        who = SUBJECTS[2]
        s = subject(who)
    again = phrase(*(pronoun or (who.zh, who.en)))
    if rng.random() < 0.5:
        return compose(
            f"因为:why {{s}} 很:be {what.zh}:a ，:_ 所以:_ {{r}} 没:neg 去:go {place.zh}:p 。:.",
            f"because:why {{s}} {who.past_be}:be {what.en}:a ,:_ {{r}} didn't:neg go:go {en} .:.",
            s=s,
            r=again,
        )
    verb, o = _act(rng)
    return compose(
        f"{{s}} 很:be {what.zh}:a ，:_ 但是:but {{r}} {verb.zh}:v 了:_ {{o}} 。:.",
        f"{{s}} {who.past_be}:be {what.en}:a ,:_ but:but {{r}} {_verb(verb.past)} {{o}} .:.",
        s=s,
        r=again,
        o=o,
    )


def referent(rng: random.Random) -> Phrase:
    """汤姆买了一本书，他很喜欢它。 / Tom bought a book, and he likes it very much."""
    name = rng.choice(
        [
            p
            for p in SUBJECTS
            if p.zh in ("汤姆", "小明", "玛丽", "我妈妈", "我爸爸", "我妹妹", "我哥哥")
        ]
    )
    he = name.zh not in ("玛丽", "我妈妈", "我妹妹")
    noun = rng.choice([n for n in nouns_of(("thing", "animal", "text")) if n.plural])
    r = phrase("他", "he") if he else phrase("她", "she")
    verb, past_form = rng.choice((("买", "bought"), ("看见", "saw"), ("找到", "found")))
    if rng.random() < 0.6:
        return compose(
            f"{{s}} {verb}:v 了:_ {{o}} ，:_ {{r}} 很:m 喜欢:like 它:it 。:.",
            f"{{s}} {past_form}:v {{o}} ,:_ and:_ {{r}} likes:like it:it very:m much:m .:.",
            s=subject(name),
            o=one(noun),
            r=r,
        )
    what = rng.choice(
        [
            q
            for q in QUALITIES
            if set(q.of) & {"thing", "animal"}
            and q.en in ("big", "small", "old", "new", "expensive", "cute", "beautiful")
            and set(q.of) & set(noun.kind.split())
        ]
    )
    return compose(
        f"{{s}} {verb}:v 了:_ {{o}} ，:_ 它:it 很:be {what.zh}:a 。:.",
        f"{{s}} {past_form}:v {{o}} ,:_ and:_ it:it was:be {what.en}:a .:.",
        s=subject(name),
        o=one(noun),
    )


PATTERNS: tuple[tuple[Pattern, int], ...] = (
    (feeling, 14), (past, 14), (went_to, 8), (future, 7), (habit, 6), (going_on, 7), (wish, 8),
    (journey, 10), (where, 6), (naming, 8), (quality, 9), (having, 7), (giving, 5),
    (comparison, 2), (reason, 5), (referent, 5),
)  # fmt: skip

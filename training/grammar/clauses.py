"""Patterns of two clauses: reasons, and pronouns for what was named before."""

from __future__ import annotations

import random

from training.grammar.draws import act, person, verb_of
from training.grammar.lexicon import PLACES, QUALITIES, SUBJECTS
from training.grammar.nominal import nouns_of, one, subject
from training.grammar.phrase import Phrase, compose, phrase


def reason(rng: random.Random) -> Phrase:
    """因为我很累，所以我没去学校。 / I didn't go to school because I was tired."""
    who, place = person(rng), rng.choice(PLACES)
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
    verb, o = act(rng)
    return compose(
        f"{{s}} 很:be {what.zh}:a ，:_ 但是:but {{r}} {verb.zh}:v 了:_ {{o}} 。:.",
        f"{{s}} {who.past_be}:be {what.en}:a ,:_ but:but {{r}} {verb_of(verb.past)} {{o}} .:.",
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

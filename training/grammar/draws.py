"""What many patterns draw: who, and an act with its object."""

from __future__ import annotations

import random

from training.grammar.lexicon import SUBJECTS, VERBS, Subject, Verb
from training.grammar.nominal import nouns_of, some_object
from training.grammar.phrase import Phrase


def person(rng: random.Random) -> Subject:
    # Half pronouns: they are the commonest subjects of real speech.
    return rng.choice(SUBJECTS[:6] if rng.random() < 0.5 else SUBJECTS)


def verb_of(text: str) -> str:
    """A verb's words, each marked as aligned with the verb."""
    return " ".join(f"{word}:v" for word in text.replace("~", " ").split())


def act(rng: random.Random) -> tuple[Verb, Phrase]:
    """A verb and something it may be done to."""
    verb = rng.choice(VERBS)
    return verb, some_object(rng.choice(nouns_of(verb.kinds)), rng)

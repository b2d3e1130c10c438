"""Sentences with a plain sentiment, negation among them; labels as in training.data.sentiment."""

# ruff: noqa: E501 - one sentence a line reads better than wrapped ones
from __future__ import annotations

import random

NEGATIVE, NEUTRAL, POSITIVE = 0, 1, 2

_THINGS = (
    "the movie", "the film", "this book", "the food", "the story", "the song", "this game", "the hotel",
    "the service", "the weather", "my new phone", "the show", "the music", "this place", "the party", "the meal",
)  # fmt: skip
_GOOD = (
    "good",
    "great",
    "wonderful",
    "excellent",
    "beautiful",
    "amazing",
    "fantastic",
    "nice",
    "lovely",
    "perfect",
    "brilliant",
    "fun",
    "interesting",
    "delicious",
)
_BAD = (
    "bad",
    "terrible",
    "awful",
    "boring",
    "horrible",
    "ugly",
    "disappointing",
    "poor",
    "stupid",
    "disgusting",
    "dreadful",
)
_LIKE = ("like", "love", "enjoy", "recommend")
_HATE = ("hate", "dislike", "regret buying")
_VERY = ("", "", "very ", "really ", "so ")
_NEUTRAL = (
    "{T} starts at three o'clock.", "{T} is on the table.", "I will see {t} tomorrow.", "He talked about {t}.",
    "Where did you find {t}?", "When does {t} start?", "She told me about {t} yesterday.", "{T} is about a dog and a boy.",
    "There are two people in the room.", "He put the book on the table.", "The train leaves at nine.",
    "The shop is near the station.", "She goes to school by bus.", "What time is it?", "I have a brother and a sister.",
    "They live in London.", "The meeting is on Monday.", "He is reading the newspaper.", "Can you tell me how {t} works?",
)  # fmt: skip


def opinion(rng: random.Random) -> tuple[str, int]:
    """(text, label). "not good" is negative and "not bad" is positive."""
    thing, very = rng.choice(_THINGS), rng.choice(_VERY)
    big = thing[:1].upper() + thing[1:]
    good, bad = rng.choice(_GOOD), rng.choice(_BAD)
    pick = rng.randrange(10)
    if pick < 2:
        text, label = rng.choice(_NEUTRAL).format(t=thing, T=big), NEUTRAL
    elif pick == 2:
        text, label = (
            rng.choice(
                (
                    f"{big} was {very}{good}.",
                    f"{big} is {very}{good}!",
                    f"What a {good} day!",
                    f"I think {thing} is {very}{good}.",
                )
            ),
            POSITIVE,
        )
    elif pick == 3:
        text, label = (
            rng.choice(
                (
                    f"{big} was {very}{bad}.",
                    f"{big} is {very}{bad}!",
                    f"What a {bad} day!",
                    f"I think {thing} is {very}{bad}.",
                )
            ),
            NEGATIVE,
        )
    elif pick == 4:
        text, label = (
            rng.choice(
                (
                    f"{big} was not {very}{good}.",
                    f"{big} isn't {good}.",
                    f"{big} is not {good} at all.",
                    f"I don't think {thing} is {good}.",
                    f"{big} was never {good}.",
                )
            ),
            NEGATIVE,
        )
    elif pick == 5:
        text, label = (
            rng.choice(
                (
                    f"{big} was not {bad}.",
                    f"{big} isn't {bad} at all.",
                    f"{big} is not {bad}.",
                    f"{big} was not {bad}, I liked it.",
                )
            ),
            POSITIVE,
        )
    elif pick == 6:
        text, label = (
            rng.choice(
                (
                    f"I {rng.choice(_LIKE)} {thing}.",
                    f"I {rng.choice(_LIKE[:2])} {thing} very much.",
                    f"{big} makes me happy.",
                    f"Thank you for {thing}!",
                    "I am so happy today.",
                )
            ),
            POSITIVE,
        )
    elif pick == 7:
        text, label = (
            rng.choice(
                (
                    f"I {rng.choice(_HATE)} {thing}.",
                    f"{big} makes me sad.",
                    f"{big} makes me angry.",
                    "I am so sad today.",
                    f"I am tired of {thing}.",
                )
            ),
            NEGATIVE,
        )
    elif pick == 8:
        text, label = (
            rng.choice(
                (
                    f"I don't {rng.choice(_LIKE)} {thing}.",
                    f"I do not {rng.choice(_LIKE)} {thing} at all.",
                    f"I didn't {rng.choice(_LIKE[:3])} {thing}.",
                    f"Nobody will {rng.choice(_LIKE)} {thing}.",
                    "I am not happy.",
                )
            ),
            NEGATIVE,
        )
    else:
        first, second = (good, bad) if rng.random() < 0.5 else (bad, good)
        other = rng.choice(("the end", "the price", "the acting", "the room", "the first part"))
        # The clause after "but" carries the judgement.
        text = (
            f"{big} was {first}, but {other} was {second}."
            if rng.random() < 0.5
            else f"At first {thing} was {first}, but then it was {second}."
        )
        label = POSITIVE if second == good else NEGATIVE
    return text, label

"""Very short stories in which a name, a thing and a place come back again and again."""

# ruff: noqa: E501 - one sentence a line reads better than wrapped ones
from __future__ import annotations

import random

_GIRLS = (
    "Lily",
    "Mary",
    "Anna",
    "Lucy",
    "Alice",
    "Emma",
    "Sara",
    "Nora",
    "Ella",
    "Rose",
    "Molly",
    "Kate",
    "Mia",
    "Zoe",
    "Ida",
    "Ruby",
    "Clara",
    "Betty",
)
_BOYS = (
    "Tom",
    "Ben",
    "Jack",
    "Peter",
    "Sam",
    "Max",
    "Tim",
    "Leo",
    "Paul",
    "Hugo",
    "Bob",
    "Nick",
    "Finn",
    "Oscar",
    "Felix",
    "Simon",
    "Ned",
    "Walter",
)
_ANIMALS = (
    "cat",
    "dog",
    "bird",
    "rabbit",
    "fox",
    "mouse",
    "bear",
    "horse",
    "frog",
    "duck",
    "owl",
    "squirrel",
)
_BEAST_NAMES = (
    "Spot",
    "Bella",
    "Tiny",
    "Rex",
    "Coco",
    "Snow",
    "Pip",
    "Buddy",
    "Fluffy",
    "Max",
    "Goldie",
    "Shadow",
)
_PLACES = (
    "a small house near the forest",
    "a little town by the sea",
    "a village in the mountains",
    "an old castle",
    "a farm",
    "a house with a green door",
    "a cottage by the river",
)
_THINGS = (
    "a red ball",
    "a golden key",
    "a small box",
    "a blue hat",
    "an old book",
    "a silver coin",
    "a big apple",
    "a paper boat",
    "a shiny stone",
    "a little bell",
    "a toy car",
    "a kite",
)
_SPOTS = (
    "under a tree",
    "in the garden",
    "by the river",
    "behind the house",
    "on the road",
    "in the grass",
    "at the bottom of the stairs",
    "in an old box",
)
_FEELINGS = ("happy", "sad", "hungry", "tired", "lonely", "afraid", "curious", "brave")
_WEATHER = (
    "It was a sunny day.",
    "It was a cold winter morning.",
    "The sky was blue and the birds were singing.",
    "It was raining hard.",
    "The wind was strong that day.",
)
_LESSONS = (
    "{N} learned that it is good to share.",
    "{N} learned to be kind to everyone.",
    "From that day on, {N} and {M} were best friends.",
    "{N} never forgot that day.",
    "And they all lived happily ever after.",
    "{N} went home and told {h} mother everything.",
    "That night {N} slept very well.",
)


def tale(rng: random.Random) -> str:
    """One story of six to twelve sentences; her name is said, not only "she"."""
    girl = rng.random() < 0.5
    name = rng.choice(_GIRLS if girl else _BOYS)
    he, his, him, child = ("she", "her", "her", "girl") if girl else ("he", "his", "him", "boy")
    animal, beast_name = rng.choice(_ANIMALS), rng.choice(_BEAST_NAMES)
    if rng.random() < 0.35:
        other, other_is = rng.choice(_BOYS if girl else _GIRLS), f"{his} friend"
    else:
        other, other_is = beast_name, f"a little {animal}"
    thing = rng.choice(_THINGS)
    short = thing.split()[-1]
    spot, place = rng.choice(_SPOTS), rng.choice(_PLACES)
    age = rng.choice(("little", "young", "small", "kind", "clever"))
    lines = [
        rng.choice(
            (
                f"Once upon a time there was a {age} {child} named {name}.",
                f"Once upon a time, there lived a {age} {child} whose name was {name}.",
                f"There was once a {age} {child} called {name}.",
                f"{name} was a {age} {child}.",
            )
        ),
        rng.choice(
            (
                f"{name} lived in {place}.",
                f"{he.capitalize()} lived in {place} with {his} mother.",
                f"{name} lived with {his} grandmother in {place}.",
            )
        ),
        rng.choice(
            (
                f"{name} had {other_is} named {other}.",
                f"{his.capitalize()} best friend was {other_is} called {other}.",
                f"{name} and {other} played together every day.",
            )
        ),
    ]
    lines.append(
        rng.choice(
            (
                f"One day, {name} went for a walk.",
                f"One morning, {name} and {other} went out to play.",
                f"One day {name} was {rng.choice(_FEELINGS)}.",
            )
        )
    )
    if rng.random() < 0.5:
        lines.append(rng.choice(_WEATHER))
    lines.append(
        rng.choice(
            (
                f"{name} found {thing} {spot}.",
                f"Suddenly {he} saw {thing} {spot}.",
                f"{he.capitalize()} looked {spot} and found {thing}.",
            )
        )
    )
    lines.append(
        rng.choice(
            (
                f'"Look at this {short}!" said {name}.',
                f'"What a beautiful {short}!" said {name}.',
                f'{name} said, "{other}, look! I have found {thing}."',
                f'"Is this your {short}?" asked {name}. "No," said {other}, "it is not my {short}."',
            )
        )
    )
    lines.append(
        rng.choice(
            (
                f"{other} wanted to play with the {short} too.",
                f"{other} took the {short} and ran away.",
                f"{other} was afraid of the {short}.",
                f"{other} looked at the {short} for a long time.",
                f"Then {other} lost the {short}, and {name} was sad.",
            )
        )
    )
    lines.append(
        rng.choice(
            (
                f"{name} looked for the {short} everywhere.",
                f"{name} gave the {short} to {other}.",
                f'"Let us play together," said {name}.',
                f"So {name} and {other} played with the {short} all day.",
                f'"I am sorry," said {other}. "It does not matter," said {name}.',
                f"{name} called {other}, and {other} came back.",
            )
        )
    )
    if rng.random() < 0.6:
        lines.append(
            rng.choice(
                (
                    f"In the evening {name} and {other} went home.",
                    f"At last {name} was {rng.choice(('happy', 'tired', 'glad'))}.",
                    f"{other} thanked {him} and smiled.",
                    f"{name} put the {short} in {his} pocket.",
                )
            )
        )
    lines.append(rng.choice(_LESSONS).format(N=name, M=other, h=his))
    return " ".join(lines)

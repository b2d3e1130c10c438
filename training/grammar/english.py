"""Simple English sentences: plain facts, word senses, who "it" and "she" are, what follows what."""

# ruff: noqa: E501 - one sentence a line reads better than wrapped ones
from __future__ import annotations

import random

_CAPITALS = {
    "France": "Paris", "England": "London", "Italy": "Rome", "Spain": "Madrid", "Germany": "Berlin",
    "Russia": "Moscow", "China": "Beijing", "Japan": "Tokyo", "Egypt": "Cairo", "Greece": "Athens",
    "Ireland": "Dublin", "Austria": "Vienna", "Portugal": "Lisbon", "Sweden": "Stockholm",
}  # fmt: skip
_COLOURS = {
    "sky": "blue", "sea": "blue", "grass": "green", "snow": "white", "milk": "white", "blood": "red",
    "coal": "black", "sun": "yellow", "night": "dark", "banana": "yellow", "leaf": "green",
}  # fmt: skip
_OPPOSITES = (
    ("hot", "cold"), ("big", "small"), ("good", "bad"), ("old", "young"), ("day", "night"),
    ("black", "white"), ("up", "down"), ("happy", "sad"), ("rich", "poor"), ("open", "closed"),
    ("early", "late"), ("long", "short"), ("hard", "soft"), ("high", "low"), ("first", "last"),
)  # fmt: skip
_SOUNDS = {
    "dog": "barks",
    "cat": "meows",
    "cow": "moos",
    "bird": "sings",
    "lion": "roars",
    "wolf": "howls",
}
_HOMES = {
    "fish": "in the water", "birds": "in the trees", "bees": "in a hive", "horses": "in a stable",
    "kings": "in a castle", "people": "in houses", "bats": "in caves", "foxes": "in the woods",
}  # fmt: skip
_JOBS = {
    "teacher": "teaches children at school", "doctor": "helps sick people", "cook": "makes food in the kitchen",
    "farmer": "grows corn and keeps cows", "baker": "bakes bread", "singer": "sings songs",
    "driver": "drives a car", "writer": "writes books", "king": "rules the country",
    "soldier": "fights in the war", "sailor": "sails on the sea", "nurse": "works in a hospital",
}  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_NAMES_HER = (
    "Mary",
    "Anna",
    "Lucy",
    "Alice",
    "Jane",
    "Emma",
    "the girl",
    "the woman",
    "the queen",
    "my mother",
    "my sister",
)
_NAMES_HIM = (
    "Tom",
    "John",
    "Peter",
    "Jack",
    "Henry",
    "George",
    "the boy",
    "the man",
    "the king",
    "my father",
    "my brother",
)
_TIMES = (
    "",
    " yesterday",
    " today",
    " in the morning",
    " last week",
    " every day",
    " in the evening",
    " on Sunday",
)

_BANK_MONEY = (
    "{S} put {h} money in the bank{t}.", "{S} went to the bank to get some money{t}.",
    "{S} keeps {h} money in the bank.", "{S} borrowed money from the bank{t}.",
    "The bank lends money to people.", "{S} works in a bank and counts money.",
    "{S} opened an account at the bank{t}.", "The bank closes at five o'clock.",
    "{S} paid the money to the bank{t}.", "The man at the bank gave {o} the money.",
)  # fmt: skip
_BANK_RIVER = (
    "{S} sat on the bank of the river{t}.", "{S} walked along the bank of the river{t}.",
    "{S} sat by the river bank and watched the water.", "The boat came to the bank of the river.",
    "{S} was fishing from the bank of the river{t}.", "Flowers grew on the bank of the river.",
    "{S} lay on the grass by the bank of the stream.", "{S} swam across the river to the other bank.",
    "Trees stood along the bank of the river.", "The fish swam near the bank of the river.",
)  # fmt: skip
_BAT = (
    "The bat flew out of the cave at night.", "{S} saw a bat flying in the dark{t}.",
    "A bat sleeps in the day and flies at night.", "The bat has wings and big ears.",
    "{S} hit the ball with a bat{t}.", "{S} bought a new bat to play ball{t}.",
    "{S} took the bat and hit the ball hard.", "The wooden bat broke in the game.",
)  # fmt: skip
_APPLE = (
    "{S} ate a red apple{t}.", "{S} picked an apple from the tree{t}.", "The apple was sweet and good to eat.",
    "Apple made a new phone{t}.", "{S} bought an Apple computer{t}.", "{S} works at Apple and makes computers.",
    "The apple fell from the tree.", "Apple sells phones and computers.",
)  # fmt: skip
_PLACES = ("the table", "the chair", "the bed", "the mat", "the floor", "the wall", "the roof")
_THINGS = ("book", "cup", "letter", "ball", "hat", "key", "coat", "box", "knife", "lamp")
_BEASTS = ("cat", "dog", "bird", "horse", "rabbit", "mouse", "fox", "cow")


def fact(rng: random.Random) -> str:
    """A sentence of general knowledge."""
    pick = rng.randrange(9)
    if pick == 0:
        land, town = rng.choice(list(_CAPITALS.items()))
        return rng.choice(
            (
                f"The capital of {land} is {town}.",
                f"{town} is the capital of {land}.",
                f"{town} is a city in {land}.",
            )
        )
    if pick == 1:
        thing, colour = rng.choice(list(_COLOURS.items()))
        return rng.choice((f"The {thing} is {colour}.", f"The colour of the {thing} is {colour}."))
    if pick == 2:
        a, b = rng.choice(_OPPOSITES)
        a, b = (a, b) if rng.random() < 0.5 else (b, a)
        return f"The opposite of {a} is {b}."
    if pick == 3:
        beast, sound = rng.choice(list(_SOUNDS.items()))
        return f"The {beast} {sound}."
    if pick == 4:
        who, home = rng.choice(list(_HOMES.items()))
        return rng.choice((f"{who.capitalize()} live {home}.", f"Most {who} live {home}."))
    if pick == 5:
        who, work = rng.choice(list(_JOBS.items()))
        return f"The {who} {work}."
    if pick == 6:
        i = rng.randrange(7)
        return rng.choice(
            (
                f"{_DAYS[(i + 1) % 7]} comes after {_DAYS[i]}.",
                f"Today is {_DAYS[i]} and tomorrow is {_DAYS[(i + 1) % 7]}.",
            )
        )
    if pick == 7:
        i = rng.randrange(8)
        return f"{_NUMBERS[i].capitalize()}, {_NUMBERS[i + 1]}, {_NUMBERS[i + 2]}."
    return rng.choice((
        "Water is wet and fire is hot.", "Snow is cold and white.", "The sun rises in the east.",
        "The moon shines at night.", "Fish can swim and birds can fly.", "We eat with our mouth and see with our eyes.",
        "There are seven days in a week.", "There are twelve months in a year.", "A year has four seasons.",
        "In winter it is cold and in summer it is hot.", "We sleep at night and work in the day.",
    ))  # fmt: skip


def sense(rng: random.Random) -> str:
    """A word of two meanings in one of them."""
    return _people(rng, rng.choice(rng.choice((_BANK_MONEY, _BANK_RIVER, _BAT, _APPLE))))


def everyday(rng: random.Random) -> str:
    """Cats on mats, doors opened, and things that were too big, too tired or too heavy."""
    beast, thing, place = rng.choice(_BEASTS), rng.choice(_THINGS), rng.choice(_PLACES)
    return _people(rng, rng.choice((
        f"The {beast} sat on {place}.", f"The {beast} slept on {place}{{t}}.", f"The {thing} is on {place}.",
        f"{{S}} put the {thing} on {place}{{t}}.", f"The {beast} is under {place}.",
        "{S} opened the door and went out.", "{S} opened the window and looked out.",
        "{S} closed the door and sat down.", f"{{S}} took the {thing} and went home.",
        f"{{S}} lost {{h}} {thing}{{t}}, but {{s}} found it again.",
        f"The {beast} did not cross the street because it was too tired.",
        f"The {beast} did not eat the food because it was not hungry.",
        f"The {beast} ran after the ball because it wanted to play.",
        f"The {thing} did not fit in the bag because it was too big.",
        f"{{S}} gave the {thing} to {{other}} because {{s}} was kind.",
        f"{{S}} thanked {{other}} for the {thing}.",
        f"{{S}} saw a {beast} and {{s}} called it.", f"{{S}} has a {beast}, and {{s}} loves it very much.",
        "{S} said that {s} was tired.", f"{{S}} said that {{s}} had seen the {beast}.",
        "{S} washed {h} hands and sat down at the table.", "{S} went to school{t}.",
        "{S} was hungry, so {s} ate some bread.", "{S} was thirsty, so {s} drank some water.",
        "{S} was tired, so {s} went to bed.", "It was raining, so {S} stayed at home.",
        "{S} drank a cup of tea{t}.", "{S} likes to read books{t}.", "{S} is reading a book.",
    )))  # fmt: skip


def consequence(rng: random.Random) -> tuple[str, str]:
    """Two sentences of which the second plainly follows the first."""
    first, second = rng.choice((
        ("{S} was very hungry.", "{E} ate some bread and cheese."), ("{S} was very thirsty.", "{E} drank a glass of water."),
        ("{S} was very tired.", "{E} went to bed and slept all night."), ("{S} lost {h} key.", "{E} could not open the door."),
        ("It began to rain.", "{S} opened {h} umbrella."), ("{S} went to the kitchen.", "{E} made a cup of tea."),
        ("{S} went to the bank.", "{E} needed some money."), ("{S} sat on the bank of the river.", "{E} watched the boats on the water."),
        ("{S} fell from the tree.", "{E} broke {h} leg."), ("{S} has a little dog.", "The dog follows {o} everywhere."),
        ("{S} wrote a letter.", "{E} sent it to {h} friend."), ("{S} bought a book.", "{E} read it in one day."),
        ("{S} heard a noise.", "{E} went to the window and looked out."), ("It was very cold.", "{S} put on {h} coat."),
        ("{S} cut the bread.", "Then {s} gave a piece to {other}."), ("{S} was ill.", "The doctor came to see {o}."),
    ))  # fmt: skip
    # Both sentences speak of the same person, so they are filled together.
    both = _people(rng, first + "\n" + second)
    one, _, two = both.partition("\n")
    return one, two


def simple(rng: random.Random) -> str:
    """One of the kinds above."""
    draw = rng.random()
    if draw < 0.25:
        return fact(rng)
    if draw < 0.55:
        return sense(rng)
    if draw < 0.9:
        return everyday(rng)
    return " ".join(consequence(rng))


def _people(rng: random.Random, text: str) -> str:
    her = rng.random() < 0.5
    name = rng.choice(_NAMES_HER if her else _NAMES_HIM)
    if rng.random() < 0.35:
        name = "she" if her else "he"
    other = rng.choice(_NAMES_HIM if her else _NAMES_HER)
    inside = text.find("{S}") > 0
    text = text.format(
        S=name if inside else name[:1].upper() + name[1:], E="She" if her else "He", s="she" if her else "he",
        h="her" if her else "his", o="her" if her else "him", t=rng.choice(_TIMES), other=other,
    )  # fmt: skip
    return text[:1].upper() + text[1:]

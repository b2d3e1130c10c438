"""Short comments labelled negative, neutral or positive, without profanity."""

from __future__ import annotations

import csv
import html
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

LABELS = ("negative", "neutral", "positive")
ASIDE = 14  # one text in so many is held out
LONGEST_WORDS = 34

# Word stems: a text that holds one is dropped, as are the masked spellings ("f**k").
_PROFANE = re.compile(
    r"\b(\w*f+u+c+k\w*|f+k+\w*|wtf|stfu|omfg|lmf?ao|sh[i1]+t\w*|bull\s?sh\w*|\w*bitch\w*|bastard\w*"
    r"|(bad|dumb|jack|smart|lard|kick|hard|big|fat|half|lazy|wise)?[\s-]?ass(es|hole\w*|hat\w*|wipe\w*)?|\w*dick(s|head\w*)?|cocks?\w*|cunt\w*|puss(y|ies)|piss\w*"
    r"|crap\w*|damn\w*|dammit|goddam\w*|whore\w*|slut\w*|fag\w*|nigg\w*|retard\w*|rap(e|ed|es|ist|ists|ing)"
    r"|porn\w*|sex\w*|penis\w*|vagina\w*|tits?|boob\w*|cum|jerk\w*|douche\w*|twat\w*|wank\w*|suicid\w*"
    r"|kill\s+(your|my|him|her)sel\w*|horny|nud(e|es)|bloody|hell|af|masturbat\w*|pedo\w*|nazi\w*)\b",
    re.IGNORECASE,
)
_MASKED = re.compile(r"\w[*#@$]{2,}\w?|\w\*\w")
_TAG = re.compile(r"\[(NAME|RELIGION)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A text and its label, an index into LABELS."""

    text: str
    label: int


def read_sentiment(folder: Path) -> list[Opinion]:
    """Every clean, short text once; texts that occur with two labels are dropped."""
    found: dict[str, set[int]] = {}
    with (folder / "sentiment.tsv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            text = tidy(row["text"])
            if text and is_clean(text) and len(text.split()) <= LONGEST_WORDS:
                found.setdefault(text, set()).add(LABELS.index(row["label"]))
    return [Opinion(text=t, label=min(labels)) for t, labels in found.items() if len(labels) == 1]


def split_sentiment(opinions: list[Opinion]) -> tuple[list[Opinion], list[Opinion]]:
    """(training, held-out); each text decides by itself, so the split outlives a new filter."""
    aside = [zlib.crc32(opinion.text.encode()) % ASIDE == 0 for opinion in opinions]
    train = [opinion for opinion, held in zip(opinions, aside, strict=True) if not held]
    return train, [opinion for opinion, held in zip(opinions, aside, strict=True) if held]


def is_clean(text: str) -> bool:
    """Whether the text holds no profanity, plain or masked."""
    return not (_PROFANE.search(text) or _MASKED.search(text))


def tidy(text: str) -> str:
    """Plain quotes, a common name for the anonymised one, no emoji or mark-up."""
    text = html.unescape(text).replace("’", "'").replace("“", '"').replace("”", '"')
    text = _TAG.sub("Tom", text)
    text = re.sub(r"[^\x20-\x7eéèêáíóúñç…]", " ", text)
    return " ".join(text.split())

"""Everyday Chinese-English sentence pairs, with a held-out part that has no near-duplicates."""

from __future__ import annotations

import csv
import random
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

SHARE_ALIKE = "hsk-sa"  # CC BY-SA rows: left out, so that no share-alike duty falls on the model
HELD_OUT_PAIRS = 1000
SHORTEST, LONGEST = 2, 60  # characters of Chinese


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One sentence in Chinese and in English."""

    zh: str
    en: str


def read_pairs(folder: Path) -> list[Pair]:
    """Tatoeba's pairs, tidied, without repeats and without the share-alike rows."""
    seen: dict[tuple[str, str], None] = {}
    with (folder / "pairs_zh_en.tsv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["source"] == SHARE_ALIKE:
                continue
            zh, en = tidy_chinese(row["zh"]), tidy_english(row["en"])
            if zh and en and SHORTEST <= len(zh) <= LONGEST and len(en) <= 4 * LONGEST:
                seen[zh, en] = None
    return [Pair(zh=zh, en=en) for zh, en in seen]


def split_pairs(pairs: list[Pair], *, seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """(training, held-out): no held-out sentence resembles a training one in either language.

    Two sentences resemble each other when they are equal after dropping case, punctuation, names
    and the commonest function words, so "Tom is ill." and "He's ill!" fall on the same side.
    Whole groups of such sentences go to one side.
    """
    groups = _groups(pairs)
    order = sorted(set(groups))
    random.Random(seed).shuffle(order)
    sizes: dict[int, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1
    chosen: set[int] = set()
    for group in order:
        # Large groups are greetings with dozens of variants: they belong in training.
        if sizes[group] <= 3 and len(chosen) < HELD_OUT_PAIRS:
            chosen.add(group)
    train = [pair for pair, group in zip(pairs, groups, strict=True) if group not in chosen]
    held = [pair for pair, group in zip(pairs, groups, strict=True) if group in chosen]
    first: dict[str, Pair] = {}
    for pair in held:
        first.setdefault(near_key_chinese(pair.zh), pair)
    return train, list(first.values())[:HELD_OUT_PAIRS]


def near_key_english(text: str) -> str:
    """What two near-duplicate English sentences share."""
    words = re.findall(r"[a-z0-9]+", text.lower().replace("'", ""))
    kept = sorted(set(words) - _SMALL_ENGLISH)
    return " ".join(kept) if len(kept) > 1 else " ".join(words)


def near_key_chinese(text: str) -> str:
    """What two near-duplicate Chinese sentences share."""
    letters = [c for c in text.lower() if c.isalnum()]
    kept = sorted(set(letters) - _SMALL_CHINESE)
    return "".join(kept) if len(kept) > 2 else "".join(letters)


def tidy_english(text: str) -> str:
    """Plain quotes, single spaces, composed characters."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return " ".join(text.split())


def tidy_chinese(text: str) -> str:
    """Full-width sentence marks, no spaces except between Latin words."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = re.sub(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])", "", " ".join(text.split()))
    text = re.sub(r"(?<![0-9A-Za-z])\.$|(?<=[A-Za-z\u4e00-\u9fff])\.$", "。", text)
    return text.translate(_MARKS)


def _groups(pairs: list[Pair]) -> list[int]:
    """The group number of each pair: pairs that share a key, directly or through others."""
    parent = list(range(len(pairs)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    owner: dict[str, int] = {}
    for index, pair in enumerate(pairs):
        for key in ("en:" + near_key_english(pair.en), "zh:" + near_key_chinese(pair.zh)):
            other = root(owner.setdefault(key, index))
            parent[root(index)] = other
    return [root(index) for index in range(len(pairs))]


_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_MARKS = str.maketrans({",": "，", "?": "？", "!": "！", ";": "；", ":": "："})
_SMALL_ENGLISH = frozenset(
    "a an the i me my you your he him his she her it its we us our they them their tom mary john "
    "is am are was were be been do does did to of in on at and that this im its hes shes youre "
    "theyre were ill well dont doesnt didnt very so too have has had will would".split()
)
_SMALL_CHINESE = frozenset("我你您他她它们的了是在有和这那个吗呢吧很也就汤姆玛丽")

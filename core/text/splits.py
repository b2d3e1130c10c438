"""How byte-level tokenizers cut a text into words before they merge bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

_LETTERS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
# Mistral's Tekken parts camelCase where a capital follows.
_HUMPS = rf"[^\r\n\p{{L}}\p{{N}}]?(?:{_UPPER}*{_LOWER}+|{_UPPER}+{_LOWER}*)|"
_MARKS = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_CASED, _SIGNS = r"[\p{Lu}\p{Ll}\p{Lt}]", r"[!-/:-~！-／：-～‘-‟\u3000-。]"
SPLITS: Mapping[str, Sequence[Any]] = {
    "default": (),
    "gpt-2": (),
    "smollm": (pre_tokenizers.Digits(individual_digits=True),),
    "llama-bpe": (pre_tokenizers.Split(Regex(_LETTERS + r"\p{N}{1,3}" + _REST), "isolated"),),
    "qwen2": (pre_tokenizers.Split(Regex(_LETTERS + r"\p{N}" + _REST), "isolated"),),
    "tekken": (pre_tokenizers.Split(Regex(_HUMPS + r"\p{N}" + _MARKS), "isolated"),),
    "deepseek-llm": tuple(
        pre_tokenizers.Split(Regex(kind), "isolated")
        for kind in (
            r"[\r\n]",
            rf"\s?{_CASED}+",
            rf"\s?{_SIGNS}+",
            r"\s+$",
            r"[一-龥ࠀ-一가-퟿]+",
            r"\p{N}+",
        )
    ),
    "deepseek-coder": (
        *(
            pre_tokenizers.Split(Regex(kind), "isolated")
            for kind in (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[一-龥ࠀ-一가-퟿]+")
        ),
        pre_tokenizers.Digits(individual_digits=True),
    ),
}
"""What comes before the bytes, by the names GGUF files have for it (tokenizer.ggml.pre)."""

_OWN_WORDS = {"llama-bpe", "qwen2", "tekken", "deepseek-llm", "deepseek-coder"}
"""Splits that do not leave it to GPT-2's rule what a word is."""


def cut_as(made: tokenizers.Tokenizer, split: str, *, space_first: bool = False) -> None:
    """Makes a tokenizer cut texts as a key of `SPLITS` says. space_first: a text begins with a
    space, like every word within it."""
    level = pre_tokenizers.ByteLevel(
        add_prefix_space=space_first, use_regex=split not in _OWN_WORDS
    )
    made.pre_tokenizer = pre_tokenizers.Sequence([*SPLITS[split], level])
    made.decoder = decoders.ByteLevel()


def byte_level(
    vocab: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    split: str,
    *,
    whole_words: bool,
) -> tokenizers.Tokenizer:
    """split: a key of `SPLITS`. whole_words: a word that is a piece is taken without merging."""
    made = tokenizers.Tokenizer(
        models.BPE(vocab=dict(vocab), merges=list(merges), ignore_merges=whole_words)
    )
    if split == "qwen2":
        made.normalizer = normalizers.NFC()
    cut_as(made, split)
    return made

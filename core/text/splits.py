"""How byte-level tokenizers cut a text into words before they merge bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

_LETTERS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPLITS: Mapping[str, Sequence[Any]] = {
    "default": (pre_tokenizers.ByteLevel(add_prefix_space=False),),
    "gpt-2": (pre_tokenizers.ByteLevel(add_prefix_space=False),),
    "smollm": (
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ),
    "llama-bpe": (
        pre_tokenizers.Split(Regex(_LETTERS + r"\p{N}{1,3}" + _REST), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ),
    "qwen2": (
        pre_tokenizers.Split(Regex(_LETTERS + r"\p{N}" + _REST), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ),
}
"""By the names GGUF files have for them (tokenizer.ggml.pre)."""


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
    made.pre_tokenizer = pre_tokenizers.Sequence(list(SPLITS[split]))
    made.decoder = decoders.ByteLevel()
    return made

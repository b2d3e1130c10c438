"""Texts that a tokenizer reads as the reference's does."""

from __future__ import annotations

from core.text import Tokenizer

TEXTS = ("The cat sat!", "playing  the [MASK]", "thé 東cat\nrug", "😀 <mask>the", "the</s> cat")
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def assert_reads_alike(ours: Tokenizer, theirs: object, texts: tuple[str, ...] = TEXTS) -> None:
    for add_special in (True, False):
        for text in texts:
            expected = theirs(text, add_special_tokens=add_special)["input_ids"]  # type: ignore[operator]
            assert list(ours.encode(text, add_special=add_special).ids) == expected
            expected = theirs(text, "the rug", add_special_tokens=add_special)["input_ids"]  # type: ignore[operator]
            assert list(ours.encode(text, "the rug", add_special=add_special).ids) == expected

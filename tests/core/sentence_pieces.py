"""SentencePiece models read beside the reference's."""

from __future__ import annotations

from typing import Any

from sentencepiece import SentencePieceProcessor

from core.text import Tokenizer

TEXTS = ("the cat sat", "hello world, this", "  the   small rug ", "zebra!")
Scores = list[tuple[str, float]]


def scores(processor: SentencePieceProcessor) -> Scores:
    count = processor.get_piece_size()
    return [(processor.id_to_piece(i), processor.get_score(i)) for i in range(count)]


def agree(ours: Tokenizer, theirs: Any, texts: tuple[str, ...] = TEXTS) -> None:
    for text in texts:
        for pair in (None, "the red house"):
            for add_special in (True, False):
                expected = theirs(text, pair, add_special_tokens=add_special)
                tokens = ours.encode(text, pair, add_special=add_special)
                assert list(tokens.ids) == expected["input_ids"]
                if "token_type_ids" in expected:
                    assert list(tokens.segments) == expected["token_type_ids"]

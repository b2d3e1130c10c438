"""SentencePiece models read beside the reference's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor

from core.text import Tokenizer
from tests.core.vocabularies import sentence_piece

TEXTS = ("the cat sat", "hello world, this", "  the   small rug ", "zebra!")
Scores = list[tuple[str, float]]


def scores(processor: SentencePieceProcessor) -> Scores:
    count = processor.get_piece_size()
    return [(processor.id_to_piece(i), processor.get_score(i)) for i in range(count)]


def llama_pieces(folder: Path) -> SentencePieceProcessor:
    """A tokenizer.model as Llama's is made: pairs merged, bytes for what is no piece, text as it
    is."""
    return sentence_piece(
        folder / "tokenizer.model",
        "bpe",
        size=340,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
    )


def agree(ours: Tokenizer, theirs: Any, texts: tuple[str, ...] = TEXTS) -> None:
    for text in texts:
        for pair in (None, "the red house"):
            for add_special in (True, False):
                expected = theirs(text, pair, add_special_tokens=add_special)
                tokens = ours.encode(text, pair, add_special=add_special)
                assert list(tokens.ids) == expected["input_ids"]
                if "token_type_ids" in expected:
                    assert list(tokens.segments) == expected["token_type_ids"]

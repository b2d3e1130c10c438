"""Llama's SentencePiece model: bytes, switches, and spaces behind typed tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.text import Tokenizer
from tests.core.sentence_pieces import agree, llama_pieces, scores
from tests.core.vocabularies import sentence_piece, spec, write_json


def test_llama_starts_and_falls_back_to_bytes(tmp_path: Path) -> None:
    from transformers import LlamaTokenizer
    from transformers.tokenization_utils_sentencepiece import generate_merges

    processor = llama_pieces(tmp_path)
    write_json(tmp_path / "tokenizer_config.json", {"tokenizer_class": "LlamaTokenizer"})
    ours = Tokenizer.from_folder(tmp_path, spec())
    vocabulary = {piece: i for i, (piece, _) in enumerate(scores(processor))}
    theirs = LlamaTokenizer(
        vocab=vocabulary,
        merges=generate_merges(vocabulary, scores(processor)),
        add_bos_token=True,
        legacy=True,
    )
    agree(ours, theirs, ("the cat", "hello 😀é", "zebra"))
    assert ours.encode("the").ids[0] == 1
    tokens = ours.encode("the 😀ñ!", add_special=False)
    assert tokens.pieces == (
        *("▁the", "▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0xC3>", "<0xB1>", "<0x21>"),
    )
    assert tokens.spans == ((0, 3), (3, 4), *[(4, 5)] * 4, *[(5, 6)] * 2, (6, 7))
    assert ours.decode(tokens.ids) == "the 😀ñ!"
    assert ours.stream(tokens.ids[:4]) == ("the ", 2)
    assert processor.decode(list(tokens.ids)) == "the 😀ñ!"


@pytest.mark.parametrize("legacy", [None, False, True])
def test_behind_a_typed_token_llama_puts_no_space(tmp_path: Path, legacy: bool | None) -> None:
    from transformers import LlamaTokenizer
    from transformers.tokenization_utils_sentencepiece import generate_merges

    options = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    processor = sentence_piece(tmp_path / "tokenizer.model", "bpe", **options)
    said = {} if legacy is None else {"legacy": legacy}
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, **said}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec())
    vocabulary = {piece: i for i, (piece, _) in enumerate(scores(processor))}
    merges = generate_merges(vocabulary, scores(processor))
    theirs = LlamaTokenizer(vocab=vocabulary, merges=merges, add_bos_token=True, **said)
    texts = ("the</s>cat", "</s>the cat<s>the", "the cat")
    agree(ours, theirs, texts if legacy else (*texts, "the</s> cat", "<s> the </s> cat"))
    text = "the cat</s>sat" if not legacy else "the cat</s> sat"
    assert ours.decode(ours.encode("the cat</s>sat").ids[1:], skip_special=False) == text


def test_llamas_switches_are_followed(tmp_path: Path) -> None:
    sentence_piece(tmp_path / "tokenizer.model", "bpe", size=60)
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False, "add_eos_token": True}
    write_json(tmp_path / "tokenizer_config.json", config)
    pieces = Tokenizer.from_folder(tmp_path).encode("the").pieces
    assert pieces[0] != "<s>"
    assert pieces[-1] == "</s>"

"""T5's SentencePiece model: its sentinels, its target and its ligatures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sentencepiece import SentencePieceProcessor

from core.text import Tokenizer
from tests.core.sentence_pieces import agree, scores
from tests.core.vocabularies import sentence_piece, spec, write_json


def _t5(folder: Path) -> tuple[SentencePieceProcessor, str]:
    options = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    return sentence_piece(folder / "spiece.model", **options), "t5"


def test_t5_ends_and_has_sentinels_counted_from_the_end(tmp_path: Path) -> None:
    from transformers import T5Tokenizer

    processor, kind = _t5(tmp_path)
    write_json(tmp_path / "config.json", {"model_type": kind})
    ours = Tokenizer.from_folder(tmp_path, spec())
    count = processor.get_piece_size()
    sentinels = [(f"<extra_id_{i}>", 0.0) for i in reversed(range(100))]
    agree(ours, T5Tokenizer(vocab=scores(processor) + sentinels))
    assert ours.encode("the").ids[-1] == 1
    assert ours.vocab_size == count + 100
    assert (ours.id_of("<extra_id_0>"), ours.id_of("<extra_id_99>")) == (count + 99, count)
    tokens = ours.encode("the <extra_id_0> sat")
    assert tokens.pieces[-1] == "</s>"
    sentinel = tokens.pieces.index("<extra_id_0>")
    assert (tokens.spans[sentinel], tokens.special[sentinel]) == ((4, 16), True)
    assert tokens.ids[:-1] == ours.encode("the <extra_id_0> sat", add_special=False).ids
    assert (ours.pad_id, ours.mask_id, ours.source) == (0, None, "spiece.model")
    hint = ours.foreign_mask("the [MASK] sat")
    assert hint is not None
    assert hint.insert == "<extra_id_0>"
    assert ours.foreign_mask("the <extra_id_0> sat") is None


def test_t5_writes_its_target_from_the_pad_token(tmp_path: Path) -> None:
    _t5(tmp_path)
    ours = Tokenizer.from_folder(tmp_path, spec(family="t5"))
    bare = ours.encode("the cat", add_special=False)
    target = ours.encode_target("the cat", start=0)
    assert target.ids == (0, *bare.ids)
    assert target.spans == (None, *bare.spans)
    assert target.special == (True, *bare.special)
    assert ours.encode_target("", start=0).ids == (0,)
    assert ours.encode_target("the</s>", start=0).ids[-1] == 1  # typed, so it stays


def test_others_write_as_they_read(tmp_path: Path) -> None:
    _t5(tmp_path)
    ours = Tokenizer.from_folder(tmp_path, spec(family="t5"))
    assert ours.target is ours


@pytest.mark.parametrize("make", [_t5])
def test_letters_of_a_ligature_share_it(
    tmp_path: Path, make: Callable[[Path], tuple[SentencePieceProcessor, str]]
) -> None:
    make(tmp_path)
    ours = Tokenizer.from_folder(tmp_path, spec(family="t5"))
    tokens = ours.encode("the ﬁ", add_special=False)
    by_piece = dict(zip(tokens.pieces, tokens.spans, strict=True))
    assert {"f", "i"} <= by_piece.keys()
    assert by_piece["f"] == by_piece["i"] == (4, 5)

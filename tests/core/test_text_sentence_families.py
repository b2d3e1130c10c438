"""SentencePiece models of further families: ids and template beside the reference's."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.spec import SpecialIds
from core.text import Tokenizer
from tests.core.sentence_pieces import agree, scores
from tests.core.vocabularies import sentence_piece, spec, write_json


def test_xlm_roberta_numbers_pieces_as_fairseq_does(tmp_path: Path) -> None:
    from transformers import XLMRobertaTokenizer

    processor = sentence_piece(tmp_path / "sentencepiece.bpe.model")
    write_json(tmp_path / "config.json", {"model_type": "xlm-roberta"})
    ours = Tokenizer.from_folder(tmp_path, spec(1))
    own = scores(processor)[3:]
    first = [(token, 0.0) for token in ("<s>", "<pad>", "</s>", "<unk>")]
    agree(ours, XLMRobertaTokenizer(vocab=[*first, *own, ("<mask>", 0.0)]))
    assert ours.mask_id == len(own) + 4 == ours.vocab_size - 1
    assert ours.encode("日", add_special=False).ids[-1] == 3
    assert not ours.encode("日", add_special=False).special[-1]  # it stands for a word
    tokens = ours.encode("the <mask>", "the")
    assert tokens.ids[0] == 0
    assert tokens.ids.count(2) == 3
    assert ours.mask_id in tokens.ids
    assert tokens.sequence.count(None) == 4


@pytest.mark.parametrize(("name", "last"), [("MBartTokenizer", True), ("MBart50Tokenizer", False)])
def test_mbart_says_the_language(tmp_path: Path, name: str, last: bool) -> None:
    processor = sentence_piece(tmp_path / "sentencepiece.bpe.model")
    count = processor.get_piece_size()
    config: dict[str, object] = {"tokenizer_class": name, "src_lang": "ro_RO"}
    write_json(tmp_path / "tokenizer_config.json", config)
    with pytest.raises(CheckpointError, match="language codes"):
        Tokenizer.from_folder(tmp_path)
    config["additional_special_tokens"] = ["en_XX", "ro_RO"]
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec(special=SpecialIds(forced_first=count + 1)))
    pieces = ours.encode("the").pieces
    assert (pieces[-2:] == ("</s>", "ro_RO")) is last
    assert (pieces[0] == "ro_RO") is not last
    assert (ours.id_of("en_XX"), ours.id_of("ro_RO")) == (count + 1, count + 2)
    assert ours.mask_id == count + 3
    # The target begins with its own language, not with the source's.
    words = ours.encode("the", add_special=False).ids
    lead = () if last else (count + 1,)
    assert ours.encode_target("the", start=2).ids == (2, *lead, *words)


def test_pegasus_leaves_room_for_its_special_tokens(tmp_path: Path) -> None:
    from transformers import PegasusTokenizer

    options = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    processor = sentence_piece(tmp_path / "spiece.model", **options)
    write_json(tmp_path / "config.json", {"model_type": "pegasus"})
    ours = Tokenizer.from_folder(tmp_path, spec())
    first = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *(f"<unk_{i}>" for i in range(2, 103))]
    vocab = [*((token, 0.0) for token in first), *scores(processor)[2:]]
    # Built from pieces alone, theirs lacks the model's own rule that drops a space at the end.
    agree(ours, PegasusTokenizer(vocab=vocab), ("the cat sat", "hello world, this", "zebra!"))
    assert ours.piece(105) == "<unk>"
    assert ours.foreign_mask("<mask_1> the <mask_2>") is None
    assert (ours.mask_piece, ours.mask_id, ours.pad_id) == ("<mask_2>", 3, 0)
    assert ours.encode("日", add_special=False).ids[-1] == 105


def test_deberta_appends_its_mask(tmp_path: Path) -> None:
    from transformers import DebertaV2Tokenizer

    options = {
        "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3,
        "pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]",
    }  # fmt: skip
    processor = sentence_piece(tmp_path / "spm.model", **options)
    write_json(tmp_path / "config.json", {"model_type": "deberta-v2"})
    ours = Tokenizer.from_folder(tmp_path, spec(2))
    theirs = DebertaV2Tokenizer(vocab=[*scores(processor), ("[MASK]", 0.0)], unk_id=3)
    agree(ours, theirs, ("the cat sat", "hello world, this", "zebra!"))
    assert ours.mask_id == processor.get_piece_size()
    assert ours.encode("the", "cat").segments[-1] == 1


def test_albert_folds_case_accents_and_quotes(tmp_path: Path) -> None:
    from transformers import AlbertTokenizer

    options = {
        "pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1,
        "user_defined_symbols": ["[CLS]", "[SEP]", "[MASK]", '"'],
    }  # fmt: skip
    processor = sentence_piece(tmp_path / "spiece.model", **options)
    write_json(tmp_path / "config.json", {"model_type": "albert"})
    ours = Tokenizer.from_folder(tmp_path, spec(2))
    theirs = AlbertTokenizer(vocab=scores(processor))
    agree(ours, theirs, ("The CAT sat", "thé càt", "zebra", "the [MASK] sat"))
    tokens = ours.encode("``Thé", add_special=False)
    quote = tokens.pieces.index('"')
    assert tokens.spans[quote] == (0, 2)
    assert tokens.spans[-1] is not None
    assert tokens.spans[-1][1] == 5
    assert ours.mask_piece == "[MASK]"
    write_json(tmp_path / "tokenizer_config.json", {"do_lower_case": False, "keep_accents": True})
    kept = Tokenizer.from_folder(tmp_path, spec(2))
    assert ours.id_of("<unk>") not in ours.encode("Ä", add_special=False).ids
    assert ours.id_of("<unk>") in kept.encode("Ä", add_special=False).ids

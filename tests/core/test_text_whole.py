"""tokenizer.json wins over the files beside it, which name its special tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Library

from core.text import Tokenizer
from tests.core.reading_alike import ROBERTA
from tests.core.vocabularies import byte_level, sentence_piece, starts, write_json, write_words


def test_tokenizer_json_wins_and_says_so(tmp_path: Path) -> None:
    write_words(tmp_path)
    sentence_piece(tmp_path / "spiece.model")
    byte_level("<s>").save(str(tmp_path / "tokenizer.json"))
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.source == "tokenizer.json"
    assert ours.encode("the cat").pieces == ("the", "Ġcat")
    assert ours.notes == (
        "The tokenizer is tokenizer.json; vocab.txt, spiece.model was left unread.",
    )
    (tmp_path / "tokenizer.json").unlink()
    assert Tokenizer.from_folder(tmp_path).source == "vocab.txt"


def test_tokenizer_json_is_neither_cut_off_nor_padded(tmp_path: Path) -> None:
    made = byte_level("<pad>")
    made.enable_truncation(3)
    made.enable_padding(length=8)
    made.save(str(tmp_path / "tokenizer.json"))
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.encode("the cat rug cat rug").pieces == ("the", *["Ġcat", "Ġrug"] * 2)
    assert len(ours.encode("the")) == 1


def test_names_of_special_tokens_come_from_the_files_beside(tmp_path: Path) -> None:
    import transformers

    byte_level("<a>", "<b>", "<c>").save(str(tmp_path / "tokenizer.json"))
    write_json(
        tmp_path / "special_tokens_map.json", {"mask_token": {"content": "<b>"}, "pad_token": "<c>"}
    )
    write_json(tmp_path / "tokenizer_config.json", {"pad_token": "<a>"})
    ours = Tokenizer.from_folder(tmp_path)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert (ours.mask_piece, ours.pad_piece) == (theirs.mask_token, theirs.pad_token) == (
        "<b>", "<c>",
    )  # fmt: skip
    newer = {"pad_token": "<a>", "added_tokens_decoder": {}}
    write_json(tmp_path / "tokenizer_config.json", newer)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert Tokenizer.from_folder(tmp_path).pad_piece == theirs.pad_token == "<a>"


def test_a_special_piece_that_tokenizer_json_does_not_mark_can_be_typed(tmp_path: Path) -> None:
    made = byte_level("<mask>")
    described = json.loads(made.to_str())
    described["added_tokens"] = []
    assert Library.from_str(json.dumps(described)).encode("<mask>").tokens != ["<mask>"]
    write_json(tmp_path / "tokenizer.json", described)
    write_json(tmp_path / "tokenizer_config.json", {"mask_token": "<mask>"})
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.encode("<mask>").ids == (made.token_to_id("<mask>"),)


@pytest.mark.parametrize("kind", ["roberta", "bert"])
def test_a_family_gets_its_template_where_tokenizer_json_has_none(
    tmp_path: Path, kind: str
) -> None:
    tokens = ROBERTA if kind == "roberta" else ("[UNK]", "[CLS]", "[SEP]")
    byte_level(*tokens).save(str(tmp_path / "tokenizer.json"))
    write_json(tmp_path / "config.json", {"model_type": kind})
    ours = Tokenizer.from_folder(tmp_path)
    start, end = ("<s>", "</s>") if kind == "roberta" else ("[CLS]", "[SEP]")
    assert ours.encode("the").pieces == (start, "the", end)
    assert "adds no special tokens" in ours.notes[0]


def test_added_bos_follows_the_config_where_tokenizer_json_is_silent(tmp_path: Path) -> None:
    byte_level("<s>").save(str(tmp_path / "tokenizer.json"))
    config = {"add_bos_token": True, "bos_token": "<s>"}
    write_json(tmp_path / "tokenizer_config.json", config)
    assert Tokenizer.from_folder(tmp_path).encode("the").pieces == ("<s>", "the")
    starts(byte_level("<s>"), "<s>").save(str(tmp_path / "tokenizer.json"))
    write_json(tmp_path / "tokenizer_config.json", config | {"add_bos_token": False})
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.encode("the").pieces == ("<s>", "the")
    (note,) = ours.notes
    assert note.startswith("tokenizer_config.json says that no special tokens are added; ")
    assert note.endswith("tokenizer.json adds some, and wins.")

"""Tokens added beside a vocabulary, and ids that do not count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.text import Tokenizer
from tests.core.reading_alike import ROBERTA, assert_reads_alike
from tests.core.vocabularies import WORDS, byte_level, write_byte_level, write_json, write_words


@pytest.mark.parametrize("kind", ["words", "bytes"])
def test_an_id_that_another_piece_has_does_not_count(tmp_path: Path, kind: str) -> None:
    import transformers

    if kind == "words":
        write_words(tmp_path)
        theirs, last = "BertTokenizer", len(WORDS)
    else:
        write_byte_level(tmp_path, *ROBERTA)
        last = len(json.loads((tmp_path / "vocab.json").read_text("utf-8")))
        theirs = "RobertaTokenizer"
    added = {
        "7": {"content": "newtok", "normalized": True, "special": False},
        "9": {"content": "<other>", "special": True},
    }
    config = {"tokenizer_class": theirs, "added_tokens_decoder": added, "do_lower_case": True}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path)
    assert (ours.id_of("newtok"), ours.id_of("<other>")) == (last, last + 1)
    assert any(f"'newtok' the id 7, which is that of {ours.piece(7)!r}" in n for n in ours.notes)
    reference = getattr(transformers, theirs).from_pretrained(tmp_path)
    assert_reads_alike(ours, reference, ("the newtok cat", "newtok<other> the"))


def test_tokens_that_only_the_file_beside_tokenizer_json_holds_are_added(tmp_path: Path) -> None:
    """In the order of their ids, as the reference does; an id that is not the next one is named."""
    from transformers import PreTrainedTokenizerFast

    made = byte_level("<a>")
    size = made.get_vocab_size()
    made.save(str(tmp_path / "tokenizer.json"))
    added = {
        str(size + 1): {"content": "plain", "special": False},
        str(size): {"content": "<|im|>", "special": True},
    }
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": added}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path)
    theirs = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    text = "the<|im|>plain cat"
    found = ours.encode(text, add_special=False)
    assert list(found.ids) == theirs(text, add_special_tokens=False)["input_ids"]
    assert {size, size + 1} <= set(found.ids)
    assert not ours.notes
    config["added_tokens_decoder"] = {str(size + 5): {"content": "<|far|>", "special": True}}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours, theirs = (
        Tokenizer.from_folder(tmp_path),
        PreTrainedTokenizerFast.from_pretrained(tmp_path),
    )
    (note,) = ours.notes
    assert f"lacks '<|far|>', which the files beside it give the id {size + 5}; it is read" in note
    assert list(ours.encode("the<|far|> cat").ids) == theirs("the<|far|> cat")["input_ids"]


def test_tokens_added_later_keep_their_ids(tmp_path: Path) -> None:
    write_words(tmp_path)
    write_json(tmp_path / "added_tokens.json", {"[NEW]": len(WORDS)})
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.encode("the[NEW]", add_special=False).ids == (5, len(WORDS))


def test_added_tokens_of_the_old_file_are_words_unless_they_have_a_role(tmp_path: Path) -> None:
    from transformers import BertTokenizer

    write_words(tmp_path)
    size = len(WORDS)
    write_json(tmp_path / "added_tokens.json", {"[NEW]": size, "[SEPARATE]": size + 1})
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    write_json(tmp_path / "tokenizer_config.json", config | {"sep_token": "[SEPARATE]"})
    ours, theirs = Tokenizer.from_folder(tmp_path), BertTokenizer.from_pretrained(tmp_path)
    assert_reads_alike(ours, theirs, ("the [NEW] cat", "the [new] cat", "the[SEPARATE]cat"))
    assert [ours.is_special(i) for i in (size, size + 1)] == [False, True]


def test_an_added_tokens_decoder_takes_the_old_files_place(tmp_path: Path) -> None:
    from transformers import BertTokenizer

    write_words(tmp_path)
    size = len(WORDS)
    write_json(tmp_path / "added_tokens.json", {"[NEW]": size, "[OLD]": size + 1})
    added = {str(size): {"content": "[OTHER]", "special": True}}
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    write_json(tmp_path / "tokenizer_config.json", config | {"added_tokens_decoder": added})
    ours, theirs = Tokenizer.from_folder(tmp_path), BertTokenizer.from_pretrained(tmp_path)
    assert_reads_alike(ours, theirs, ("the [NEW] cat", "the [OLD] cat", "the [OTHER] cat"))
    assert ours.vocab_size == size + 1


@pytest.mark.parametrize("file", ["added_tokens.json", "tokenizer_config.json"])
def test_an_id_that_leaves_a_gap_does_not_count(tmp_path: Path, file: str) -> None:
    from transformers import BertTokenizer

    write_words(tmp_path)
    size = len(WORDS)
    config: dict[str, object] = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    if file == "added_tokens.json":
        write_json(tmp_path / file, {"[NEW]": 99, "[FAR]": 120})
    else:
        config["added_tokens_decoder"] = {
            "120": {"content": "[FAR]", "special": True},
            "99": {"content": "[NEW]", "special": False, "normalized": True},
        }
    write_json(tmp_path / "tokenizer_config.json", config)
    ours, theirs = Tokenizer.from_folder(tmp_path), BertTokenizer.from_pretrained(tmp_path)
    assert_reads_alike(ours, theirs, ("the [NEW] cat", "the [FAR] cat [NEW]"))
    for note, (token, said, read) in zip(
        ours.notes, (("[NEW]", 99, size), ("[FAR]", 120, size + 1)), strict=True
    ):
        assert note == (
            f"The files beside vocab.txt give {token!r} the id {said}, which leaves a gap; it is "
            f"read as {read}, as in transformers."
        )

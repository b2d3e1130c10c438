"""Tokens that only the files beside a vocabulary hold are read as the reference reads them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import transformers

from core.errors import CheckpointError
from core.spec import SpecialIds
from core.text import Tokenizer
from tests.core.vocabularies import (
    WORDS,
    byte_level,
    sentence_piece,
    spec,
    write_byte_level,
    write_json,
    write_words,
)

PLAIN = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False}
TEXTS = (
    "the NEWTOK cat",
    "NEWTOKs the",
    "the newtok",
    "a  NEWTOK  cat",
    "NEWTOKNEWTOK!",
    "xNEWTOK",
)


def words(folder: Path, **config: object) -> Any:
    """BERT's vocabulary, and the reference's tokenizer for it."""
    write_words(folder, tokenizer_class="BertTokenizer", do_lower_case=True, **config)
    return transformers.BertTokenizer.from_pretrained(folder)


def pairs(folder: Path, **config: object) -> Any:
    """GPT-2's vocabulary, and the reference's tokenizer for it."""
    write_byte_level(folder, "<|endoftext|>", tokenizer_class="GPT2Tokenizer", **config)
    return transformers.GPT2Tokenizer.from_pretrained(folder)


def whole(folder: Path, **config: object) -> Any:
    """A tokenizer.json, and the reference's tokenizer for it."""
    byte_level("<|endoftext|>").save(str(folder / "tokenizer.json"))
    write_json(
        folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", **config}
    )
    return transformers.PreTrainedTokenizerFast.from_pretrained(folder)


FORMS = pytest.mark.parametrize("form", [words, pairs, whole])


def size(folder: Path) -> int:
    """Pieces of the vocabulary itself."""
    if (folder / "vocab.txt").is_file():
        return len(WORDS)
    return byte_level("<|endoftext|>").get_vocab_size()


def alike(folder: Path, theirs: Any, texts: tuple[str, ...] = TEXTS) -> Tokenizer:
    """Ours, which reads every text as theirs."""
    ours = Tokenizer.from_folder(folder)
    for text in texts:
        assert list(ours.encode(text).ids) == theirs(text)["input_ids"], text
    return ours


def t5(folder: Path) -> tuple[list[tuple[str, float]], int]:
    """(pieces of T5 as the reference takes them, how many)."""
    options = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    made = sentence_piece(folder / "spiece.model", **options)
    write_json(folder / "config.json", {"model_type": "t5"})
    own = [(made.id_to_piece(i), made.get_score(i)) for i in range(made.get_piece_size())]
    pieces = own + [(f"<extra_id_{i}>", 0.0) for i in reversed(range(100))]
    return pieces, len(pieces)


@FORMS
@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"special": True},
        PLAIN | {"special": True, "single_word": True},
        PLAIN | {"special": False, "single_word": True},
        PLAIN | {"special": True, "lstrip": True, "rstrip": True},
        PLAIN | {"special": False, "normalized": True},
    ],
    ids=["nothing", "special", "special word", "word", "strips", "normalized"],
)
def test_flags_are_kept_and_what_is_not_said_is_as_in_the_reference(
    tmp_path: Path, form: Any, flags: dict[str, bool]
) -> None:
    form(tmp_path)
    number = size(tmp_path)
    theirs = form(tmp_path, added_tokens_decoder={str(number): {"content": "NEWTOK", **flags}})
    ours = alike(tmp_path, theirs)
    assert ours.id_of("NEWTOK") == number
    assert ours.is_special(number) is flags.get("special", False)
    assert not ours.notes or form is not words


@pytest.mark.parametrize(
    "flags",
    [{}, {"single_word": True, "special": True}, {"single_word": True, "lstrip": True}],
    ids=["nothing", "special word", "word that strips"],
)
def test_flags_are_kept_beside_a_sentencepiece_model(
    tmp_path: Path, flags: dict[str, bool]
) -> None:
    pieces, number = t5(tmp_path)
    write_json(
        tmp_path / "tokenizer_config.json",
        {"added_tokens_decoder": {str(number): {"content": "NEWTOK", **PLAIN, **flags}}},
    )
    added = transformers.AddedToken("NEWTOK", **(PLAIN | flags))
    theirs = transformers.T5Tokenizer(vocab=pieces, added_tokens_decoder={number: added})
    ours = alike(tmp_path, theirs)
    assert ours.is_special(number) is flags.get("special", False)
    assert number in ours.encode("the NEWTOK cat").ids
    assert (number in ours.encode("NEWTOKs").ids) is (not flags)


@FORMS
@pytest.mark.parametrize("name", ["pad_token", "extra_special_tokens"])
def test_a_special_token_without_an_id_gets_the_next_one(
    tmp_path: Path, form: Any, name: str
) -> None:
    theirs = form(tmp_path, **{name: "NEWTOK" if name == "pad_token" else ["NEWTOK"]})
    ours = alike(tmp_path, theirs)
    assert ours.id_of("NEWTOK") == size(tmp_path)
    assert ours.is_special(size(tmp_path))


@pytest.mark.parametrize("name", ["additional_special_tokens", "extra_special_tokens"])
def test_a_special_token_without_an_id_follows_t5s_sentinels(tmp_path: Path, name: str) -> None:
    pieces, number = t5(tmp_path)
    write_json(tmp_path / "tokenizer_config.json", {name: ["NEWTOK"]})
    theirs = transformers.T5Tokenizer(vocab=pieces, extra_special_tokens=["NEWTOK"])
    ours = alike(tmp_path, theirs)
    assert ours.id_of("NEWTOK") == number


def test_marian_reads_tokens_that_only_the_files_beside_hold(tmp_path: Path) -> None:
    pieces = []
    for name in ("source.spm", "target.spm"):
        made = sentence_piece(tmp_path / name)
        pieces = [made.id_to_piece(i) for i in range(3, made.get_piece_size())]
    table = {piece: i for i, piece in enumerate(["</s>", "<unk>", *pieces, "<pad>"])}
    write_json(tmp_path / "vocab.json", table)
    write_json(tmp_path / "config.json", {"model_type": "marian"})
    added = {str(len(table)): {"content": "NEWTOK", **PLAIN, "special": False}}
    config = {"added_tokens_decoder": added, "extra_special_tokens": ["<more>"]}
    write_json(tmp_path / "tokenizer_config.json", config)
    with warnings.catch_warnings(action="ignore"):  # a library for punctuation is not there
        theirs = transformers.MarianTokenizer.from_pretrained(tmp_path)
    ours = alike(tmp_path, theirs, ("the NEWTOK cat", "the <more> cat", "NEWTOK<more>"))
    assert (ours.id_of("NEWTOK"), ours.id_of("<more>")) == (len(table), len(table) + 1)


@FORMS
def test_a_role_written_with_flags_has_them(tmp_path: Path, form: Any) -> None:
    token = PLAIN | {"content": "NEWTOK", "single_word": True, "lstrip": True}
    write_json(tmp_path / "special_tokens_map.json", {"pad_token": token})
    ours = alike(tmp_path, form(tmp_path))
    assert ours.pad_piece == "NEWTOK"
    assert ours.pad_id not in ours.encode("NEWTOKs").ids


@FORMS
def test_special_tokens_are_split_where_the_files_say_so(tmp_path: Path, form: Any) -> None:
    form(tmp_path)
    number = size(tmp_path)
    added = {
        str(number): {"content": "NEWTOK", "special": True},
        str(number + 1): {"content": "<word>", **PLAIN, "special": False},
    }
    theirs = form(tmp_path, added_tokens_decoder=added, split_special_tokens=True)
    ours = alike(tmp_path, theirs, (*TEXTS, "the <word>"))
    assert number not in ours.encode("the NEWTOK").ids
    assert number + 1 in ours.encode("the <word>").ids


def test_special_tokens_are_split_beside_a_sentencepiece_model(tmp_path: Path) -> None:
    pieces, number = t5(tmp_path)
    flags = {"NEWTOK": PLAIN | {"special": True}, "<word>": PLAIN | {"special": False}}
    listed = {str(number + i): {"content": token, **flags[token]} for i, token in enumerate(flags)}
    config = {"added_tokens_decoder": listed, "split_special_tokens": True}
    write_json(tmp_path / "tokenizer_config.json", config)
    added = {
        number + i: transformers.AddedToken(token, **flags[token]) for i, token in enumerate(flags)
    }
    theirs = transformers.T5Tokenizer(
        vocab=pieces, added_tokens_decoder=added, split_special_tokens=True
    )
    ours = alike(tmp_path, theirs, ("the NEWTOK cat", "the<word> cat"))
    assert number not in ours.encode("the NEWTOK cat").ids
    assert number + 1 in ours.encode("the<word> cat").ids


def test_a_pad_token_without_a_vector_is_not_the_models(tmp_path: Path) -> None:
    write_byte_level(tmp_path, "<|endoftext|>", pad_token="[PAD]", tokenizer_class="GPT2Tokenizer")
    count = len(json.loads((tmp_path / "vocab.json").read_text("utf-8")))
    special = SpecialIds(pad=0)
    assert Tokenizer.from_folder(tmp_path, spec(vocab=count, special=special)).pad_id == 0
    assert Tokenizer.from_folder(tmp_path, spec(vocab=count)).pad_id is None
    assert Tokenizer.from_folder(tmp_path, spec(vocab=count + 1)).pad_id == count


@pytest.mark.parametrize("said", [None, True, False])
def test_a_start_token_that_nothing_asks_for_is_told(tmp_path: Path, said: bool | None) -> None:
    """Today's reference adds OPT's and Llama's only where `add_bos_token` is there."""
    write_byte_level(tmp_path, "<pad>", "</s>")
    write_json(tmp_path / "config.json", {"model_type": "opt"})
    llama = tmp_path / "llama"
    llama.mkdir()
    sentence_piece(llama / "tokenizer.model", "bpe", size=60)
    write_json(llama / "config.json", {"model_type": "llama"})
    for folder, file, start in (
        (tmp_path, "vocab.json", "</s>"),
        (llama, "tokenizer.model", "<s>"),
    ):
        if said is not None:
            write_json(folder / "tokenizer_config.json", {"add_bos_token": said})
        ours = Tokenizer.from_folder(folder)
        assert (ours.encode("the").pieces[0] == start) is (said is not False)
        told = f"Nothing says whether {file} begins a text with {start}; it does, as in its family."
        assert ours.notes == (() if said is not None else (told,))


def test_a_tokenizer_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    byte_level("<s>").save(str(tmp_path / "tokenizer.json"))
    opened = Path.open

    def forbidden(path: Path, *arguments: Any, **more: Any) -> Any:
        if path.name == "tokenizer.json":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(CheckpointError, match=r"tokenizer\.json cannot be read: Permission denied"):
        Tokenizer.from_folder(tmp_path)

    def closed(path: Path) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", closed)
    with pytest.raises(CheckpointError, match=f"{tmp_path} cannot be read: Permission denied"):
        Tokenizer.from_folder(tmp_path)

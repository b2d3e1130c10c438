"""Which files make no tokenizer is said of each by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.text import Tokenizer
from tests.core.vocabularies import byte_fallback, sentence_piece

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 4404\n"


def test_one_file_is_enough(tmp_path: Path) -> None:
    byte_fallback().save(str(tmp_path / "my.json"))
    assert Tokenizer.from_file(tmp_path / "my.json").encode("the").pieces == ("<s>", "▁the")
    sentence_piece(tmp_path / "my.model")
    ours = Tokenizer.from_file(tmp_path / "my.model")
    assert ours.source == "my.model"
    assert ours.decode(ours.encode("the cat").ids) == "the cat"
    with pytest.raises(CheckpointError, match="not a file"):
        Tokenizer.from_file(tmp_path / "none.json")


def test_a_folder_without_a_tokenizer_is_told_apart_from_a_broken_one(tmp_path: Path) -> None:
    assert not Tokenizer.is_in(tmp_path)
    with pytest.raises(CheckpointError, match=r"holds no tokenizer; supported are tokenizer\.json"):
        Tokenizer.from_folder(tmp_path)
    with pytest.raises(CheckpointError, match="holds no tokenizer"):
        Tokenizer.from_folder(tmp_path / "none")
    (tmp_path / "tokenizer.json").write_text("{}")
    assert Tokenizer.is_in(tmp_path)
    with pytest.raises(CheckpointError, match=r"tokenizer\.json is no tokenizer"):
        Tokenizer.from_folder(tmp_path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"tokenizer.json": "[1"}, r"tokenizer\.json is no tokenizer"),
        ({"vocab.txt": "the\ncat\n"}, r"vocab\.txt has no \[UNK\]"),
        ({"vocab.txt": "[UNK]\nthe\n"}, r"vocab\.txt has no \[(CLS|SEP)\]"),
        ({"vocab.json": "{}", "merges.txt": ""}, r"vocab\.json is empty"),
        ({"vocab.json": '{"a": "b"}', "merges.txt": ""}, "gives 'a' the id 'b'"),
        ({"vocab.json": '{"a</w>": 0}', "merges.txt": ""}, "needs a tokenizer.json"),
        ({"vocab.json": '{"a": 0}', "merges.txt": "a b\n"}, r"merges\.txt is no tokenizer"),
        ({"vocab.json": "[]", "merges.txt": ""}, "holds a list; it must hold an object"),
        ({"tokenizer.model": "IQ== 0\nIg== 1\n"}, "not how texts are cut"),
        ({"tokenizer.json": POINTER}, r"tokenizer\.json is a Git-LFS pointer"),
        ({"tokenizer.model": POINTER}, r"tokenizer\.model is a Git-LFS pointer"),
        ({"vocab.json": "{}", "merges.txt": POINTER}, r"merges\.txt is a Git-LFS pointer"),
        ({"spiece.model": ""}, r"spiece\.model is not a SentencePiece"),
        ({"vocab.txt": "[UNK]\n", "tokenizer_config.json": "{"}, r"config\.json cannot be read"),
        (
            {
                "vocab.txt": "[UNK]\n[CLS]\n[SEP]\n",
                "tokenizer_config.json": '{"tokenizer_class": "BertJapaneseTokenizer"}',
            },
            "belongs to a BertJapaneseTokenizer",
        ),
        (
            {
                "vocab.json": '{"a": 0}',
                "merges.txt": "",
                "tokenizer_config.json": '{"tokenizer_class": "CLIPTokenizer"}',
            },
            "belongs to a CLIPTokenizer",
        ),
    ],
)
def test_what_cannot_be_understood_is_named(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(CheckpointError, match=message):
        Tokenizer.from_folder(tmp_path)

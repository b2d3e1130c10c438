"""Which files make the tokenizer, and that it reads like the reference's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Library

from core.errors import CheckpointError
from core.text import Tokenizer
from tests.core.vocabularies import (
    WORDS,
    byte_fallback,
    byte_level,
    sentence_piece,
    spec,
    starts,
    write_byte_level,
    write_json,
    write_words,
)

TEXTS = ("The cat sat!", "playing  the [MASK]", "thé 東cat\nrug", "😀 <mask>the", "the</s> cat")
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 4404\n"
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def assert_reads_alike(ours: Tokenizer, theirs: object, texts: tuple[str, ...] = TEXTS) -> None:
    for add_special in (True, False):
        for text in texts:
            expected = theirs(text, add_special_tokens=add_special)["input_ids"]  # type: ignore[operator]
            assert list(ours.encode(text, add_special=add_special).ids) == expected
            expected = theirs(text, "the rug", add_special_tokens=add_special)["input_ids"]  # type: ignore[operator]
            assert list(ours.encode(text, "the rug", add_special=add_special).ids) == expected


@pytest.mark.parametrize("lower", [True, False])
def test_word_piece_reads_as_the_reference(tmp_path: Path, lower: bool) -> None:
    from transformers import BertTokenizer

    folder = write_words(tmp_path, do_lower_case=lower)
    ours = Tokenizer.from_folder(folder, spec(2))
    assert_reads_alike(ours, BertTokenizer.from_pretrained(folder))
    assert ours.encode("The").pieces[1] == ("the" if lower else "[UNK]")
    assert (ours.source, ours.notes) == ("vocab.txt", ())


def test_chinese_characters_are_words_unless_said_otherwise(tmp_path: Path) -> None:
    words = (*WORDS, "東", "京", "##京")
    ours = Tokenizer.from_folder(write_words(tmp_path, words))
    assert ours.encode("東京", add_special=False).pieces == ("東", "京")
    write_words(tmp_path, words, tokenize_chinese_chars=False)
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.encode("東京", add_special=False).pieces == ("東", "##京")


def test_a_vocabulary_with_capitals_is_not_lower_cased(tmp_path: Path) -> None:
    ours = Tokenizer.from_folder(write_words(tmp_path, (*WORDS, "The")))
    assert ours.encode("The", add_special=False).pieces == ("The",)
    assert ours.notes == (
        "Nothing says whether vocab.txt wants lower case; by its words, text is read as typed.",
    )
    ours = Tokenizer.from_folder(write_words(tmp_path, WORDS))
    assert ours.encode("The", add_special=False).pieces == ("the",)


@pytest.mark.parametrize("name", ["RobertaTokenizer", "BartTokenizer"])
def test_robertas_vocabulary_reads_as_the_reference(tmp_path: Path, name: str) -> None:
    import transformers

    mask = {"content": "<mask>", "lstrip": True, "special": True}
    folder = write_byte_level(
        tmp_path, *ROBERTA, tokenizer_class=name, added_tokens_decoder={"4": mask}
    )
    theirs = getattr(transformers, name).from_pretrained(folder)
    ours = Tokenizer.from_folder(folder, spec(1))
    assert_reads_alike(ours, theirs)
    assert ours.source == "vocab.json + merges.txt"


def test_gpt2s_vocabulary_reads_as_the_reference_and_adds_nothing(tmp_path: Path) -> None:
    from transformers import GPT2Tokenizer

    folder = write_byte_level(tmp_path, "<|endoftext|>", tokenizer_class="GPT2Tokenizer")
    ours = Tokenizer.from_folder(folder)
    assert_reads_alike(ours, GPT2Tokenizer.from_pretrained(folder), (*TEXTS, "<|endoftext|>the"))
    assert ours.encode("the").pieces == ("the",)
    assert ours.encode("<|endoftext|>the").special == (True, False)


def test_opt_starts_with_its_end_token(tmp_path: Path) -> None:
    from transformers import GPT2Tokenizer

    folder = write_byte_level(
        tmp_path,
        *("<pad>", "</s>"),
        tokenizer_class="GPT2Tokenizer",
        add_bos_token=True,
        bos_token="</s>",
        eos_token="</s>",
        unk_token="</s>",
        pad_token="<pad>",
    )
    ours = Tokenizer.from_folder(folder)
    assert_reads_alike(ours, GPT2Tokenizer.from_pretrained(folder))
    assert ours.encode("the").pieces == ("</s>", "the")
    (folder / "tokenizer_config.json").unlink()
    write_json(folder / "config.json", {"model_type": "opt"})
    assert Tokenizer.from_folder(folder).encode("the").pieces == ("</s>", "the")


def test_a_family_nothing_names_is_seen_from_its_pieces(tmp_path: Path) -> None:
    ours = Tokenizer.from_folder(write_byte_level(tmp_path, *ROBERTA))
    assert ours.encode("the").pieces == ("<s>", "the", "</s>")
    assert "read as RoBERTa's" in ours.notes[0]
    (tmp_path / "gpt").mkdir()
    ours = Tokenizer.from_folder(write_byte_level(tmp_path / "gpt", "<|endoftext|>"))
    assert ours.encode("the").pieces == ("the",)
    assert "read as GPT-2's" in ours.notes[0]


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


def test_a_vocabulary_beyond_the_tokenizer_has_names_for_its_ids() -> None:
    made = byte_fallback()
    ours = Tokenizer.from_library(made, source="made here")
    size = made.get_vocab_size()
    assert ours.vocab_size == size
    assert ours.piece(size + 6) == f"⟨unused id {size + 6}⟩"
    assert ours.piece(70 + size) == f"⟨unused id {70 + size}⟩"
    assert ours.piece(-1) == "⟨unused id -1⟩"
    assert not ours.is_special(size + 6)
    ids = ours.encode("the", add_special=False).ids
    assert ours.decode([*ids, size + 6, *ids]) == ours.decode([*ids, *ids]) == "the the"
    assert ours.stream([*ids, size + 6]) == ("the", 0)


def test_id_70_of_72_beyond_a_tokenizer_of_64(tmp_path: Path) -> None:
    words = [*WORDS, *(f"w{i}" for i in range(64 - len(WORDS)))]
    ours = Tokenizer.from_folder(write_words(tmp_path, words), spec(2))
    assert ours.vocab_size == 64
    assert [ours.piece(i) for i in (63, 64, 70)] == ["w45", "⟨unused id 64⟩", "⟨unused id 70⟩"]
    assert ours.of_ids([5, 70]).pieces == ("the", "⟨unused id 70⟩")
    assert ours.decode([5, 70, 6]) == "the cat"


def test_special_tokens_are_skipped_in_text_or_shown_on_request(tmp_path: Path) -> None:
    ours = Tokenizer.from_folder(write_words(tmp_path), spec(2))
    ids = ours.encode("playing the [MASK] zebra").ids
    assert ours.decode(ids) == "playing the [UNK]"
    assert ours.decode(ids, skip_special=False) == "[CLS] playing the [MASK] [UNK] [SEP]"
    assert ours.stream(ids, skip_special=False)[0] == ours.decode(ids, skip_special=False)


def test_decoding_is_the_librarys() -> None:
    for make in (byte_fallback, lambda: byte_level("<s>")):
        made = make()
        ours = Tokenizer.from_library(make(), source="made here")
        for text in ("the the", " the", "a <s>the", "thé 😀 the!"):
            ids = made.encode(text).ids
            assert ours.decode(ids) == made.decode(ids)
            assert ours.decode(ids, skip_special=False) == made.decode(
                ids, skip_special_tokens=False
            )

"""Switches of tokenizer_config.json and flags of added tokens beside a tokenizer.json: followed
where the reference's class follows them, with the ids it gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import transformers
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from core.text import Tokenizer
from tests.core.vocabularies import byte_level, write_json

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "the", "The", "cat", "Cat", "cafe", "café", "你", "好", "你好", "[E1]", "[", "]",
         "e", "##1"]  # fmt: skip
TEXTS = ("The Cat", "café", "你好", "the [E1] cat", "the <mask> cat", " the", "the  catat")


def alike(
    folder: Path, model_type: str, texts: tuple[str, ...] = TEXTS, *, equal: bool = True
) -> Tokenizer:
    """Ours, which gives the ids of what the reference opens the folder as."""
    write_json(folder / "config.json", {"model_type": model_type})
    theirs: Any = transformers.AutoTokenizer.from_pretrained(folder)
    ours = Tokenizer.from_folder(folder)
    found = [list(ours.encode(text).ids) == theirs(text)["input_ids"] for text in texts]
    assert all(found) is equal, list(zip(texts, found, strict=True))
    return ours


def words(folder: Path, config: Mapping[str, Any], *, lower: bool, sequence: bool = False) -> None:
    """BERT's tokenizer.json."""
    made = Library(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    folding = normalizers.BertNormalizer(lowercase=lower)
    made.normalizer = normalizers.Sequence([folding]) if sequence else folding
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.add_special_tokens(SPECIAL)
    made.save(str(folder / "tokenizer.json"))
    write_json(folder / "tokenizer_config.json", dict(config))


def pairs(
    folder: Path, config: Mapping[str, Any], *, prefix: bool = False, bracketed: bool = True
) -> Library:
    """RoBERTa's tokenizer.json; bracketed: whether it puts special tokens around a text."""
    made = byte_level("<s>", "<pad>", "</s>", "<unk>", "<mask>", size=40)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    end, start = ((token, made.token_to_id(token) or 0) for token in ("</s>", "<s>"))
    if bracketed:
        made.post_processor = processors.RobertaProcessing(end, start, add_prefix_space=prefix)
    made.save(str(folder / "tokenizer.json"))
    write_json(folder / "tokenizer_config.json", dict(config))
    return made


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("sequence", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        {"do_lower_case": True},
        {"do_lower_case": False},
        {"do_lower_case": True, "strip_accents": False},
        {"do_lower_case": False, "strip_accents": None, "tokenize_chinese_chars": False},
    ],
)
def test_bert_folds_as_is_stated(
    tmp_path: Path, lower: bool, sequence: bool, said: Mapping[str, Any]
) -> None:
    words(tmp_path, {"tokenizer_class": "BertTokenizer", **said}, lower=lower, sequence=sequence)
    assert not alike(tmp_path, "bert").notes


@pytest.mark.parametrize(
    "named", ["DistilBertTokenizerFast", "ElectraTokenizer", "PreTrainedTokenizerFast", None]
)
@pytest.mark.parametrize("said", [{"do_lower_case": False}, {"strip_accents": False}])
def test_which_classes_fold(tmp_path: Path, named: str | None, said: Mapping[str, Any]) -> None:
    """A generic class takes the file as it stands."""
    config = said if named is None else {"tokenizer_class": named, **said}
    words(tmp_path, config, lower=True)
    alike(tmp_path, "bert")


def test_what_the_reference_takes_though_nothing_states_it_is_told(tmp_path: Path) -> None:
    words(tmp_path, {"tokenizer_class": "BertTokenizer"}, lower=False)
    ours = alike(tmp_path, "bert", equal=False)
    assert any("states no do_lower_case; the file counts" in note for note in ours.notes)
    assert ours.id_of("Cat") in ours.encode("The Cat").ids


def test_a_switch_without_a_part_is_told(tmp_path: Path) -> None:
    words(tmp_path, {"tokenizer_class": "BertTokenizer", "do_lower_case": False}, lower=True)
    made = Library.from_file(str(tmp_path / "tokenizer.json"))
    made.normalizer = normalizers.Lowercase()
    made.save(str(tmp_path / "tokenizer.json"))
    assert any("sets do_lower_case, for which" in n for n in Tokenizer.from_folder(tmp_path).notes)


@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize(
    ("model_type", "named"),
    [
        ("roberta", "RobertaTokenizer"),
        ("roberta", None),
        ("roberta", "PreTrainedTokenizerFast"),
        ("bart", "BartTokenizerFast"),
        ("gpt2", "GPT2TokenizerFast"),
        ("gpt_neox", "GPTNeoXTokenizerFast"),
        ("opt", "GPT2Tokenizer"),
        ("qwen2", "Qwen2Tokenizer"),
        ("phi3", "GPT2Tokenizer"),
    ],
)
def test_the_space_before_a_text(
    tmp_path: Path, model_type: str, named: str | None, prefix: bool, said: bool
) -> None:
    config: dict[str, Any] = {"add_prefix_space": said}
    config |= {} if named is None else {"tokenizer_class": named}
    pairs(tmp_path, config, prefix=prefix, bracketed=model_type != "gpt_neox")
    # Plain texts: what else these classes bring along is not looked at here.
    alike(tmp_path, model_type, ("the cat", " the", "cat the  rug"))


def flags(content: str, **more: bool) -> dict[str, Any]:
    plain = dict.fromkeys(("lstrip", "rstrip", "normalized", "single_word"), False)
    return {"content": content, **plain, "special": True} | more


NAMED = pytest.mark.parametrize(
    "named", ["RobertaTokenizer", "PreTrainedTokenizerFast", "GPT2Tokenizer"]
)


@NAMED
def test_listed_flags_count_before_the_tokenizers_own(tmp_path: Path, named: str) -> None:
    """<mask> takes the space before it along only there."""
    made = pairs(tmp_path, {})
    listed = {
        str(made.token_to_id(token)): flags(token, lstrip=token == "<mask>")
        for token in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    }
    write_json(
        tmp_path / "tokenizer_config.json",
        {"tokenizer_class": named, "mask_token": "<mask>", "added_tokens_decoder": listed},
    )
    ours = alike(tmp_path, "roberta")
    mask = ours.id_of("<mask>")
    assert mask is not None
    assert list(ours.encode("the <mask>").ids).index(mask) == (
        list(ours.encode("the<mask>").ids).index(mask)
    )


@NAMED
def test_a_piece_that_is_listed_as_added_is_not_cut(tmp_path: Path, named: str) -> None:
    made = pairs(tmp_path, {})
    piece = made.token_to_id("at")
    assert piece is not None
    write_json(
        tmp_path / "tokenizer_config.json",
        {
            "tokenizer_class": named,
            "added_tokens_decoder": {str(piece): flags("at", special=False)},
        },
    )
    ours = alike(tmp_path, "roberta", ("the cat", "catat"))
    assert list(ours.encode("catat").ids).count(piece) == 2


@pytest.mark.parametrize("listed", ["added_tokens_decoder", "added_tokens.json"])
@pytest.mark.parametrize("named", ["BertTokenizer", "PreTrainedTokenizerFast"])
def test_a_word_that_is_listed_as_added_is_not_cut(tmp_path: Path, named: str, listed: str) -> None:
    number = WORDS.index("[E1]")
    config: dict[str, Any] = {"tokenizer_class": named, "do_lower_case": True}
    if listed == "added_tokens.json":
        write_json(tmp_path / listed, {"[E1]": number})
    else:
        config[listed] = {str(number): flags("[E1]", special=False)}
    words(tmp_path, config, lower=True)
    assert number in alike(tmp_path, "bert").encode("the [E1] cat").ids

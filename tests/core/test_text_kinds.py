"""Families whose rules their vocabulary files do not hold: the same ids as the reference's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers

from core.text import Tokenizer
from tests.core.sentence_pieces import llama_pieces, scores
from tests.core.vocabularies import byte_level, sentence_piece, spec, write_json

TEXTS = (
    "The cat sat on the rug!",
    "  a  dog ran 12345 to the\n\nred  house",
    "don't it's WE'LL café déjà",
    "a\u0301 e\u0301 \uac00 \u1112\u1161\u11ab",
    "東京へ行く。你好，世界！",
    "😀 👩‍👩‍👧 naïve",
    "hello world, this is <|endoftext|> a small <s>text</s>",
    "\tthe\r\nrug \r\n cat\n",
    " lead",
    "trail ",
    "party -- last, (week) #1 : $5 'x' …",
    "x_y 3.14 1,000 2nd",
    "the",
)


def same(ours: Tokenizer, theirs: Any, texts: tuple[str, ...] = TEXTS) -> None:
    for text in texts:
        for pair in (None, "the 12 rugs"):
            for add_special in (True, False):
                expected = theirs(text, pair, add_special_tokens=add_special)["input_ids"]
                found = ours.encode(text, pair, add_special=add_special)
                assert list(found.ids) == expected, (text, pair)


# --- byte-level ---------------------------------------------------------------------------------


def write_bytes(folder: Path, *special: str, numbers: bool = True) -> tuple[dict[str, int], Any]:
    """vocab.json and merges.txt of a vocabulary that knows all of the texts, digits joined if
    `numbers`; (vocabulary, merges)."""
    texts = [text for text in TEXTS if numbers or not any("0" <= c <= "9" for c in text)]
    made = byte_level(*special, size=120, texts=[*texts, "so   far   away"] * 4)
    made.model.save(str(folder))
    described = json.loads(made.to_str())["model"]
    return described["vocab"], [tuple(pair) for pair in described["merges"]]


@pytest.mark.parametrize("kind", ["qwen2", "qwen3"])
@pytest.mark.parametrize("said", ["model_type", "tokenizer_class", "family"])
def test_qwen_cuts_digits_and_composes_accents(tmp_path: Path, kind: str, said: str) -> None:
    from transformers import Qwen2Tokenizer

    vocab, merges = write_bytes(tmp_path, "<|endoftext|>")
    family = "test"
    if said == "model_type":
        write_json(tmp_path / "config.json", {"model_type": kind})
    elif said == "tokenizer_class":
        write_json(tmp_path / "tokenizer_config.json", {"tokenizer_class": "Qwen2TokenizerFast"})
    else:
        family = kind.title()
    ours = Tokenizer.from_folder(tmp_path, spec(family=family))
    same(ours, Qwen2Tokenizer(vocab=vocab, merges=merges))
    assert ours.notes == ()
    assert ours.encode("12").pieces == ("1", "2")
    assert ours.encode("e\u0301").ids == ours.encode("é").ids
    assert ours.decode(ours.encode("déjà 12 😀").ids) == "déjà 12 😀"


def test_qwen_with_a_space_first(tmp_path: Path) -> None:
    from transformers import Qwen2Tokenizer

    vocab, merges = write_bytes(tmp_path, "<|endoftext|>")
    config = {"tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": True}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec())
    same(ours, Qwen2Tokenizer(vocab=vocab, merges=merges, add_prefix_space=True))


@pytest.mark.parametrize("said", ["model_type", "tokenizer_class", "family"])
def test_gpt_neox_composes_accents(tmp_path: Path, said: str) -> None:
    from transformers import GPTNeoXTokenizer

    vocab, merges = write_bytes(tmp_path, "<|endoftext|>", "<|padding|>")
    if said == "model_type":
        write_json(tmp_path / "config.json", {"model_type": "gpt_neox"})
    elif said == "tokenizer_class":
        write_json(tmp_path / "tokenizer_config.json", {"tokenizer_class": "GPTNeoXTokenizer"})
    ours = Tokenizer.from_folder(tmp_path, spec(family="GPT-NeoX" if said == "family" else "x"))
    same(ours, GPTNeoXTokenizer(vocab=vocab, merges=merges), (*TEXTS, "a<|padding|> b"))
    assert ours.notes == ()
    assert ours.pad_piece == "<|padding|>"
    assert ours.encode("e\u0301").ids == ours.encode("é").ids != ours.encode("e").ids
    # Unlike Qwen's, its numbers are words.
    assert len(ours.encode("12345")) < 5


def test_a_byte_level_llama_is_gpt2s(tmp_path: Path) -> None:
    from transformers import GPT2Tokenizer

    vocab, merges = write_bytes(tmp_path, "<|endoftext|>")
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    ours = Tokenizer.from_folder(tmp_path, spec(family="Llama"))
    same(ours, GPT2Tokenizer(vocab=vocab, merges=merges))
    assert ours.notes == (
        "Nothing names the family of vocab.json; by its pieces it is read as GPT-2's.",
    )


def test_a_byte_level_llama_without_numbers_is_smollms(tmp_path: Path) -> None:
    """Its makers cut digits apart first, and with them the spaces before."""
    vocab, merges = write_bytes(tmp_path, "<|endoftext|>", numbers=False)
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.notes[0].endswith("it is read as SmolLM's.")
    made = Library(models.BPE(vocab=vocab, merges=merges))
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(True), level])
    made.add_special_tokens(["<|endoftext|>"])
    for text in (*TEXTS, "the  1984  rugs"):
        assert list(ours.encode(text).ids) == made.encode(text).ids
    plain = Library(models.BPE(vocab=vocab, merges=merges))
    plain.pre_tokenizer = level
    assert plain.encode("the  1984").ids != made.encode("the  1984").ids


def test_a_byte_level_llama_with_llama_3s_start(tmp_path: Path) -> None:
    vocab, _ = write_bytes(tmp_path)
    added = {"<|begin_of_text|>": len(vocab), "<|end_of_text|>": len(vocab) + 1}
    write_json(tmp_path / "added_tokens.json", added)
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    ours = Tokenizer.from_folder(tmp_path)
    assert ours.notes[0].endswith("it is read as Llama 3's.")
    assert ours.encode("the 12345").ids[0] == len(vocab)
    numbers = [p for p in ours.encode("12345", add_special=False).pieces if p.isdigit()]
    assert max(map(len, numbers)) <= 3


# --- SentencePiece ------------------------------------------------------------------------------

DEBERTA = {
    "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3,
    "pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]",
}  # fmt: skip


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("cut", [True, False])
def test_deberta_folds_case_and_cuts_at_punctuation(tmp_path: Path, lower: bool, cut: bool) -> None:
    from transformers import DebertaV2Tokenizer

    processor = sentence_piece(tmp_path / "spm.model", **DEBERTA)
    said = {"do_lower_case": lower, "split_by_punct": cut}
    config = said | {"tokenizer_class": "DebertaV2Tokenizer"}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec(2))
    theirs = DebertaV2Tokenizer(vocab=[*scores(processor), ("[MASK]", 0.0)], unk_id=3, **said)
    # Built from pieces alone, theirs lacks the model's table of letters alike (… is three dots).
    texts = tuple(text.replace("…", "») ¿").replace("，", ",").replace("！", "!") for text in TEXTS)
    same(ours, theirs, (*texts, "THE [MASK], the  , Cat - RUG -", "!!", "(the)", " - "))
    tokens = ours.encode("the , Cat", add_special=False)
    at = [None if span is None else "the , Cat"[slice(*span)] for span in tokens.spans]
    assert "".join(part or "" for part in at).replace(" ", "") == "the,Cat"
    bare = DebertaV2Tokenizer(vocab=[*scores(processor), ("[MASK]", 0.0)], unk_id=3)
    text = "THE rug, the cat"
    assert (bare(text)["input_ids"] != theirs(text)["input_ids"]) is (lower or cut)


@pytest.mark.parametrize("first", [True, False])
def test_llama_with_and_without_a_space_first(tmp_path: Path, first: bool) -> None:
    from transformers import LlamaTokenizer
    from transformers.tokenization_utils_sentencepiece import generate_merges

    processor = llama_pieces(tmp_path)
    config = {"tokenizer_class": "LlamaTokenizer", "add_prefix_space": first, "legacy": True}
    write_json(tmp_path / "tokenizer_config.json", config)
    ours = Tokenizer.from_folder(tmp_path, spec())
    vocabulary = {piece: i for i, (piece, _) in enumerate(scores(processor))}
    theirs = LlamaTokenizer(
        vocab=vocabulary,
        merges=generate_merges(vocabulary, scores(processor)),
        add_bos_token=True,
        add_prefix_space=first,
        legacy=True,
    )
    same(ours, theirs, tuple(text.replace("  ", " ").strip(" ") for text in TEXTS))
    assert ours.encode("the", add_special=False).pieces[0].startswith("▁") is first
    for text in ("the cat", "cat 😀"):
        ids = ours.encode(text, add_special=False).ids
        assert ours.decode(ids) == text == theirs.decode(ids)


@pytest.mark.parametrize("said", ["model_type", "tokenizer_class"])
def test_camembert_numbers_pieces_its_own_way(tmp_path: Path, said: str) -> None:
    from transformers import CamembertTokenizer

    processor = sentence_piece(tmp_path / "sentencepiece.bpe.model")
    if said == "model_type":
        write_json(tmp_path / "config.json", {"model_type": "camembert"})
    else:
        write_json(tmp_path / "tokenizer_config.json", {"tokenizer_class": "CamembertTokenizer"})
    ours = Tokenizer.from_folder(tmp_path, spec(1))
    first = [("<s>NOTUSED", 0.0), ("<pad>", 0.0), ("</s>NOTUSED", 0.0), ("<unk>", 0.0)]
    vocab = [*first, ("<unk>NOTUSED", -100.0), *scores(processor)[1:], ("<mask>", 0.0)]
    theirs = CamembertTokenizer(vocab=vocab)
    # Built from pieces alone, theirs lacks the model's table of letters alike.
    texts = [text.replace("…", "").replace("，", ",").replace("！", "!") for text in TEXTS]
    composed = tuple(text for text in texts if "\u0301" not in text)
    same(ours, theirs, (*composed, "the<mask> rug", "a <s>NOTUSED b", "<pad>the"))
    assert ours.notes == ()
    assert (ours.encode("the").ids[0], ours.encode("the").ids[-1]) == (5, 6)
    assert (ours.pad_id, ours.unk_id, ours.mask_id) == (1, 3, ours.vocab_size - 1)
    assert ours.encode("日", add_special=False).ids[-1] == 3
    assert ours.decode(ours.encode("the cat").ids) == "the cat"

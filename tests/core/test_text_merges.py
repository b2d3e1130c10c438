"""vocab.json with merges.txt reads as the reference does, family by family."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.text import Tokenizer
from tests.core.reading_alike import ROBERTA, TEXTS, assert_reads_alike
from tests.core.vocabularies import spec, write_byte_level, write_json


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

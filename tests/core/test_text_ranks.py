"""Vocabularies in tiktoken's form read as tiktoken reads them."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from core.errors import CheckpointError
from core.spelling import piece_bytes
from core.text import Tokenizer as Ours
from core.text.ranks import merges
from core.text.splits import byte_level
from tests.core.vocabularies import sentence_piece, spec, write_json

LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN = LLAMA.replace(r"\p{N}{1,3}", r"\p{N}")
CORPUS = [
    "The cat sat on the mat, and the dog's bone WASN'T there.",
    "In 1984 there were 365 days; it's 2024 now.",
    "naïve café 東京 😀!  two  spaces\nnew lines\n\n\tthere",
] * 20
TEXTS = (
    "The cat's 1984 mats", " spaced  out\n\nlines ", "café 😀 東京\r\n", "THEY'LL see 1234567!",
    "zebra", " zebras", "the\ttab   ", "\u200b\ufeff", "cafe\u0301 2024",
)  # fmt: skip
Ranks = Mapping[bytes, int]


def trained(pattern: str) -> dict[bytes, int]:
    """Ranks of a vocabulary learned here, and a last piece that no merges lead to."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=340, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(CORPUS, trainer)
    by_id = sorted(made.get_vocab().items(), key=lambda item: item[1])
    pieces = [*(piece_bytes(piece, "bytes") for piece, _ in by_id), b" zebra"]
    return {piece: rank for rank, piece in enumerate(pieces)}


def write(path: Path, ranks: Ranks) -> Path:
    lines = (f"{base64.b64encode(piece).decode()} {rank}\n" for piece, rank in ranks.items())
    path.write_text("".join(lines), "ascii")
    return path


def merged(word: bytes, ranks: Ranks) -> list[int]:
    """The procedure as tiktoken has it: of all neighbours join those of the lowest rank."""
    if word in ranks:
        return [ranks[word]]
    parts = [word[i : i + 1] for i in range(len(word))]
    while True:
        joined = [(ranks.get(parts[i] + parts[i + 1]), i) for i in range(len(parts) - 1)]
        known = [(rank, i) for rank, i in joined if rank is not None]
        if not known:
            return [ranks[part] for part in parts]
        at = min(known)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def expected(text: str, ranks: Ranks, pattern: str) -> list[int]:
    return [i for word in regex.findall(pattern, text) for i in merged(word.encode(), ranks)]


@pytest.fixture
def llama(tmp_path: Path) -> tuple[Path, dict[bytes, int]]:
    ranks = trained(LLAMA)
    write(tmp_path / "tokenizer.model", ranks)
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    return tmp_path, ranks


def test_llama_3(llama: tuple[Path, dict[bytes, int]]) -> None:
    folder, ranks = llama
    ours = Ours.from_folder(folder, spec(family="Llama"))
    count = len(ranks)
    assert ours.source == "tokenizer.model"
    for text in TEXTS:
        ids = expected(text, ranks, LLAMA)
        assert list(ours.encode(text, add_special=False).ids) == ids
        assert list(ours.encode(text).ids) == [count, *ids]
        assert ours.decode(ids) == text
    names = {0: "<|begin_of_text|>", 1: "<|end_of_text|>", 6: "<|start_header_id|>"}
    names |= {7: "<|end_header_id|>", 8: "<|reserved_special_token_4|>", 9: "<|eot_id|>"}
    names |= {10: "<|reserved_special_token_5|>", 255: "<|reserved_special_token_250|>"}
    for place, name in names.items():
        assert ours.piece(count + place) == name
        assert ours.is_special(count + place)
    assert ours.vocab_size == count + 256
    assert ours.encode("a<|eot_id|>").ids[-1] == count + 9
    assert b" zebra" in ranks
    assert ours.encode(" zebra", add_special=False).ids == (count - 1,)


def test_names_beside_it_count(llama: tuple[Path, dict[bytes, int]]) -> None:
    folder, ranks = llama
    count = len(ranks)
    named = {str(count): {"content": "<|start|>"}, str(count + 1): {"content": "<|stop|>"}}
    config = {"added_tokens_decoder": named, "bos_token": "<|start|>", "eos_token": "<|stop|>"}
    write_json(folder / "tokenizer_config.json", config | {"add_eos_token": True})
    ours = Ours.from_folder(folder, spec(family="Llama"))
    assert ours.vocab_size == count + 2
    assert ours.encode("the").pieces == ("<|start|>", "the", "<|stop|>")


def test_qwen(tmp_path: Path) -> None:
    ranks = trained(QWEN)
    write(tmp_path / "qwen.tiktoken", ranks)
    ours = Ours.from_folder(tmp_path, spec(family="Qwen"))
    for text in TEXTS:
        ids = expected(unicodedata.normalize("NFC", text), ranks, QWEN)
        assert list(ours.encode(text).ids) == ids  # nothing is put around it
    assert expected("2024", ranks, QWEN) != expected("2024", trained(LLAMA), LLAMA)
    count = len(ranks)
    assert [ours.piece(count + i) for i in range(4)] == [
        *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|extra_0|>"),
    ]
    assert ours.encode("<|im_end|>").ids == (count + 2,)
    assert ours.pad_id == count


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text("abc", min_size=2, max_size=6), min_size=1, max_size=25, unique=True),
    st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=8),
)
def test_any_ranks_merge_as_tiktoken_merges_them(pieces: list[str], words: list[str]) -> None:
    """Also where a piece comes before those it is made of, or can be made in several ways."""
    ranks = {bytes((byte,)): byte for byte in range(256)}
    ranks |= {piece.encode(): 256 + i for i, piece in enumerate(pieces)}
    letters = {piece.decode("latin-1"): rank for piece, rank in ranks.items()}
    made = byte_level(letters | _rest(letters), merges(ranks), "llama-bpe", whole_words=True)
    for word in words:
        assert made.encode(word).ids == merged(word.encode(), ranks)


def _rest(letters: Mapping[str, int]) -> dict[str, int]:
    """The printable letters that stand for the other bytes."""
    from core.spelling import BYTE_OF

    return {letter: byte for letter, byte in BYTE_OF.items() if letter not in letters}


def test_a_model_of_the_same_name_may_be_sentencepiece_s(tmp_path: Path) -> None:
    sentence_piece(tmp_path / "tokenizer.model", "bpe", size=60)
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    assert Ours.from_folder(tmp_path, spec(family="Llama")).spelling == "sentencepiece"


Spoil = Callable[[str], str]


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda text: text + "no base64!\n", r"line \d+ is 'no base64!'"),
        (lambda text: text + "YQ 999\n", r"line \d+ is 'YQ 999'"),
        (lambda text: text.replace(" 300\n", " 301\n"), "the same rank"),
        (lambda text: "\n".join(text.splitlines()[3:]) + "\n", "3 of the 256 bytes"),
    ],
)
def test_a_broken_one(llama: tuple[Path, dict[bytes, int]], spoil: Spoil, cause: str) -> None:
    path = llama[0] / "tokenizer.model"
    path.write_text(spoil(path.read_text("ascii")), "ascii")
    with pytest.raises(CheckpointError, match=cause) as caught:
        Ours.from_folder(llama[0], spec(family="Llama"))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["tokenizer.model", "cl100k_base.tiktoken"])
def test_of_another_family_it_does_not_say_enough(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, trained(LLAMA))
    write_json(tmp_path / "config.json", {"model_type": "gpt_neox"})
    with pytest.raises(CheckpointError, match="not how texts are cut"):
        Ours.from_folder(tmp_path, spec(family="GPT-NeoX"))

"""Tokenizers of GGUF files read texts as the ones they were made from."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import gguf
import pytest
import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from core import load_model
from core.text.splits import cut_as
from tests.core.checkpoints.conftest import IDS, Saved
from tests.core.checkpoints.gguf_writing import write

CORPUS = [
    "The cat sat on the mat, and the dog's bone wasn't there.",
    "In 1984 there were 365 days; it's 2024 now.",
    "naïve café 東京 😀!  two  spaces\nnew lines\n\n",
] * 20
TEXTS = ["The cat's 1984 mats", " spaced  out\n\nlines", "café 😀 東京", "they'll see 12345!"]


@pytest.mark.parametrize("pre", ["gpt-2", "smollm"])
def test_a_byte_level_tokenizer(
    originals: Callable[[str], Saved], tmp_path: Path, pre: str
) -> None:
    made = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = (
        level
        if pre == "gpt-2"
        else pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), level])
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, special_tokens=["<|end|>"]),
    )
    made.save(str(tmp_path / "tokenizer.json"))
    import json

    merges = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["model"]["merges"]
    vocab = sorted(made.get_vocab().items(), key=lambda item: item[1])

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list([piece for piece, _ in vocab])
        writer.add_token_types([3] + [1] * (len(vocab) - 1))
        writer.add_token_merges([" ".join(m) if isinstance(m, list) else m for m in merges])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(0)

    path = write(tmp_path / "t.gguf", originals("llama").model, more=describe)
    tokenizer = load_model(path).tokenizer
    assert tokenizer is not None
    for text in TEXTS:
        assert list(tokenizer.encode(text).ids) == made.encode(text).ids
        assert tokenizer.decode(made.encode(text).ids) == text
    assert tokenizer.is_special(0)
    assert tokenizer.encode("a<|end|>").ids[-1] == 0


def test_a_sentencepiece_tokenizer(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    stored = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_writer=stored,
        model_type="bpe",
        vocab_size=360,
        byte_fallback=True,
        character_coverage=0.98,
        remove_extra_whitespaces=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    made = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    count = made.get_piece_size()

    def kind(i: int) -> int:
        return 2 if made.is_unknown(i) else 3 if made.is_control(i) else 6 if made.is_byte(i) else 1

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("llama")
        writer.add_token_list([made.id_to_piece(i) for i in range(count)])
        writer.add_token_scores([made.get_score(i) for i in range(count)])
        writer.add_token_types([kind(i) for i in range(count)])
        writer.add_unk_token_id(0)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_add_bos_token(True)

    path = write(tmp_path / "s.gguf", originals("llama").model, more=describe)
    tokenizer = load_model(path).tokenizer
    assert tokenizer is not None
    assert tokenizer.notes == ()  # the file itself says that <s> is added
    for text in TEXTS:
        if "\n" in text:
            continue  # sentencepiece itself reads a line at a time
        assert list(tokenizer.encode(text).ids) == [1, *made.encode(text)]
        assert tokenizer.decode(made.encode(text)) == text


@pytest.mark.parametrize(
    ("name", "same"),
    [("llama3", "llama-bpe"), ("llama-v3", "llama-bpe"), ("deepseek-r1-qwen", "qwen2")],
)
def test_further_names_of_a_way_to_cut(
    originals: Callable[[str], Saved], tmp_path: Path, name: str, same: str
) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())

    def read(pre: str) -> list[tuple[int, ...]]:
        def describe(writer: gguf.GGUFWriter) -> None:
            writer.add_tokenizer_model("gpt2")
            writer.add_tokenizer_pre(pre)
            writer.add_token_list([*letters, "12", "123", "1234", "Ġ1"])
            writer.add_token_types([1] * (len(letters) + 4))
            writer.add_token_merges(["1 2", "12 3", "123 4", "Ġ 1"])

        path = write(tmp_path / f"{pre}.gguf", originals("llama").model, more=describe)
        tokenizer = load_model(path).tokenizer
        assert tokenizer is not None
        return [tokenizer.encode(text).ids for text in ("x 1234", "1234's", *TEXTS)]

    assert read(name) == read(same)
    assert read(name) != read("gpt-2")


@pytest.mark.parametrize(
    ("pre", "text", "words"),
    [
        ("tekken", "helloWorld JSONParser", "hello|World|ĠJSONParser"),
        ("tekken", "don't say 2024!//\n\nx", "don|'t|Ġsay|Ġ|2|0|2|4|!//ĊĊ|x"),
        ("tekken", "éÀ  two", "Ã©|ÃĢ|Ġ|Ġtwo"),
        ("deepseek-coder", "helloWorld a+b, 2024\n\nx", "helloWorld|Ġa|+|b|,|Ġ|2|0|2|4|Ċ|Ċ|x"),
        ("deepseek-coder", "ab 你好, ok", "ab|Ġ|ä½łå¥½|,|Ġok"),
        ("deepseek-llm", "helloWorld a+b, 2024\n\nx", "helloWorld|Ġa|+|b|,|Ġ|2024|Ċ|Ċ|x"),
        ("deepseek-llm", "café 好。不  ", "caf|Ã©|Ġ|å¥½|ãĢĤ|ä¸į|ĠĠ"),
    ],
)
def test_words_of_other_ways_to_cut(pre: str, text: str, words: str) -> None:
    made = Tokenizer(models.BPE())
    cut_as(made, pre)
    assert made.pre_tokenizer is not None
    assert [word for word, _ in made.pre_tokenizer.pre_tokenize_str(text)] == words.split("|")


@pytest.mark.parametrize(
    ("pre", "said", "begins"),
    [
        ("llama-bpe", None, True),
        ("llama3", None, True),
        ("tekken", None, True),
        ("llama-bpe", False, False),
        ("gpt-2", None, False),
        ("qwen2", None, False),
        ("gpt-2", True, True),
    ],
)
def test_which_byte_level_texts_begin_with_the_start_token(
    originals: Callable[[str], Saved], tmp_path: Path, pre: str, said: bool | None, begins: bool
) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(["<|begin|>", *letters])
        writer.add_token_types([3] + [1] * len(letters))
        writer.add_token_merges([])
        writer.add_bos_token_id(0)
        if said is not None:
            writer.add_add_bos_token(said)

    tokenizer = load_model(
        write(tmp_path / "b.gguf", originals("llama").model, more=describe)
    ).tokenizer
    assert tokenizer is not None
    assert (tokenizer.encode("ab").ids[0] == 0) is begins
    assert len(tokenizer.encode("ab").ids) == 2 + begins


def test_an_unknown_tokenizer_leaves_the_ids(
    originals: Callable[[str], Saved], tmp_path: Path
) -> None:
    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("babel")
        writer.add_token_list(["a"])

    model = load_model(write(tmp_path / "u.gguf", originals("llama").model, more=describe))
    assert model.tokenizer is None
    assert any("babel" in note for note in model.notes)
    assert model.trace(ids=IDS).logits.isfinite().all()

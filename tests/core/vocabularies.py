"""Tiny tokenizers, trained on the spot, in every format a checkpoint may bring."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from core.spec import (
    AttentionSpec,
    BlockSpec,
    EmbeddingSpec,
    FeedForwardSpec,
    ModelSpec,
    NormSpec,
    SpecialIds,
    StackSpec,
)

SENTENCES = (
    "the cat sat on the rug",
    "a dog ran to the red house",
    "hello world, this is a small text",
    "thank you for inviting me to your party last week",
    "the rug is red and the house is small",
)
WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("the", "cat", "sat", "play", "##ing", "##ed", "rug", "a", "!", "e", "##e", "f", "##i"),
)


def spec(
    segments: int = 0,
    *,
    family: str = "test",
    special: SpecialIds | None = None,
    vocab: int = 2000,
) -> ModelSpec:
    """A one-layer encoder; only its segments, special ids and size matter to a tokenizer."""
    block = BlockSpec(
        attention=AttentionSpec(d_model=4, heads=1, kv_heads=1, d_head=4),
        feedforward=FeedForwardSpec(d_model=4, d_ff=4, activation="gelu"),
        norm=NormSpec(),
        residual="post",
    )
    embedding = EmbeddingSpec(vocab=vocab, d_model=4, segments=segments)
    encoder = StackSpec(name="encoder", embedding=embedding, blocks=(block,))
    return ModelSpec(family=family, name=family, encoder=encoder, special=special or SpecialIds())


def write_json(path: Path, values: object) -> None:
    path.write_text(json.dumps(values), encoding="utf-8")


def write_words(folder: Path, words: Iterable[str] = WORDS, **config: object) -> Path:
    """vocab.txt with tokenizer_config.json."""
    folder.joinpath("vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    if config:
        write_json(folder / "tokenizer_config.json", config)
    return folder


def byte_level(
    *special: str, size: int = 24, texts: Sequence[str] = ("the cat", "the rug") * 8
) -> Tokenizer:
    """Byte-level BPE; `size` merges and special tokens beyond the 256 bytes at most."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + size,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


def write_byte_level(folder: Path, *special: str, **config: object) -> Path:
    """vocab.json and merges.txt with tokenizer_config.json."""
    byte_level(*special).model.save(str(folder))
    if config:
        write_json(folder / "tokenizer_config.json", config)
    return folder


def starts(made: Tokenizer, token: str) -> Tokenizer:
    """With a post-processor that puts `token` in front, as Llama 3 has it."""
    made.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(
                single=f"{token} $A",
                pair=f"{token} $A {token}:1 $B:1",
                special_tokens=[(token, made.token_to_id(token))],
            ),
        ]
    )
    return made


def byte_fallback() -> Tokenizer:
    """Llama 2's kind of tokenizer.json: ▁ for spaces, bytes for what is no piece."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += ["▁", "t", "h", "e", "a", "!", "th", "the", "▁the"]
    made = Tokenizer(
        models.BPE(
            vocab={piece: i for i, piece in enumerate(pieces)},
            merges=[("t", "h"), ("th", "e"), ("▁", "the")],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    made.add_special_tokens(["<unk>", "<s>", "</s>"])
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    return made


def sentence_piece(
    path: Path, kind: str = "unigram", size: int = 60, **options: object
) -> SentencePieceProcessor:
    """A SentencePiece model written to `path`."""
    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 8),
        model_writer=written,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    path.write_bytes(written.getvalue())
    return SentencePieceProcessor.from_file(str(path))

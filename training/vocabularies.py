"""The three tokenizers, trained on the training texts only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

ENCODER_SIZE, DECODER_SIZE, TRANSLATOR_SIZE = 4000, 4096, 6000
CHINESE_CHARACTERS = 2800  # the commonest; rarer ones are <unk>
BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
DECODER_SPECIAL = ("<s>", "</s>")
TRANSLATOR_SPECIAL = ("<pad>", "<s>", "</s>", "<unk>", "<2en>", "<2zh>")


def encoder_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """Lower-cased WordPiece with BERT's [CLS] A [SEP] B [SEP]."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=ENCODER_SIZE, special_tokens=list(BERT_SPECIAL), limit_alphabet=80
    )
    tokenizer.train_from_iterator(texts, trainer)
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", cls), ("[SEP]", sep)],
    )
    return tokenizer


def decoder_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """Byte-level BPE; a text begins with <s>."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=DECODER_SIZE,
        special_tokens=list(DECODER_SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 0)]
    )
    return tokenizer


def translator_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """One BPE for both languages: a Chinese character is a piece, a space is a ▁; ends in </s>.

    No ▁ is put in front of a text, so that decoding gives back exactly what was written, save that
    white space of any kind and length comes back as one space.
    """
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    # The pieces know single spaces alone.
    blank = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), blank])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="never"),
            # Chinese characters and marks one by one; Latin punctuation apart, but not "don't".
            pre_tokenizers.Split(
                Regex(r"[\u2e80-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef]"), "isolated"
            ),
            pre_tokenizers.Split(Regex(r"[^\p{L}\p{N}▁'\-]"), "isolated"),
        ]
    )
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="never")
    trainer = trainers.BpeTrainer(
        vocab_size=TRANSLATOR_SIZE,
        special_tokens=list(TRANSLATOR_SPECIAL),
        limit_alphabet=CHINESE_CHARACTERS,
        min_frequency=2,
    )
    tokenizer.train_from_iterator(texts, trainer)
    for token in ("<2en>", "<2zh>"):
        tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)]
    )
    return tokenizer


def flat(parts: Iterable[Iterable[str]]) -> Iterator[str]:
    """All texts of all parts."""
    for part in parts:
        yield from part

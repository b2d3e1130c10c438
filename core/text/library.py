"""The engine on Hugging Face's `tokenizers`: tokenizer.json, WordPiece and byte-level BPE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import tokenizers
from tokenizers import AddedToken, models, processors

from core.spelling import CONTINUATION, SPACE, Spelling
from core.text.engine import Part
from core.text.kinds import Template
from core.text.settings import Added


class LibraryEngine:
    """Wraps one `tokenizers.Tokenizer`, which it makes its own: nothing is cut off or padded, and
    spans keep the space a piece carries."""

    def __init__(
        self, tokenizer: tokenizers.Tokenizer, *, unknown: str | None = None, split: bool = False
    ) -> None:
        """split: special tokens that are typed are ordinary text."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = split
        _keep_spaces(tokenizer.post_processor)
        self._tokenizer = tokenizer
        self._unknown = unknown

    @cached_property
    def spelling(self) -> Spelling:
        parts = (self._tokenizer.decoder, self._tokenizer.pre_tokenizer, self._tokenizer.normalizer)
        # The only way to see what a part does: its own description, as it would be pickled.
        described = [part.__getstate__().decode() for part in parts if part is not None]
        if any('"ByteLevel"' in text for text in described):
            return "bytes"
        if any(SPACE in text for text in described):
            return "sentencepiece"
        prefix = getattr(self._tokenizer.model, "continuing_subword_prefix", None)
        return "wordpiece" if prefix == CONTINUATION else "plain"

    @cached_property
    def size(self) -> int:
        return max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1) + 1

    @cached_property
    def special(self) -> frozenset[int]:
        added = self._tokenizer.get_added_tokens_decoder()
        return frozenset(
            number
            for number, token in added.items()
            if token.special and token.content != self._unknown
        )

    def encode(self, text: str, pair: str | None, *, add_special: bool) -> list[Part]:
        found = self._tokenizer.encode(text, pair, add_special_tokens=add_special)
        texts = (text, pair or "")
        parts = []
        for token, piece, offsets, segment, sequence, added in zip(
            found.ids,
            found.tokens,
            found.offsets,
            found.type_ids,
            found.sequence_ids,
            found.special_tokens_mask,
            strict=True,
        ):
            where = None if added else sequence or 0
            span = None if where is None else _span(piece, offsets, texts[where])
            parts.append(Part(id=token, span=span, sequence=where, segment=segment))
        return parts

    def piece(self, token: int) -> str | None:
        if not 0 <= token < 2**32:
            return None
        found: str | None = self._tokenizer.id_to_token(token)
        return found

    def id_of(self, piece: str) -> int | None:
        found: int | None = self._tokenizer.token_to_id(piece)
        return found

    def join(self, pieces: Sequence[str]) -> str:
        decoder = self._tokenizer.decoder
        text: str = " ".join(pieces) if decoder is None else decoder.decode(list(pieces))
        return text

    @property
    def adds_special(self) -> bool:
        """Whether its own post-processor puts tokens around a text."""
        return bool(self._tokenizer.num_special_tokens_to_add(False))

    def use_template(self, template: Template, names: dict[str, str]) -> None:
        """Puts special tokens around a text; `names`: role -> token."""

        def filled(items: Iterable[str]) -> list[str]:
            pairs = [item.partition(":") for item in items]
            return [f"{names.get(role, role)}:{segment or 0}" for role, _, segment in pairs]

        tokens = sorted({names[role] for role in template.roles})
        self._tokenizer.post_processor = processors.TemplateProcessing(
            single=filled(template.single),
            pair=filled(template.pair),
            special_tokens=[(token, self._tokenizer.token_to_id(token)) for token in tokens],
        )

    def recognise(self, token: Added) -> None:
        """Lets a token be typed; one that is no piece yet gets the next free id."""
        added = AddedToken(
            token.content,
            special=token.special,
            lstrip=token.lstrip,
            rstrip=token.rstrip,
            normalized=token.normalized,
            single_word=token.single_word,
        )
        if token.special:
            self._tokenizer.add_special_tokens([added])
        else:
            self._tokenizer.add_tokens([added])
        for derived in ("size", "special"):
            self.__dict__.pop(derived, None)

    def recognises(self, content: str) -> bool:
        return content in self.added

    @property
    def added(self) -> dict[str, Added]:
        """The tokens that are recognised before the text is cut, by what they are."""
        return {
            token.content: Added(
                content=token.content,
                special=token.special,
                lstrip=token.lstrip,
                rstrip=token.rstrip,
                normalized=token.normalized,
                single_word=token.single_word,
            )
            for token in self._tokenizer.get_added_tokens_decoder().values()
        }

    @property
    def is_wordpiece(self) -> bool:
        return isinstance(self._tokenizer.model, models.WordPiece)


def _span(piece: str, offsets: tuple[int, int], text: str) -> tuple[int, int] | None:
    """None for a space the tokenizer put before the text: it stands for no character."""
    start, end = offsets
    if start >= end or (not piece.strip("Ġ▁") and not text[start:end].isspace()):
        return None
    return start, end


def _keep_spaces(processor: Any) -> None:
    """Switches off trim_offsets, which leaves a piece that is only a space without a span."""
    if isinstance(processor, processors.Sequence):
        parts: Any = processor  # it can be iterated, its stub does not say so
        for part in parts:
            _keep_spaces(part)
    elif isinstance(processor, processors.ByteLevel | processors.RobertaProcessing):
        processor.trim_offsets = False

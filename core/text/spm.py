"""The engine on `sentencepiece`: T5, Llama, XLM-R, ALBERT, DeBERTa, Pegasus, mBART, Marian."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from core.errors import CheckpointError
from core.spelling import SPACE, Spelling, byte_piece
from core.text.engine import Part
from core.text.kinds import Template
from core.text.settings import Added

Fold = Callable[[str], tuple[str, list[tuple[int, int]]]]
"""Text -> (changed text, for each of its characters (start, end) in the original)."""


_NO_SPACE_FIRST = b"\x1a\x02\x18\x00"
"""normalizer_spec { add_dummy_prefix: false } in the models' format, protocol buffers: of a field
that is there twice the later values count, so behind a model it changes this value alone."""


def open_model(path: Path, *, bare: bool = False) -> SentencePieceProcessor:
    """CheckpointError when the file is no SentencePiece model. bare: without the space that the
    model may put before a text."""
    try:
        if bare:
            return SentencePieceProcessor(model_proto=path.read_bytes() + _NO_SPACE_FIRST)
        return SentencePieceProcessor.from_file(str(path))
    except (OSError, RuntimeError, ValueError) as error:
        raise CheckpointError(
            f"{path} is not a SentencePiece model ({str(error).splitlines()[0]}); a tokenizer of "
            "another kind needs its tokenizer.json"
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """pieces: by model id, None for a gap. ids: SentencePiece id -> model id. special: model ids
    that stand for no text. typed: tokens recognised when a person types them, with their flags;
    `normalized` counts for nothing here."""

    pieces: tuple[str | None, ...]
    ids: tuple[int, ...]
    special: frozenset[int]
    typed: tuple[Added, ...]


class SentencePieceEngine:
    """One model and its vocabulary."""

    spelling: Spelling = "sentencepiece"

    def __init__(
        self,
        processor: SentencePieceProcessor,
        vocabulary: Vocabulary,
        *,
        template: Template,
        names: dict[str, str],
        fold: Fold | None = None,
        by_punctuation: bool = False,
        inner: SentencePieceProcessor | None = None,
    ) -> None:
        """inner: reads what stands behind a typed token, where that is not as at the start."""
        self._processor = processor
        self._inner = inner or processor
        self._vocabulary = vocabulary
        self._template = template
        self._names = names
        self._fold = fold
        self._by_punctuation = by_punctuation
        longest_first = sorted(vocabulary.typed, key=lambda token: len(token.content), reverse=True)
        self._typed = re.compile("|".join(map(_pattern, longest_first)) or r"(?!)")
        self._groups = tuple(token.content for token in longest_first)

    @property
    def size(self) -> int:
        return len(self._vocabulary.pieces)

    @property
    def special(self) -> frozenset[int]:
        return self._vocabulary.special

    @cached_property
    def _id_of(self) -> dict[str, int]:
        numbered = [(piece, i) for i, piece in enumerate(self._vocabulary.pieces)]
        # Of equal pieces the first counts.
        return {piece: i for piece, i in reversed(numbered) if piece is not None}

    def piece(self, token: int) -> str | None:
        return self._vocabulary.pieces[token] if 0 <= token < self.size else None

    def id_of(self, piece: str) -> int | None:
        return self._id_of.get(piece)

    def encode(self, text: str, pair: str | None, *, add_special: bool) -> list[Part]:
        template = self._template.single if pair is None else self._template.pair
        parts: list[Part] = []
        for item in template:
            what, _, segment = item.partition(":")
            if what in ("$A", "$B"):
                sequence = int(what == "$B")
                words = text if pair is None or not sequence else pair
                parts += self._read(words, sequence, int(segment or 0))
            elif add_special:
                token = self._id_of[self._names[what]]
                parts.append(Part(id=token, span=None, sequence=None, segment=int(segment or 0)))
        return parts

    def join(self, pieces: Sequence[str]) -> str:
        text = "".join(
            piece if piece in self._groups else piece.replace(SPACE, " ") for piece in pieces
        )
        if self._shrinks:
            return text.lstrip(" ")
        return text.removeprefix(" ") if self._prefixes else text

    @cached_property
    def _prefixes(self) -> bool:
        """Whether the model puts a space before a text (add_dummy_prefix)."""
        pieces: list[str] = self._processor.encode("a", return_type=str)
        return pieces[0].startswith(SPACE)

    @cached_property
    def _shrinks(self) -> bool:
        """Whether the model drops superfluous spaces (remove_extra_whitespaces)."""
        one, more = self._processor.encode("a"), self._processor.encode("  a")
        return bool(one == more)

    def _read(self, text: str, sequence: int, segment: int) -> Iterator[Part]:
        """Typed special tokens are cut out first; the model reads what lies between them."""
        at = 0
        for found in self._typed.finditer(text):
            yield from self._plain(text, at, found.start(), sequence, segment)
            token = self._id_of[self._groups[(found.lastindex or 1) - 1]]
            yield Part(id=token, span=found.span(), sequence=sequence, segment=segment)
            at = found.end()
        yield from self._plain(text, at, len(text), sequence, segment)

    def _plain(
        self, text: str, start: int, end: int, sequence: int, segment: int
    ) -> Iterator[Part]:
        """What stands between typed tokens: as a whole, or a punctuation mark at a time."""
        runs = list(punctuation_apart(text, start, end)) if self._by_punctuation else []
        for first, last in runs or [(start, end)]:
            yield from self._run(text, first, last, sequence, segment)
            if last < end and text[last - 1].isspace():
                # DeBERTa's rule: a space before a mark is a word of its own.
                token = self._vocabulary.ids[self._processor.piece_to_id(SPACE)]
                yield Part(id=token, span=(last - 1, last), sequence=sequence, segment=segment)

    def _run(self, text: str, start: int, end: int, sequence: int, segment: int) -> Iterator[Part]:
        words = text[start:end]
        origin = [(i, i + 1) for i in range(len(words))]
        if self._fold is not None:
            words, origin = self._fold(words)
        processor = self._inner if start else self._processor
        found = processor.encode(words, return_type="offset_mapping")
        spans = _whole_spans(found["pieces"], found["offsets"])
        for token, span in zip(found["ids"], spans, strict=True):
            if span is not None:
                span = (start + origin[span[0]][0], start + origin[span[1] - 1][1])
            yield Part(
                id=self._vocabulary.ids[token], span=span, sequence=sequence, segment=segment
            )


def _pattern(token: Added) -> str:
    """A group that finds a token in a text, with the spaces it takes along."""
    found = re.escape(token.content)
    if token.single_word:
        found = rf"(?<!\w){found}(?!\w)"
    before, after = (r"\s*" if strips else "" for strips in (token.lstrip, token.rstrip))
    return f"({before}{found}{after})"


def punctuation_apart(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of text[start:end]: punctuation marks, and what stands between them."""
    at = start
    for i in range(start, end):
        if _is_mark(text[i]):
            if at < i:
                yield at, i
            yield i, i + 1
            at = i + 1
    if at < end:
        yield at, end


def _is_mark(character: str) -> bool:
    return character in string.punctuation or unicodedata.category(character).startswith("P")


def _whole_spans(
    pieces: Sequence[str], offsets: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int] | None]:
    """Of pieces that share a character (its bytes, the letters of a ligature) SentencePiece gives
    only the last one the character; here each of them gets it."""
    for piece, (start, end) in zip(pieces, offsets, strict=True):
        if end > start:
            yield start, end
        elif piece.strip(SPACE) or byte_piece(piece) is not None:
            yield start, start + 1
        else:
            yield None

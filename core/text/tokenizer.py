"""Text to tokens and back, for every tokenizer a checkpoint may bring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import tokenizers

from core.arguments import check_text, whole_numbers
from core.errors import RequestError
from core.spec import ModelSpec, SpecialIds
from core.spelling import Spelling, byte_piece, piece_bytes, readable
from core.text import hints
from core.text.engine import Opened, Part
from core.text.folder import open_file, open_folder, sources
from core.text.hints import MaskHint
from core.text.kinds import ANGLE, SQUARE
from core.text.library import LibraryEngine
from core.text.settings import Settings
from core.text.whole import complete
from core.tokens import Tokens


class Tokenizer:
    """One checkpoint's tokenizer.

    source: the file or files it was read from. notes: sentences about what had to be assumed.
    mask_id, pad_id, unk_id, mask_piece, pad_piece: None where the model has none. target: reads and
    writes the texts of an encoder–decoder's decoder; mostly this one itself.
    """

    def __init__(self, opened: Opened, source: str, spec: ModelSpec | None = None) -> None:
        self._engine = opened.engine
        self._spec = spec
        self.source = source
        self.notes = opened.notes
        special = SpecialIds() if spec is None else spec.special
        self.mask_id = self._role("mask", opened.settings, special.mask)
        self.pad_id = self._role("pad", opened.settings, special.pad)
        names = (opened.settings.name("unk"), SQUARE["unk"], ANGLE["unk"])
        ids = (None if name is None else self._engine.id_of(name) for name in names)
        self.unk_id = next((token for token in ids if token is not None), None)
        self.target: Tokenizer = self
        if opened.target is not None:
            other = Opened(engine=opened.target, settings=opened.settings)
            self.target = Tokenizer(other, source, spec)

    @classmethod
    def from_folder(cls, path: str | Path, spec: ModelSpec | None = None) -> Tokenizer:
        """tokenizer.json wins over vocabulary files, these over SentencePiece models.

        CheckpointError when there is none, or the one there is cannot be understood.
        """
        return cls(*open_folder(Path(path), _family(spec)), spec)

    @classmethod
    def from_file(cls, path: str | Path, spec: ModelSpec | None = None) -> Tokenizer:
        """One tokenizer.json or SentencePiece model. CheckpointError when it is neither."""
        path = Path(path)
        return cls(open_file(path, _family(spec)), path.name, spec)

    @classmethod
    def from_library(
        cls,
        tokenizer: tokenizers.Tokenizer,
        *,
        source: str,
        settings: Settings | None = None,
        spec: ModelSpec | None = None,
    ) -> Tokenizer:
        """One built elsewhere (from a GGUF file's metadata), which it takes over.

        settings: names of special tokens and switches, as tokenizer_config.json would give them.
        """
        settings = settings or Settings.of_family(_family(spec))
        engine = LibraryEngine(tokenizer, unknown=settings.unknown, split=settings.splits_special)
        notes = complete(engine, settings, source)
        return cls(Opened(engine=engine, settings=settings, notes=notes), source, spec)

    @staticmethod
    def is_in(folder: str | Path) -> bool:
        """Whether a folder holds files of a tokenizer, readable or not."""
        return bool(sources(Path(folder)))

    # --- pieces ----------------------------------------------------------------------------------

    @property
    def spelling(self) -> Spelling:
        """How pieces write text."""
        return self._engine.spelling

    @property
    def vocab_size(self) -> int:
        """One more than the highest id; a model's vocabulary may be padded beyond it."""
        return self._engine.size

    @property
    def mask_piece(self) -> str | None:
        return None if self.mask_id is None else self.piece(self.mask_id)

    @property
    def pad_piece(self) -> str | None:
        return None if self.pad_id is None else self.piece(self.pad_id)

    def piece(self, token: int, /) -> str:
        """The spelling of an id; "⟨unused id 70⟩" for one that has none."""
        found = self._engine.piece(token)
        return f"⟨unused id {token}⟩" if found is None else found

    def id_of(self, piece: str, /) -> int | None:
        """The id of a piece as the tokenizer spells it, None when it is no piece."""
        if not isinstance(piece, str):
            raise RequestError(f"a piece is a str; {piece!r} is none")
        return self._engine.id_of(piece)

    def is_special(self, token: int, /) -> bool:
        """Whether an id stands for no text: [CLS], </s>, <mask>; [UNK] stands for a word."""
        return token in self._engine.special

    # --- text to tokens --------------------------------------------------------------------------

    def encode(self, text: str, pair: str | None = None, *, add_special: bool = True) -> Tokens:
        """Special tokens in the text are recognised, the added ones left out on request.

        A pair that is empty counts as none. Nothing is cut off. RequestError when no token comes
        out of it.
        """
        check_text("text", text, needed=True)
        check_text("pair", pair)
        pair = pair or None
        parts = self._parts(text, pair, add_special)
        if not parts:
            raise RequestError("there is nothing to read yet; type some text")
        return self._tokens(parts, text, pair)

    def encode_target(self, text: str, *, start: int) -> Tokens:
        """What a decoder reads to write this text: `start`, then the tokens without the end.

        As in training, where the target is shifted right by one; an empty text gives `start` alone.
        """
        target = self.target
        parts = target._parts(text, None, True) if text else []
        while parts and parts[-1].added:
            parts.pop()
        first = None if self._spec is None else self._spec.special.forced_first
        if first is not None and parts and parts[0].added:
            # The tokenizer may begin with the source's language, the target has its own.
            own = next(i for i, part in enumerate(parts) if not part.added)
            parts = [Part(id=first, span=None, sequence=None), *parts[own:]]
        if parts and parts[0].added and parts[0].id == start:
            parts = parts[1:]  # the tokenizer's own first token is the start already
        return target._tokens([Part(id=start, span=None, sequence=None), *parts], text, None)

    def of_ids(self, ids: Iterable[int]) -> Tokens:
        """Explicit ids with their pieces."""
        return self._tokens([Part(id=i, span=None, sequence=0) for i in ids], "", None)

    def foreign_mask(self, text: str) -> MaskHint | None:
        """Another model's mask token in the text ("[MASK]" for a "<mask>" model), and ours."""
        return hints.foreign_mask(self._engine, self.mask_piece, text)

    def warnings(self, text: str, pair: str | None = None) -> tuple[str, ...]:
        """Sentences about a text that is probably not meant as it stands."""
        return hints.doubled(self._engine, self._parts(text, pair or None, True))

    # --- tokens to text --------------------------------------------------------------------------

    def decode(
        self, ids: Sequence[int], *, skip_special: bool = True, continues: bool = False
    ) -> str:
        """The text of tokens. Unused ids stand for none; broken bytes read ⟨F0⟩, never U+FFFD.

        continues: the tokens go on with another text, so the space before their first word, which
        SentencePiece drops at the start of a text, is kept. Raises RequestError for what are no
        token ids.
        """
        return self._decode(ids, skip_special, continues, final=True)[0]

    def stream(
        self, ids: Sequence[int], *, skip_special: bool = True, continues: bool = False
    ) -> tuple[str, int]:
        """(text so far, pending bytes): the last bytes wait while they may become a character.

        Once none are pending the text equals `decode(ids)`.
        """
        return self._decode(ids, skip_special, continues, final=False)

    def _decode(
        self, ids: Sequence[int], skip_special: bool, continues: bool, *, final: bool
    ) -> tuple[str, int]:
        pieces = [
            piece
            for token in whole_numbers(ids)
            if not (skip_special and self.is_special(token))
            and (piece := self._engine.piece(token)) is not None
        ]
        if self.spelling == "bytes":
            return readable(b"".join(piece_bytes(p, "bytes") for p in pieces), final=final)
        pieces, pending = _join_bytes(pieces, final) if self._has_bytes else (pieces, 0)
        if continues:
            return self._engine.join(["x", *pieces]).removeprefix("x"), pending
        return self._engine.join(pieces), pending

    @cached_property
    def _has_bytes(self) -> bool:
        """Whether <0xF0> is a byte here and not text."""
        # Not every byte needs one: Gemma's <0x09> may be a tab.
        return any(self._engine.id_of(f"<0x{byte:02X}>") is not None for byte in range(256))

    # --- within ----------------------------------------------------------------------------------

    def _role(self, role: str, settings: Settings, configured: int | None) -> int | None:
        """The id of a special token: by the name it is given, where the model has a vector for it,
        else as the model's configuration has it, else by the name that BERT or RoBERTa gives it."""
        rows = None if self._spec is None else self._spec.stacks[0].embedding.vocab

        def known(name: str | None) -> int | None:
            found = None if name is None else self._engine.id_of(name)
            return found if found is None or rows is None or found < rows else None

        found = known(settings.name(role))
        if found is not None or configured is not None:
            return configured if found is None else found
        usual = (known(names[role]) for names in (SQUARE, ANGLE))
        return next((i for i in usual if i is not None and self.is_special(i)), None)

    def _parts(self, text: str, pair: str | None, add_special: bool) -> list[Part]:
        pair = None if pair is None else _sound(pair)
        return self._engine.encode(_sound(text), pair, add_special=add_special)

    def _tokens(self, parts: Sequence[Part], text: str, pair: str | None) -> Tokens:
        # A model without a table of segments is fed zeros; the band keeps to `sequence`.
        segmented = self._spec is None or self._spec.stacks[0].embedding.segments > 1
        return Tokens(
            ids=tuple(part.id for part in parts),
            pieces=tuple(self.piece(part.id) for part in parts),
            spans=tuple(part.span for part in parts),
            segments=tuple(part.segment if segmented else 0 for part in parts),
            sequence=tuple(part.sequence for part in parts),
            special=tuple(part.added or self.is_special(part.id) for part in parts),
            padding=(False,) * len(parts),
            text=text,
            pair=pair,
            spelling=self.spelling,
        )


def _family(spec: ModelSpec | None) -> str | None:
    return None if spec is None else spec.family


def _sound(text: str) -> str:
    """RequestError for half a surrogate pair, which no tokenizer can read."""
    for at, character in enumerate(text):
        if "\ud800" <= character <= "\udfff":
            raise RequestError(
                f"character {at + 1} of the text is half a character (U+{ord(character):04X}); "
                "delete it and type it again"
            )
    return text


def _join_bytes(pieces: list[str], final: bool) -> tuple[list[str], int]:
    """Runs of byte pieces as the text they spell: (pieces, pending bytes)."""
    found: list[str] = []
    run = b""
    for piece in pieces:
        byte = byte_piece(piece)
        if byte is not None:
            run += bytes((byte,))
            continue
        if run:
            found.append(readable(run)[0])
            run = b""
        found.append(piece)
    text, pending = readable(run, final=final)
    return [*found, text] if text else found, pending

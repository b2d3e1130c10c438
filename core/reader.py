"""What a model reads: texts or token ids, as the tokens of its source and its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.arguments import check_text, whole_numbers
from core.errors import RequestError
from core.spec import ModelSpec
from core.text import Tokenizer
from core.tokens import Tokens

LONGEST_PADDED = 4096
"""A text is padded to so many tokens at most: memory grows with their square, and more of them show
no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """name: of the model. no_text: why it reads no text, where it has no tokenizer."""

    name: str
    spec: ModelSpec
    tokenizer: Tokenizer | None
    no_text: str

    def of_text(
        self,
        text: str,
        pair: str | None,
        target: str | None,
        *,
        add_special: bool,
        pad_to: int | None,
        pad_side: str,
    ) -> tuple[Tokens, Tokens | None]:
        """(source, target), as `LoadedModel.tokenize` says."""
        tokenizer = self.tokenizer
        if tokenizer is None:
            raise RequestError(f"{self.name} cannot read text, only token ids: {self.no_text}")
        check_text("text", text, needed=True)
        check_text("pair", pair)
        check_text("target", target)
        if not text.strip():
            raise RequestError("the text is empty; give at least one word, or token ids")
        if pair is not None and self.spec.encoder is None:
            raise RequestError(f"{self.name} is decoder-only and takes one text, not a pair")
        source = tokenizer.encode(text, pair, add_special=add_special)
        again = self._reread(source) if self.spec.rereads and not target else None
        source = self._padded(source, pad_to, pad_side)
        if self.spec.architecture != "encoder-decoder":
            if target is not None:
                raise RequestError(f"{self.name} has no decoder to read a target with an encoder")
            return source, None
        if again is not None:
            return source, again
        return source, tokenizer.encode_target(target or "", start=self._start())

    def of_ids(
        self,
        ids: Sequence[int],
        target_ids: Sequence[int] | None,
        *,
        pad_to: int | None,
        pad_side: str,
    ) -> tuple[Tokens, Tokens | None]:
        """The same of ids, which are taken as they are."""
        source = self._tokens_of(ids)
        target = self._target_of(target_ids, source)
        return self._padded(source, pad_to, pad_side), target

    def _tokens_of(self, ids: Sequence[int]) -> Tokens:
        ids = whole_numbers(ids)
        return Tokens.of_ids(ids) if self.tokenizer is None else self.tokenizer.of_ids(ids)

    def _padded(self, tokens: Tokens, length: int | None, side: str) -> Tokens:
        if side not in ("left", "right"):
            raise RequestError(f"pad_side is {side!r}; supported are 'left' and 'right'")
        if length is None:
            return tokens
        (length,) = whole_numbers([length], "pad_to")
        if length < 0:
            raise RequestError(f"pad_to is {length}; it must be at least 0")
        if length > len(tokens):
            self._check_room(length)
        known = self.tokenizer
        piece = known.pad_piece if known is not None and known.pad_piece else "[PAD]"
        return tokens.padded(length, pad=self._pad(), piece=piece, side=side)

    def _check_room(self, length: int) -> None:
        own = self.spec.stacks[0].max_positions
        if own is not None and own < min(length, LONGEST_PADDED):
            raise RequestError(f"pad_to is {length}; {self.name} takes at most {own} tokens")
        if length > LONGEST_PADDED:
            raise RequestError(
                f"pad_to is {length}; a text is padded to at most {LONGEST_PADDED} tokens"
            )

    def _target_of(self, ids: Sequence[int] | None, source: Tokens) -> Tokens | None:
        if self.spec.architecture != "encoder-decoder":
            if ids is not None:
                raise RequestError(f"{self.name} takes no target")
            return None
        if ids is None and self.spec.rereads:
            return self._reread(source)
        ids = [self._start()] if ids is None else ids
        if self.tokenizer is None:
            return self._tokens_of(ids)
        return self.tokenizer.target.of_ids(whole_numbers(ids))

    def _reread(self, source: Tokens) -> Tokens:
        """The text before its last end token, from where `ClassHead` has the decoder begin."""
        ends = [i for i, token in enumerate(source.ids) if token in self.spec.special.end]
        end = ends[-1] if ends else len(source) - 1
        classes, pad = self.spec.heads.classes, self.spec.special.pad
        if classes is not None and classes.wraps:
            # The reference counts the others: with padding between them it is not the last.
            start = source.ids[sum(token != pad for token in source.ids) - 1]
        else:
            start = self._start()
        known = self.tokenizer
        piece = f"⟨{start}⟩" if known is None else known.target.piece(start)
        return source.started(start, piece, end)

    def _start(self) -> int:
        start = self.spec.special.decoder_start
        if start is None:
            raise RequestError(
                f"the configuration of {self.name} names no decoder_start_token_id, "
                "so its decoder has nothing to start from"
            )
        return start

    def _pad(self) -> int:
        pad = self.spec.special.pad
        if pad is None and self.tokenizer is not None:
            pad = self.tokenizer.pad_id
        # Padding is hidden from every query, so for a model without a pad token any id will do.
        return 0 if pad is None else pad

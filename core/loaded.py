"""A model ready to be asked: network, tokenizer, and what its checkpoint does not have."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from core.arguments import check_either, check_text, whole_numbers
from core.decoding import Decoding
from core.edits import Edit
from core.errors import RequestError
from core.finite import trouble
from core.masks import MaskChoice, choose
from core.model import Transformer
from core.request import (
    HEADS,
    LAST,
    MASKED,
    DecodeRequest,
    RunRequest,
    Sampling,
    ShouldStop,
    Step,
    Strategy,
)
from core.run import run
from core.spec import ModelSpec
from core.text import Tokenizer
from core.tokens import Tokens
from core.trace import Trace

Masks = Mapping[str, str | MaskChoice]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LoadedModel:
    """What `load_model` returns.

    source: as it was asked for ("builtin:encoder", a folder). missing: head name -> one sentence
    that says why the checkpoint cannot answer. notes: assumptions made while loading. no_text: why
    it reads no text, where it has no tokenizer.
    """

    name: str
    source: str
    spec: ModelSpec
    network: Transformer
    tokenizer: Tokenizer | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    no_text: str = "it came without a tokenizer"

    def __repr__(self) -> str:
        return f"LoadedModel({self.name}, {self.spec.architecture}, {self.parameters:,} weights)"

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    @property
    def parameters(self) -> int:
        """Number of weights; shared ones count once."""
        return sum(p.numel() for p in self.network.parameters())

    def tokenize(
        self,
        text: str,
        pair: str | None = None,
        target: str | None = None,
        *,
        add_special: bool = True,
        pad_to: int | None = None,
        pad_side: str = "right",
    ) -> tuple[Tokens, Tokens | None]:
        """(source, target): the target is None unless the model is an encoder-decoder. One that
        judges the text reads it in its decoder too where no target is given.

        Raises RequestError for what this model cannot read.
        """
        tokenizer = self._tokenizer()
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

    def request(
        self,
        text: str,
        pair: str | None = None,
        target: str | None = None,
        *,
        masks: Masks | None = None,
        edits: Iterable[Edit] = (),
        wants: Iterable[str] = (LAST, MASKED, HEADS),
        add_special: bool = True,
        pad_to: int | None = None,
        pad_side: str = "right",
    ) -> RunRequest:
        """A RunRequest for texts; masks: attention site -> "causal", "local:window=2" or a
        MaskChoice."""
        source, decoder_tokens = self.tokenize(
            text, pair, target, add_special=add_special, pad_to=pad_to, pad_side=pad_side
        )
        return self._request(source, decoder_tokens, masks, edits, wants)

    def trace(
        self,
        text: str | None = None,
        pair: str | None = None,
        target: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        target_ids: Sequence[int] | None = None,
        masks: Masks | None = None,
        edits: Iterable[Edit] = (),
        wants: Iterable[str] = (LAST, MASKED, HEADS),
        pad_to: int | None = None,
        pad_side: str = "right",
    ) -> Trace:
        """Run on a text, or on explicit token ids. Warns (RuntimeWarning) of results that are no
        finite numbers, see `core.finite`, and of what the trace has `notes` of."""
        request = self._asked(
            *(text, pair, target, ids, target_ids, masks),
            edits=edits,
            wants=wants,
            pad_to=pad_to,
            pad_side=pad_side,
        )
        found = self.run(request)
        for said in filter(None, (trouble(found), *found.notes)):
            warnings.warn(f"{self.name}: {said}", RuntimeWarning, stacklevel=2)
        return found

    def run(
        self,
        request: RunRequest,
        *,
        previous: Trace | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """See `core.run.run`."""
        return run(self.network, request, previous=previous, should_stop=should_stop)

    def trouble(self, trace: Trace) -> str:
        """See `core.finite.trouble`."""
        return trouble(trace)

    def decoding(self, request: DecodeRequest, should_stop: ShouldStop | None = None) -> Decoding:
        """A decoding to step through by hand."""
        return Decoding(self, request, should_stop)

    def decode(
        self,
        text: str | None = None,
        pair: str | None = None,
        target: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        target_ids: Sequence[int] | None = None,
        masks: Masks | None = None,
        strategy: Strategy = "greedy",
        max_new_tokens: int = 20,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        min_p: float = 0.0,
        repetition_penalty: float = 1.0,
        seed: int = 0,
    ) -> Iterator[Step]:
        """Continue a text (or write the target of a source) token by token.

        strategy: "greedy" or "sample"; `core.decoding.BeamSearch` keeps several texts at once.
        What is wrong is said at once (RequestError), not at the first step, which warns
        (RuntimeWarning) of what its trace has `notes` of.
        """
        start = self._asked(text, pair, target, ids, target_ids, masks, wants=(LAST,))
        decoding = self.decoding(
            DecodeRequest(
                run=start,
                strategy=strategy,
                max_new_tokens=max_new_tokens,
                sampling=Sampling(
                    temperature=temperature,
                    top_k=top_k,
                    top_p=top_p,
                    min_p=min_p,
                    repetition_penalty=repetition_penalty,
                ),
                seed=seed,
            )
        )
        return _all_steps(decoding, self.name)

    def _asked(
        self,
        text: str | None,
        pair: str | None,
        target: str | None,
        ids: Sequence[int] | None,
        target_ids: Sequence[int] | None,
        masks: Masks | None,
        *,
        wants: Iterable[str],
        edits: Iterable[Edit] = (),
        pad_to: int | None = None,
        pad_side: str = "right",
    ) -> RunRequest:
        """Of texts, or of token ids."""
        check_either(text, pair, target, ids, target_ids)
        if ids is None:
            source, decoder_tokens = self.tokenize(
                text or "", pair, target, pad_to=pad_to, pad_side=pad_side
            )
        else:
            source = self._tokens_of(ids)
            decoder_tokens = self._target_of(target_ids, source)
            source = self._padded(source, pad_to, pad_side)
        return self._request(source, decoder_tokens, masks, edits, wants)

    def _request(
        self,
        source: Tokens,
        target: Tokens | None,
        masks: Masks | None,
        edits: Iterable[Edit],
        wants: Iterable[str],
    ) -> RunRequest:
        if masks is not None and not isinstance(masks, Mapping):
            raise RequestError(
                f"masks is a {type(masks).__name__}; it must be a dict from attention sites, such "
                f'as {{"{self.spec.sites[0]}": "causal"}}'
            )
        if not isinstance(edits, Iterable):
            raise RequestError(f"edits is a {type(edits).__name__}; it must be a list of edits")
        chosen = tuple(sorted((site, choose(c)) for site, c in (masks or {}).items()))
        return RunRequest(
            source=source, target=target, masks=chosen, edits=tuple(edits), wants=frozenset(wants)
        )

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
        known = self.tokenizer
        piece = known.pad_piece if known is not None and known.pad_piece else "[PAD]"
        return tokens.padded(length, pad=self._pad(), piece=piece, side=side)

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

    def _tokenizer(self) -> Tokenizer:
        if self.tokenizer is None:
            raise RequestError(f"{self.name} cannot read text, only token ids: {self.no_text}")
        return self.tokenizer

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


def _all_steps(decoding: Decoding, name: str) -> Iterator[Step]:
    while decoding.finished is None:
        step = decoding.step()
        for said in () if step.index else step.trace.notes:
            warnings.warn(f"{name}: {said}", RuntimeWarning, stacklevel=2)
        yield step

"""A model ready to be asked: network, tokenizer, and what its checkpoint does not have."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from core.arguments import check_either
from core.decoding import Decoding
from core.edits import Edit
from core.errors import RequestError
from core.finite import trouble
from core.masks import MaskChoice, choose
from core.model import Transformer
from core.reader import Reader
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

    @property
    def _reader(self) -> Reader:
        return Reader(
            name=self.name, spec=self.spec, tokenizer=self.tokenizer, no_text=self.no_text
        )

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
        return self._reader.of_text(
            text, pair, target, add_special=add_special, pad_to=pad_to, pad_side=pad_side
        )

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
        repetition_penalty: float | None = None,
        seed: int = 0,
    ) -> Iterator[Step]:
        """Continue a text (or write the target of a source) token by token.

        strategy: "greedy" or "sample"; `core.decoding.BeamSearch` keeps several texts at once.
        repetition_penalty: None is the checkpoint's own.
        What is wrong is said at once (RequestError), not at the first step, which warns
        (RuntimeWarning) of what its trace has `notes` of.
        """
        start = self._asked(text, pair, target, ids, target_ids, masks, wants=(LAST,))
        own = self.spec.repetition_penalty
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
                    repetition_penalty=own if repetition_penalty is None else repetition_penalty,
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
            source, decoder_tokens = self._reader.of_ids(
                ids, target_ids, pad_to=pad_to, pad_side=pad_side
            )
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


def _all_steps(decoding: Decoding, name: str) -> Iterator[Step]:
    while decoding.finished is None:
        step = decoding.step()
        for said in () if step.index else step.trace.notes:
            warnings.warn(f"{name}: {said}", RuntimeWarning, stacklevel=2)
        yield step

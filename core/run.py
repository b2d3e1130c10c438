"""One forward pass: a RunRequest in, a Trace out.

A run may be given an earlier trace. What is still valid there is kept (`core.reuse`), so that one
more token costs one more row. Decoding is nothing but that.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from difflib import get_close_matches

import torch
from torch import Tensor

from core import edits, masks
from core.captured import Captured
from core.derive import Derived, context, end_site
from core.errors import RequestError
from core.masks import Mask
from core.model import Transformer
from core.recorder import Recorder
from core.request import ALL, HEADS, LAST, MASKED, WISHES, RunRequest, ShouldStop
from core.reuse import Handle, comparable, continue_cache, same_encoder, valid_prefix
from core.spec import ModelSpec, StackSpec
from core.tokens import Tokens
from core.trace import Trace


def run(
    network: Transformer,
    request: RunRequest,
    *,
    previous: Trace | None = None,
    should_stop: ShouldStop | None = None,
) -> Trace:
    """Run `request`, reusing what `previous` has of it.

    Raises RequestError when text, masks or edits do not fit the model, Cancelled when
    `should_stop()`.
    """
    spec = network.spec
    tokens = check(spec, request)
    started = time.perf_counter()
    with torch.no_grad():
        if previous is not None and not comparable(network, request, previous):
            previous = None
        captured: dict[str, Captured] = {}
        handle: Handle | None = None
        if spec.encoder is not None:
            captured |= _run_encoder(network, request, tokens, previous, should_stop)
        if spec.decoder is not None:
            memory = captured[end_site(spec.encoder)].values[None] if spec.encoder else None
            parts, handle = _run_decoder(network, request, tokens, previous, memory, should_stop)
            captured |= parts
        edited = frozenset(edit.site for edit in request.edits)
        _check_met(edited, captured)
        trace = Trace(
            request=request,
            spec=spec,
            tokens=tokens,
            captured=captured,
            derive=Derived(network),
            milliseconds=1000 * (time.perf_counter() - started),
            edited=edited,
            cache=handle,
            notes=_notes(request, tokens),
        )
        _prepare(trace, request)
    return trace


def check(spec: ModelSpec, request: RunRequest) -> Mapping[str, Tokens]:
    """Stack name -> Tokens, or RequestError in one sentence."""
    for site, choice in request.masks:
        if site not in spec.sites:
            raise RequestError(
                f"{spec.name} has no attention site {site!r}; it has {', '.join(spec.sites)}"
            )
        masks.check(choice, site)
    for edit in request.edits:
        edits.check(edit)
    unknown = request.wants - WISHES
    if unknown:
        raise RequestError(
            f"unknown wish {min(unknown)!r} in wants; there are {', '.join(sorted(WISHES))}"
        )
    tokens: dict[str, Tokens] = {spec.stacks[0].name: request.source}
    if spec.architecture == "encoder-decoder":
        if request.target is None:
            raise RequestError(f"{spec.name} needs a target for its decoder; none was given")
        tokens["decoder"] = request.target
    elif request.target is not None:
        raise RequestError(
            f"{spec.name} is {spec.architecture}-only and takes no target beside the text"
        )
    for name, found in tokens.items():
        _check_tokens(spec, spec.stack(name), found)
    return tokens


def _notes(request: RunRequest, tokens: Mapping[str, Tokens]) -> tuple[str, ...]:
    """What could not be taken at its word."""
    return tuple(
        f"at {site}, {said}"
        for site, choice in request.masks
        for said in masks.beyond_text(choice, tokens[site.split(".")[0]].real())
    )


def _check_met(edited: frozenset[str], captured: Mapping[str, Captured]) -> None:
    """RequestError for an edit of a value that the run never made."""
    for site in sorted(edited - captured.keys()):
        attentions = [name.removesuffix("q") for name in captured if name.endswith(".q")]
        unseen = [f"{one}{part}" for one in attentions for part in ("scores", "pattern")]
        near = get_close_matches(site, [*captured, *unseen], n=3, cutoff=0.4)
        hint = f"; there are, near it: {', '.join(near)}" if near else ""
        raise RequestError(f"the edit of {site} changes nothing, for there is no such value{hint}")


def _check_tokens(spec: ModelSpec, stack: StackSpec, tokens: Tokens) -> None:
    real = tokens.real()
    if real == 0:
        raise RequestError(f"the text for the {stack.name} is empty; type at least one word")
    if stack.max_positions is not None and real > stack.max_positions:
        raise RequestError(
            f"the text has {real} tokens; {spec.name} takes at most {stack.max_positions}"
        )
    vocab = stack.embedding.vocab
    outside = next((token for token in tokens.ids if not 0 <= token < vocab), None)
    if outside is not None:
        raise RequestError(f"token id {outside} is outside the vocabulary of {vocab} entries")
    kinds = max(stack.embedding.segments, 1)
    if stack.embedding.segments and max(tokens.segments) >= kinds:
        raise RequestError(
            f"segment {max(tokens.segments)} was asked for; {spec.name} has {kinds} segments"
        )


def _run_encoder(
    network: Transformer,
    request: RunRequest,
    tokens: Mapping[str, Tokens],
    previous: Trace | None,
    should_stop: ShouldStop | None,
) -> dict[str, Captured]:
    ids = tokens["encoder"]
    if previous is not None and same_encoder(request, previous):
        return {s: c for s, c in previous.captured.items() if s.startswith("encoder.")}
    device = _device(network)
    rec = Recorder(request.edits, should_stop=should_stop)
    stack = network.stack("encoder")
    network.encode(
        ids.ids_tensor(device)[None],
        segments=ids.segments_tensor(device)[None],
        padding=ids.padding_tensor(device)[None],
        self_masks=masks_of(request, tokens, stack.spec, "encoder.self", device),
        rec=rec,
    )
    return {site: Captured(value, rec.axes[site]) for site, value in rec.store.items()}


def _run_decoder(
    network: Transformer,
    request: RunRequest,
    tokens: Mapping[str, Tokens],
    previous: Trace | None,
    memory: Tensor | None,
    should_stop: ShouldStop | None,
) -> tuple[dict[str, Captured], Handle]:
    device = _device(network)
    spec = network.stack("decoder").spec
    mine = tokens["decoder"]
    start = 0 if previous is None else valid_prefix(spec, request, tokens, previous)
    if previous is not None and start == len(mine) == len(previous.tokens["decoder"]):
        kept = {s: c for s, c in previous.captured.items() if s.startswith("decoder.")}
        assert isinstance(previous.cache, Handle)
        return kept, previous.cache
    start = min(start, len(mine) - 1)
    earlier: dict[str, Captured] = {}
    cache = network.new_cache()
    if previous is not None and start > 0:
        earlier = {
            site: value if ".cross.k" in site or ".cross.v" in site else value.cropped(start)
            for site, value in previous.captured.items()
            if site.startswith("decoder.")
        }
        cache = continue_cache(network, previous, earlier, start)
    rec = Recorder(request.edits, should_stop=should_stop)
    network.decode(
        mine.ids_tensor(device)[None, start:],
        memory=memory,
        segments=mine.segments_tensor(device)[None, start:],
        padding=mine.padding_tensor(device)[None],
        self_masks=masks_of(request, tokens, spec, "decoder.self", device, start),
        cross_masks=(
            None
            if memory is None
            else masks_of(request, tokens, spec, "decoder.cross", device, start)
        ),
        cache=cache,
        rec=rec,
    )
    # In the order of the earlier run, whose cross-attention keys and values are not computed again.
    captured = {
        site: earlier[site]
        if site not in rec.store
        else Captured(rec.store[site], rec.axes[site], earlier.get(site))
        for site in earlier or rec.store
    }
    return captured, Handle(cache, cache.stamp, cache.length, cache.bytes)


def masks_of(
    request: RunRequest,
    tokens: Mapping[str, Tokens],
    spec: StackSpec,
    site: str,
    device: torch.device,
    start: int = 0,
) -> list[Mask]:
    """One Mask a layer; layers whose own masks agree share it."""
    choice = request.mask(site)
    where = context(tokens, site, start)
    part = site.split(".")[1]
    made: dict[tuple[bool, int | None], Mask] = {}
    result = []
    for layer in range(spec.layers):
        attention = spec.attention(part, layer)
        key = (attention.causal, attention.window)
        if key not in made:
            made[key] = masks.build(choice, where, attention).to(device)
        result.append(made[key])
    return result


def _prepare(trace: Trace, request: RunRequest) -> None:
    """Compute what is wanted now, so that looking does not have to."""
    if trace.spec.heads.vocab is not None:
        main = trace.tokens[trace.spec.main_stack.name]
        if ALL in request.wants:
            _ = trace.logits
        elif LAST in request.wants and trace.spec.decoder is not None:
            trace.logits_at(last_position(main))
        elif MASKED in request.wants and trace.spec.decoder is None:
            masked = [i for i, t in enumerate(main.ids) if t == trace.spec.special.mask]
            if masked:
                trace.logits_at(*masked)
    if HEADS in request.wants:
        _ = trace.sentence_heads


def last_position(tokens: Tokens) -> int:
    """Index of the last token that is not padding."""
    return max(i for i, padding in enumerate(tokens.padding) if not padding)


def _device(network: Transformer) -> torch.device:
    return next(network.parameters()).device

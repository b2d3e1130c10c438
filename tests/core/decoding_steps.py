"""Decoding of tiny networks, from a fixed prompt to its end."""

from __future__ import annotations

from core.decoding import Decoding
from core.model import Transformer
from core.request import DecodeRequest, RunRequest
from core.tokens import Tokens
from tests.core import tiny


def start(network: Transformer, *, masks: tuple = (), **more: object) -> Decoding:  # type: ignore[type-arg]
    target = Tokens.of_ids([2]) if network.spec.encoder is not None else None
    run = RunRequest(source=Tokens.of_ids(tiny.ids(8)), target=target, masks=masks)
    request = DecodeRequest(run=run, **{"max_new_tokens": 12, **more})  # type: ignore[arg-type]
    return Decoding(tiny.Bare(network), request)  # type: ignore[arg-type]


def finish(decoding: Decoding) -> Decoding:
    while decoding.finished is None:
        decoding.step()
    return decoding

"""Trifocal's core: the three Transformer architectures, every step of them on record.

    from core import load_model
    model = load_model("builtin:encoder")
    trace = model.trace("The cat sat on the [MASK].")
    trace.pattern("encoder.self", layer=3, head=5)

The public names below are loaded when first used, so that importing `core.spec` or `core.errors`
does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.checkpoints.load import load_model
    from core.decoding import Decoding, decode
    from core.edits import Edit
    from core.errors import Cancelled, CheckpointError, CoreError, RequestError, UnsupportedModel
    from core.loaded import LoadedModel
    from core.masks import MaskChoice
    from core.recorder import Site
    from core.request import DecodeRequest, RunRequest, Sampling, Step
    from core.run import run
    from core.tokens import Tokens
    from core.trace import Trace

_HOMES = {
    "load_model": "core.checkpoints.load",
    "Decoding": "core.decoding",
    "decode": "core.decoding",
    "Cancelled": "core.errors",
    "CheckpointError": "core.errors",
    "CoreError": "core.errors",
    "RequestError": "core.errors",
    "UnsupportedModel": "core.errors",
    "LoadedModel": "core.loaded",
    "MaskChoice": "core.masks",
    "DecodeRequest": "core.request",
    "RunRequest": "core.request",
    "Sampling": "core.request",
    "Step": "core.request",
    "run": "core.run",
    "Tokens": "core.tokens",
    "Edit": "core.edits",
    "Site": "core.recorder",
    "Trace": "core.trace",
}

__all__ = [
    "Cancelled",
    "CheckpointError",
    "CoreError",
    "DecodeRequest",
    "Decoding",
    "Edit",
    "LoadedModel",
    "MaskChoice",
    "RequestError",
    "RunRequest",
    "Sampling",
    "Site",
    "Step",
    "Tokens",
    "Trace",
    "UnsupportedModel",
    "decode",
    "load_model",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'core' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

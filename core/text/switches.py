"""Switches that tokenizer_config.json states beside a tokenizer.json: some classes of the reference
build these parts of a tokenizer anew from them, whatever the file itself says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tokenizers
from tokenizers import normalizers, pre_tokenizers

from core.text.settings import CONFIG, Settings

_WORDS = frozenset({"bert", "distilbert", "electra", "mobilebert"})
_BYTES = frozenset(
    {"gpt2", "gptneo", "gptj", "codegen", "gptneox", "roberta", "bart", "longformer", "led"}
) | {"deberta", "opt", "qwen2", "qwen3"}

_Switches = Mapping[str, tuple[str, bool | None]]
_CASE: _Switches = {
    "do_lower_case": ("lowercase", True),
    "strip_accents": ("strip_accents", None),
    "tokenize_chinese_chars": ("handle_chinese_chars", True),
}
_SPACE: _Switches = {"add_prefix_space": ("add_prefix_space", False)}
"""Switch -> what the part calls it, and what the reference takes where nothing is stated."""


def follow_switches(made: tokenizers.Tokenizer, settings: Settings, name: str) -> tuple[str, ...]:
    """Sets what is stated. Notes tell where nothing is and the reference would take its default
    against the file, and where the file has no such part."""
    if settings.built_as in _WORDS:
        switches, part = _CASE, _first(made.normalizer, normalizers.BertNormalizer)
    elif settings.built_as in _BYTES:
        switches, part = _SPACE, _first(made.pre_tokenizer, pre_tokenizers.ByteLevel)
    else:
        return ()
    stated = {
        switch: settings.values[switch]
        for switch, (_, default) in switches.items()
        if switch in settings.values
        and (isinstance(settings.values[switch], bool) or settings.values[switch] is default)
    }
    if part is None:
        listed = ", ".join(stated)
        return (f"{CONFIG} sets {listed}, for which {name} has no part.",) if stated else ()
    notes = []
    for switch, (attribute, default) in switches.items():
        own = getattr(part, attribute)
        if switch in stated:
            setattr(part, attribute, stated[switch])
        elif own != default:
            notes.append(
                f"{name} has {attribute} {_said(own)}, and {CONFIG} states no {switch}; "
                f"the file counts, while transformers takes {_said(default)} there."
            )
    return tuple(notes)


def _said(value: bool | None) -> str:
    """As JSON writes it."""
    return "null" if value is None else str(value).lower()


def _first(part: Any, kind: type) -> Any:
    """The first part of a kind, in a sequence of parts too."""
    if isinstance(part, normalizers.Sequence | pre_tokenizers.Sequence):
        parts: Any = part  # it can be iterated, its stub does not say so
        return next((found for one in parts if (found := _first(one, kind)) is not None), None)
    return part if isinstance(part, kind) else None

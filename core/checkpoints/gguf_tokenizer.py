"""The tokenizer a .gguf file carries in its metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, decoders, models, normalizers
from tokenizers import Tokenizer as Backend

from core.errors import CheckpointError
from core.spec import ModelSpec
from core.text import Tokenizer
from core.text.settings import Settings
from core.text.splits import SPLITS, byte_level

CONTROL, USER = 3, 4
ROLES = {"bos": "bos", "eos": "eos", "unknown": "unk", "padding": "pad", "mask": "mask"}


def tokenizer_of(metadata: Mapping[str, Any], path: Path, spec: ModelSpec) -> Tokenizer:
    """CheckpointError for a kind of tokenizer that is not read, or a damaged one."""
    kind, tokens = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.tokens")
    if not tokens:
        raise CheckpointError(f"{path} carries no tokenizer, so it reads token ids only")
    _check(metadata, tokens, path)
    if kind == "gpt2":
        backend = _byte_level(metadata, tokens, path)
    elif kind == "llama":
        backend = _sentencepiece(metadata, tokens)
    else:
        raise CheckpointError(
            f"{path} carries a tokenizer of kind {kind!r}; read are gpt2 and llama"
        )
    types = metadata.get("tokenizer.ggml.token_type") or []
    for token, number in zip(tokens, types, strict=False):
        if number in (CONTROL, USER):
            added = AddedToken(token, special=number == CONTROL, normalized=False)
            (backend.add_special_tokens if number == CONTROL else backend.add_tokens)([added])
    return Tokenizer.from_library(
        backend, source=path.name, settings=_settings(metadata, tokens), spec=spec
    )


_LISTS = (("tokens", str), ("merges", str), ("scores", (int, float)), ("token_type", int))


def _check(metadata: Mapping[str, Any], tokens: Any, path: Path) -> None:
    for name, kind in _LISTS:
        held = metadata.get(f"tokenizer.ggml.{name}", [])
        if not isinstance(held, list) or not all(isinstance(value, kind) for value in held):
            raise _damaged(path, f"its {name} are no list of what they should be")
    scores = metadata.get("tokenizer.ggml.scores")
    if scores and len(scores) != len(tokens):
        raise _damaged(path, f"it has {len(scores)} scores for {len(tokens)} tokens")
    for name in ROLES:
        number = metadata.get(f"tokenizer.ggml.{name}_token_id")
        if number is not None and (not isinstance(number, int) or number < 0):
            raise _damaged(path, f"the id of its {name} token is {number!r}")


def _damaged(path: Path, what: str) -> CheckpointError:
    return CheckpointError(
        f"{path} carries a damaged tokenizer, so it reads token ids only: {what}"
    )


def _settings(metadata: Mapping[str, Any], tokens: Sequence[str]) -> Settings:
    ids = {role: metadata.get(f"tokenizer.ggml.{name}_token_id") for name, role in ROLES.items()}
    byte_level = metadata.get("tokenizer.ggml.model") == "gpt2"
    begins = not byte_level or _split(metadata) in _BEGIN
    return Settings(
        said={role: tokens[i] for role, i in ids.items() if i is not None and i < len(tokens)},
        values={
            "add_bos_token": metadata.get("tokenizer.ggml.add_bos_token", begins),
            "add_eos_token": metadata.get("tokenizer.ggml.add_eos_token", False),
        },
    )


_ALSO = {"llama3": "llama-bpe", "llama-v3": "llama-bpe", "deepseek-r1-qwen": "qwen2"}
"""Further names of the same ways to cut a text (tokenizer.ggml.pre)."""
_WHOLE_WORDS = _BEGIN = {"llama-bpe", "tekken"}
"""Those that take a word that is a piece without merging, and, where the file does not say, put the
start token first, as llama.cpp does."""


def _split(metadata: Mapping[str, Any]) -> Any:
    named = metadata.get("tokenizer.ggml.pre", "default")
    return _ALSO.get(named, named)


def _byte_level(metadata: Mapping[str, Any], tokens: Sequence[str], path: Path) -> Backend:
    """GPT-2's kind: pieces of bytes, merged in a stated order."""
    pre = _split(metadata)
    if pre not in SPLITS:
        known = ", ".join((*SPLITS, *_ALSO))
        raise CheckpointError(f"{path} cuts text as {pre!r} does; known are {known}")
    vocab = {token: i for i, token in enumerate(tokens)}
    merges = []
    for pair in metadata.get("tokenizer.ggml.merges", ()):
        left, _, right = pair.partition(" ")
        # The library ends the program over a pair that it cannot merge.
        if left not in vocab or right not in vocab or left + right not in vocab:
            raise _damaged(path, f"the merge {pair!r} makes no token of its vocabulary")
        merges.append((left, right))
    return byte_level(vocab, merges, pre, whole_words=pre in _WHOLE_WORDS)


def _sentencepiece(metadata: Mapping[str, Any], tokens: Sequence[str]) -> Backend:
    """Llama's kind: the pair whose piece scores best is merged first, what is left is bytes."""
    ids = {token: i for i, token in enumerate(tokens)}
    scores = metadata.get("tokenizer.ggml.scores") or [0.0] * len(tokens)
    pairs = [
        (-scores[ids[piece]], ids[piece[:cut]], ids[piece[cut:]], piece[:cut], piece[cut:])
        for piece in tokens
        for cut in range(1, len(piece))
        if piece[:cut] in ids and piece[cut:] in ids
    ]
    unknown = metadata.get("tokenizer.ggml.unknown_token_id")
    backend = Backend(
        models.BPE(
            vocab=ids,
            merges=[(left, right) for *_, left, right in sorted(pairs)],
            unk_token=None if unknown is None or unknown >= len(tokens) else tokens[unknown],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    first = (
        [normalizers.Prepend("▁")] if metadata.get("tokenizer.ggml.add_space_prefix", True) else []
    )
    backend.normalizer = normalizers.Sequence([*first, normalizers.Replace(" ", "▁")])
    backend.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            *([decoders.Strip(" ", 1, 0)] if first else []),
        ]
    )
    return backend

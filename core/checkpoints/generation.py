"""What a checkpoint says about writing: which file counts, what is followed, what is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.checkpoints.config import Config, is_whole
from core.errors import CheckpointError
from core.spec import ModelSpec

GENERATION = "generation_config.json"

_START = "decoder_start_token_id"
_FIRST = ("eos_token_id", _START)
"""Read in generation_config.json first, and in config.json where that is silent: a text has to
begin and to end somehow."""

_RENORMALISE = "renormalize_logits"
_FOLLOWED = (
    "forced_bos_token_id",
    "forced_eos_token_id",
    "bad_words_ids",
    "suppress_tokens",
    _RENORMALISE,
)

_NEUTRAL: dict[str, float] = {
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "repetition_penalty": 1,
    "encoder_repetition_penalty": 1,
    "begin_suppress_tokens": 0,
    "exponential_decay_length_penalty": 0,
    "sequence_bias": 0,
    "min_length": 0,
    "min_new_tokens": 0,
    "guidance_scale": 1,
    "stop_strings": 0,
    "watermarking_config": 0,
}
"""What changes even the greedy text and is not followed, with the number that changes nothing."""

_ALONE = (*_FOLLOWED, *_NEUTRAL, "force_bos_token_to_be_generated")


def laid_over(values: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """config.json's values with what generation_config.json says. Where there is that file, the
    reference takes these settings from it alone; a classifier writes nothing and does not read it.
    """
    if _judges(values):
        return dict(values)
    if said.get(_START) is None:  # the beginning of sentence stands in for it
        said = {**said, _START: said.get("bos_token_id")}
    kept = {key: value for key, value in values.items() if key not in _ALONE}
    return kept | {key: said[key] for key in (*_FIRST, *_ALONE) if said.get(key) is not None}


def borrowed(values: Mapping[str, Any], said: Mapping[str, Any]) -> str | None:
    """A note where texts end only by config.json; beside the other file the reference reads no end
    there, and writes on."""
    key = "eos_token_id"
    if values.get(key) is None or said.get(key) is not None or _judges(values):
        return None
    return f"{GENERATION} names no {key}; texts end with that of config.json"


def _judges(values: Mapping[str, Any]) -> bool:
    return Config(values).architecture.endswith("ForSequenceClassification")


def followed(spec: ModelSpec, config: Config) -> ModelSpec:
    """The spec of a model that writes, with the tokens it has to write and those it must not.

    Ids outside the vocabulary have no effect. CheckpointError for what are no token ids.
    """
    if spec.decoder is None:
        return spec
    vocab = spec.decoder.embedding.vocab
    ids = {*_closed(config, spec), *config.tokens("suppress_tokens")}
    # Of several last tokens the reference makes all equally likely, and takes the first of those.
    last = min(config.tokens("forced_eos_token_id"), default=None)
    special = replace(
        spec.special,
        forced_first=_inside(_forced_first(config), vocab),
        forced_last=_inside(last, vocab),
        suppressed=tuple(sorted(id_ for id_ in ids if 0 <= id_ < vocab)),
    )
    # Anything but true is as good as silence in the reference.
    return replace(spec, special=special, renormalised=config.read(_RENORMALISE) is True)


def unfollowed(spec: ModelSpec, config: Config) -> str | None:
    """A note that names the settings which would change what is written; None where there is no
    such setting, or the model does not write."""
    if spec.decoder is None or spec.heads.vocab is None:
        return None
    names = [_named(key, config) for key in _NEUTRAL if _is_set(config, key)]
    if any(len(word) > 1 for word in _words(config)):
        names.append("bad_words_ids of several tokens")
    if not names:
        return None
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    by_hand = _is_set(config, "repetition_penalty")
    return f"decoding does not follow the {listed} that the checkpoint sets" + (
        "; a repetition penalty can be set by hand" if by_hand else ""
    )


def _is_set(config: Config, key: str) -> bool:
    """Empty lists, and the number that changes nothing, are as good as silence."""
    value = config.read(key)
    return value not in (None, _NEUTRAL[key], [], {}, "")


def _named(key: str, config: Config) -> str:
    value = config.read(key)
    return f"{key} of {value}" if isinstance(value, int | float) else key


def _inside(token: int | None, vocab: int) -> int | None:
    return token if token is not None and token < vocab else None


def _forced_first(config: Config) -> int | None:
    """The first token after the start; old files only say that it is the beginning of sentence."""
    if config.flag("force_bos_token_to_be_generated", default=False):
        return config.token("bos_token_id")
    return config.token("forced_bos_token_id")


def _closed(config: Config, spec: ModelSpec) -> list[int]:
    """Single tokens among the bad words; one that ends the text stays open, as in the reference."""
    single = [word[0] for word in _words(config) if len(word) == 1]
    return [token for token in single if token not in spec.special.end]


def _words(config: Config) -> list[list[int]]:
    words = config.read("bad_words_ids", default=[])
    lists = isinstance(words, list) and all(isinstance(word, list) for word in words)
    if not lists or not all(is_whole(id_) for word in words for id_ in word):
        raise CheckpointError(
            f"{config.path}: bad_words_ids is {words!r}; it must be a list of lists of token ids"
        )
    return [[int(id_) for id_ in word] for word in words]

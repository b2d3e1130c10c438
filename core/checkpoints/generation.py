"""What a checkpoint says about writing: which file counts, what is followed, what is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from core.checkpoints.config import Config, is_whole
from core.errors import CheckpointError
from core.spec import PENALTIES, ModelSpec, Rules

T = TypeVar("T")
GENERATION = "generation_config.json"

_START = "decoder_start_token_id"
_FIRST = ("eos_token_id", _START)
"""Read in generation_config.json first, and in config.json where that is silent: a text has to
begin and to end somehow."""

_RENORMALISE, _EARLY = "renormalize_logits", "early_stopping"
_FOLLOWED = (
    "forced_bos_token_id",
    "forced_eos_token_id",
    "bad_words_ids",
    "suppress_tokens",
    "begin_suppress_tokens",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "min_length",
    "min_new_tokens",
    "repetition_penalty",
    _RENORMALISE,
    _EARLY,
)

_NEUTRAL: dict[str, float] = {
    "encoder_repetition_penalty": 1,
    "exponential_decay_length_penalty": 0,
    "sequence_bias": 0,
    "guidance_scale": 1,
    "stop_strings": 0,
    "watermarking_config": 0,
}
"""What changes even the greedy text and is not followed, with the number that changes nothing."""
_CUTS: dict[str, float] = {"top_h": 1, "typical_p": 1, "epsilon_cutoff": 0, "eta_cutoff": 0}
"""The same of what is sampled."""

_ALONE = (*_FOLLOWED, *_NEUTRAL, *_CUTS, "force_bos_token_to_be_generated")


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
    """The spec of a model that writes, with the tokens it has to write and those it must not, and
    the penalty on tokens that are there.

    Ids outside the vocabulary have no effect. CheckpointError for what are no token ids; of other
    settings that make no sense it is noted that they are not followed.
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
    return replace(
        spec,
        special=special,
        rules=_rules(config, vocab),
        repetition_penalty=_sensible(config, lambda: _penalty(config), 1.0),
        renormalised=config.read(_RENORMALISE) is True,
        early_stopping="never" if config.read(_EARLY) == "never" else config.read(_EARLY) is True,
    )


def unfollowed(spec: ModelSpec, config: Config) -> str | None:
    """A note that names the settings which would change what is written; None where there is no
    such setting, or the model does not write."""
    if spec.decoder is None or spec.heads.vocab is None:
        return None
    ever, drawn = _listed(_NEUTRAL, config), _listed(_CUTS, config)
    what = f" the {ever}" * bool(ever) + " and" * bool(ever and drawn)
    what += f", where it samples, the {drawn}" * bool(drawn)
    return f"decoding does not follow{what} that the checkpoint sets" if what else None


def _listed(neutral: Mapping[str, float], config: Config) -> str:
    """Those that are set. Empty lists, and the number that changes nothing, are as good as
    silence."""
    values = {key: config.read(key) for key in neutral}
    names = [
        f"{key} of {value}" if isinstance(value, int | float) else key
        for key, value in values.items()
        if value not in (None, neutral[key], [], {}, "")
    ]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _rules(config: Config, vocab: int) -> Rules:
    at_least = is_whole(config.read("min_new_tokens"))  # then the other one does not count
    phrases = [tuple(word) for word in _words(config) if len(word) > 1]
    return Rules(
        no_repeat=_number(config, "no_repeat_ngram_size"),
        no_repeat_source=_number(config, "encoder_no_repeat_ngram_size"),
        phrases=tuple(word for word in phrases if 0 <= min(word) <= max(word) < vocab),
        min_length=0 if at_least else _number(config, "min_length"),
        min_new=_number(config, "min_new_tokens"),
        begin_suppressed=_sensible(config, lambda: config.tokens("begin_suppress_tokens"), ()),
    )


def _sensible(config: Config, read: Callable[[], T], neutral: T) -> T:
    """What `read` gives; where that is CheckpointError, a note and what changes nothing. As in the
    reference such a setting keeps no model from being opened."""
    try:
        return read()
    except CheckpointError as error:
        config.notes.append(f"{error}, so it is not followed")
        return neutral


def _number(config: Config, key: str) -> int:
    return _sensible(config, lambda: _whole(config, key), 0)


def _whole(config: Config, key: str) -> int:
    """Numbers below 0 are as good as 0 in the reference."""
    value = config.read(key, default=0)
    if not is_whole(value):
        raise CheckpointError(f"{config.at(key)} is {value!r}; it must be a whole number")
    return max(0, int(value))


def _penalty(config: Config) -> float:
    key, (least, most) = "repetition_penalty", PENALTIES
    value = config.number(key, default=1.0, positive=True)
    if not least <= value <= most:
        raise CheckpointError(
            f"{config.at(key)} is {value:g}; it must be between {least:g} and {most:g}"
        )
    return value


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
            f"{config.at('bad_words_ids')} is {words!r}; it must be a list of lists of token ids"
        )
    return [[int(id_) for id_ in word] for word in words]

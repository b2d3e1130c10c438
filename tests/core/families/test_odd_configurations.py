"""A configuration with any value out of place is read or refused in a sentence, never a crash."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.errors import CoreError
from core.families import families
from core.families.family import Family

ODD: tuple[object, ...] = (None, 0, -1, 1.5, 10**12, "", "odd", "1e-6", [], ["odd"], {},
                           {"odd": 1}, True, float("nan"), float("inf"))  # fmt: skip
KEYS = ("rope_parameters", "rope_scaling", "rope_theta", "layer_types", "head_dim", "id2label",
        "num_key_value_heads", "eos_token_id", "architectures", "sliding_window", "bad_words_ids",
        "pos_att_type", "feed_forward_proj", "dtype", "max_position_embeddings", "pad_token_id",
        "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "type_vocab_size",
        "tie_word_embeddings", "attention_bias", "mlp_bias", "scale_embedding", "bos_token_id",
        "forced_bos_token_id", "query_pre_attn_scalar", "final_logit_softcapping",
        "routed_scaling_factor", "partial_rotary_factor", "rotary_pct",
        "use_parallel_residual", "scale_attn_weights", "position_buckets", "is_causal", "legacy",
        "dense_act_fn", "is_gated_act", "rotary_emb_base", "local_attention")  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tiny"), [(f.name, f.tiny[0]) for f in families()], ids=[f.name for f in families()]
)
def test_one_value_out_of_place(name: str, tiny: Mapping[str, Any]) -> None:
    """And what is read is of the types a run needs: the string "1e-6" would fail only there."""
    for key in {*tiny, *KEYS}:
        for value in ODD:
            try:
                spec = describe(Config(dict(tiny) | {key: value}))
            except CoreError as error:
                text = str(error)
                assert "config.json" in text, f"{key}={value!r}: {text}"
                assert "\n" not in text
            else:
                assert not list(wrong(spec, "spec")), f"{key}={value!r}"


SCALED = {
    "rope_scaling": {
        "rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16,
        "beta_fast": 32, "beta_slow": 1,
    },
    "eos_token_id": [2, 3], "pad_token_id": 0, "bad_words_ids": [[5]], "suppress_tokens": [7],
    "max_position_embeddings": 64,
}  # fmt: skip


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_whole_numbers_may_be_written_with_a_point(family: Family) -> None:
    for tiny in family.tiny:
        plain = dict(tiny)
        if plain["model_type"] in ("llama", "mistral", "qwen2"):
            plain |= SCALED
        assert describe(Config(pointed(plain))) == describe(Config(plain))


def test_a_broken_number_is_no_whole_one() -> None:
    tiny = next(f for f in families() if f.name == "Llama").tiny[0]
    for value in (4096.5, float("inf"), float("nan")):
        with pytest.raises(CoreError, match="it must be a whole number of at least 1"):
            describe(Config(dict(tiny) | {"max_position_embeddings": value}))


def pointed(value: Any) -> Any:
    """With floats for all whole numbers."""
    if isinstance(value, dict):
        return {key: pointed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [pointed(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def wrong(value: Any, where: str) -> list[str]:
    """Fields, however deep, whose value is not of the type they are declared with."""
    found = []
    hints = _hints(type(value))
    for field in dataclasses.fields(value):
        part, place = getattr(value, field.name), f"{where}.{field.name}"
        if not fits(part, hints[field.name]):
            found.append(f"{place} is {part!r}")
        for inner in part if isinstance(part, tuple) else (part,):
            if dataclasses.is_dataclass(inner):
                found += wrong(inner, place)
    return found


_hints = functools.cache(get_type_hints)


def fits(value: Any, kind: Any) -> bool:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in get_args(kind))
    if origin is Literal:
        return value in get_args(kind)
    if origin is tuple:
        inner = get_args(kind)[0]
        return isinstance(value, tuple) and all(fits(one, inner) for one in value)
    if kind in (int, float):
        return not isinstance(value, bool) and isinstance(value, (int, kind))
    return isinstance(value, kind)


def test_phi_3s_yarn_is_longrope_and_has_to_be_named_so() -> None:
    tiny = next(f for f in families() if f.name == "Phi-3").tiny[0]
    said = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 16}
    with pytest.raises(CoreError, match="takes for 'longrope'"):
        describe(Config(dict(tiny) | {"rope_scaling": said}))

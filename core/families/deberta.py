"""DeBERTa (He et al. 2021), the first one: q, k and v in one matrix, and a vector for each distance
up to the longest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.checkpoints.changes import HeadRows
from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, fused, rename
from core.families import bert, deberta_v2
from core.families.deberta_v2 import OURS, SELF
from core.families.family import Family
from core.spec import AttentionSpec, DisentangledPositions, ModelSpec, NormSpec


def spec(config: Config) -> ModelSpec:
    config.refuse("talking_head", default=False)
    return deberta_v2.spec_of(config, "DeBERTa", attention)


def attention(config: Config, norm: NormSpec, plain: AttentionSpec) -> AttentionSpec:
    """Keys have no bias, neither of tokens nor of distances."""
    plain, terms = deberta_v2.scored(config, replace(plain, k_bias=False))
    if not config.flag("relative_attention", default=False):
        return plain
    return replace(
        plain,
        positions=DisentangledPositions(
            buckets=0,
            max_distance=deberta_v2.longest(config),
            terms=terms,
            shared=False,
            key_bias=False,
        ),
    )


def rules(spec: ModelSpec) -> Sequence[Rule]:
    """Of each head in turn q, k and v lie below one another."""
    assert spec.encoder is not None
    heads = HeadRows(spec.encoder.blocks[0].attention.heads)
    return (
        fused(
            f"{SELF}.in_proj.weight",
            f"{OURS}.q.weight",
            f"{OURS}.k.weight",
            f"{OURS}.v.weight",
            change=heads,
        ),
        rename(f"{SELF}.q_bias", f"{OURS}.q.bias"),
        rename(f"{SELF}.v_bias", f"{OURS}.v.bias"),
        rename(f"{SELF}.pos_proj.weight", f"{OURS}.distance_k.weight"),
        rename(f"{SELF}.pos_q_proj.*", f"{OURS}.distance_q.*"),
        *deberta_v2.others(spec),
    )


_TINY = bert.TINY | {
    "model_type": "deberta",
    "type_vocab_size": 0,
    "position_biased_input": False,
    "relative_attention": True,
    "pos_att_type": "c2p|p2c",
    "max_relative_positions": -1,
}

FAMILY = Family(
    name="DeBERTa",
    model_types={"deberta": "Deberta"},
    spec=spec,
    rules=rules,
    prefixes=("deberta.",),
    tiny=(
        _TINY | {"architectures": ["DebertaForMaskedLM"]},
        _TINY
        | {
            "architectures": ["DebertaForMaskedLM"],
            "legacy": False,
            "pos_att_type": ["p2c"],
            "max_relative_positions": 20,
            "type_vocab_size": 2,
            "position_biased_input": True,
        },
        _TINY | {"architectures": ["DebertaForSequenceClassification"], "pos_att_type": ["c2p"]},
        _TINY | {"architectures": ["DebertaForMaskedLM"], "relative_attention": False},
    ),
)

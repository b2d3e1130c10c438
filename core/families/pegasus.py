"""Pegasus (Zhang et al. 2020): norms before the sublayers and at the end, fixed sinusoids."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.families import bart, marian
from core.families.family import Family
from core.spec import ModelSpec


def spec(config: Config) -> ModelSpec:
    return bart.spec_of(
        config,
        "Pegasus",
        residual="pre",
        positions=marian.sinusoids(config),
        embedding_norm=False,
        final_norm=True,
    )


FAMILY = Family(
    name="Pegasus",
    model_types={"pegasus": "Pegasus"},
    spec=spec,
    rules=bart.rules,
    prefixes=("model.",),
    adapt=marian.adapt,
    tiny=(
        bart.TINY
        | {
            "model_type": "pegasus",
            "architectures": ["PegasusForConditionalGeneration"],
            "activation_function": "relu",
            "scale_embedding": True,
            "pad_token_id": 0,
            "decoder_start_token_id": 0,
            "eos_token_id": 1,
            "forced_eos_token_id": 1,
        },
    ),
)

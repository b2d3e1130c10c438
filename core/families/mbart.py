"""mBART (Liu et al. 2020): BART's form with norms before the sublayers and at the end."""

from __future__ import annotations

from dataclasses import replace

from core.checkpoints.config import Config
from core.families import bart
from core.families.family import Family
from core.spec import ModelSpec


def spec(config: Config) -> ModelSpec:
    found = bart.spec_of(
        config,
        "mBART",
        residual="pre",
        positions=bart.learned(config),
        final_norm=True,
    )
    classes = found.heads.classes
    if classes is None:
        return found
    return replace(found, heads=replace(found.heads, classes=replace(classes, wraps=True)))


FAMILY = Family(
    name="mBART",
    model_types={"mbart": "MBart"},
    spec=spec,
    rules=bart.rules,
    prefixes=("model.",),
    adapt=bart.adapt,
    tiny=(
        bart.TINY
        | {
            "model_type": "mbart",
            "architectures": ["MBartForConditionalGeneration"],
            "scale_embedding": True,
        },
    ),
)

"""ELECTRA (Clark et al. 2020): a discriminator that finds replaced tokens, and its generator."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename
from core.families import bert
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.spec import (
    ClassHead,
    Heads,
    ModelSpec,
    NormSpec,
    ReplacedHead,
    SpecialIds,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """BERT's stack on embeddings that may be narrower than d_model."""
    norm = NormSpec(eps=config.number("layer_norm_eps", default=1e-12))
    width = config.size("embedding_size")
    labelled = bert.classes(config)
    return ModelSpec(
        family="ELECTRA",
        name=config.path.parent.name,
        encoder=bert.encoder(config, norm, width=width),
        heads=Heads(
            vocab=VocabHead(
                vocab=config.size("vocab_size"),
                tied=config.flag("tie_word_embeddings", default=True),
                bias=True,
                transform="gelu",
                transform_norm=norm,
                d_transform=width,
            ),
            replaced=ReplacedHead(
                activation=config.choice("hidden_act", ACTIVATIONS, default="gelu")
            ),
            classes=None
            if labelled is None
            else ClassHead(labels=labelled.labels, pooler="inner", activation="gelu"),
        ),
        special=SpecialIds(pad=config.token("pad_token_id", default=0)),
    )


RULES: tuple[Rule, ...] = (
    *bert.ENCODER,
    rename("embeddings_project.*", "encoder.embedding.project.*"),
    rename("generator_predictions.dense.*", "heads.vocab.dense.*"),
    rename("generator_predictions.LayerNorm.*", "heads.vocab.norm.*"),
    rename("generator_lm_head.weight", "heads.vocab.weight.weight"),
    rename("generator_lm_head.bias", "heads.vocab.bias"),
    rename("discriminator_predictions.dense.*", "heads.replaced.dense.*"),
    rename("discriminator_predictions.dense_prediction.*", "heads.replaced.out.*"),
    rename("classifier.dense.*", "heads.classes.dense.*"),
    rename("classifier.out_proj.*", "heads.classes.out.*"),
    leave("classifier.*", "a classifier of tokens or choices"),
    leave("sequence_summary.summary.*", "a multiple-choice head"),
    leave("qa_outputs.*", "a question-answering head"),
)

_TINY = bert.TINY | {"model_type": "electra", "embedding_size": 20}

FAMILY = Family(
    name="ELECTRA",
    model_types={"electra": "Electra"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("electra.",),
    tiny=(
        _TINY | {"architectures": ["ElectraForPreTraining"]},
        _TINY | {"architectures": ["ElectraForMaskedLM"]},
        _TINY | {"architectures": ["ElectraForSequenceClassification"], "embedding_size": 32},
    ),
)

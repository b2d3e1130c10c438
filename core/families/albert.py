"""ALBERT (Lan et al. 2020): factorised embeddings, and one layer's weights used in all layers."""

from __future__ import annotations

from dataclasses import replace

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename, spare
from core.families import bert
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.spec import Heads, ModelSpec, NormSpec, PairHead, SpecialIds, VocabHead


def spec(config: Config) -> ModelSpec:
    """BERT's stack with shared layers; the pair head tells sentence order, not succession."""
    config.refuse("num_hidden_groups", 1, default=1)
    config.refuse("inner_group_num", 1, default=1)
    norm = NormSpec(eps=config.number("layer_norm_eps", default=1e-12))
    width = config.size("embedding_size")
    stack = bert.encoder(config, norm, activation="gelu_new")
    return ModelSpec(
        family="ALBERT",
        name=config.path.parent.name,
        encoder=replace(
            stack, embedding=replace(stack.embedding, d_embed=width), shared_layers=True
        ),
        heads=Heads(
            vocab=VocabHead(
                vocab=config.size("vocab_size"),
                tied=config.flag("tie_word_embeddings", default=True),
                bias=True,
                transform=config.choice("hidden_act", ACTIVATIONS, default="gelu_new"),
                transform_norm=norm,
                d_transform=width,
            ),
            pair=PairHead(question="Are A and B in order?", labels=("in order", "swapped")),
            classes=bert.classes(config),
        ),
        special=SpecialIds(pad=config.token("pad_token_id", default=0)),
    )


_LAYER = "encoder.albert_layer_groups.0.albert_layers.0"
_BLOCK = "encoder.blocks.0"

RULES: tuple[Rule, ...] = (
    *(rule for rule in bert.ENCODER if rule.source.startswith("embeddings.")),
    rename("encoder.embedding_hidden_mapping_in.*", "encoder.embedding.project.*"),
    rename(f"{_LAYER}.attention.query.*", f"{_BLOCK}.attention.q.*"),
    rename(f"{_LAYER}.attention.key.*", f"{_BLOCK}.attention.k.*"),
    rename(f"{_LAYER}.attention.value.*", f"{_BLOCK}.attention.v.*"),
    rename(f"{_LAYER}.attention.dense.*", f"{_BLOCK}.attention.out.*"),
    rename(f"{_LAYER}.attention.LayerNorm.*", f"{_BLOCK}.residual.self.norm.*"),
    rename(f"{_LAYER}.ffn.*", f"{_BLOCK}.feedforward.inner.*"),
    rename(f"{_LAYER}.ffn_output.*", f"{_BLOCK}.feedforward.out.*"),
    rename(f"{_LAYER}.full_layer_layer_norm.*", f"{_BLOCK}.residual.ffn.norm.*"),
    rename("pooler.*", "heads.pooler.*"),
    rename("predictions.dense.*", "heads.vocab.dense.*"),
    rename("predictions.LayerNorm.*", "heads.vocab.norm.*"),
    rename("predictions.decoder.weight", "heads.vocab.weight.weight"),
    spare("predictions.bias", "heads.vocab.bias"),  # a second name, unless the matrix is untied
    rename("predictions.decoder.bias", "heads.vocab.bias"),
    rename("sop_classifier.classifier.*", "heads.pair.*"),
    rename("classifier.*", "heads.classes.out.*"),
    leave("qa_outputs.*", "a question-answering head"),
)

_TINY = bert.TINY | {"model_type": "albert", "embedding_size": 20}

FAMILY = Family(
    name="ALBERT",
    model_types={"albert": "Albert"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("albert.",),
    tiny=(
        _TINY | {"architectures": ["AlbertForPreTraining"]},
        _TINY | {"architectures": ["AlbertForMaskedLM"]},
        _TINY | {"architectures": ["AlbertForSequenceClassification"]},
    ),
)

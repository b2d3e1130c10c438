"""DistilBERT (Sanh et al. 2019): BERT's layers without segments and pooler."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename
from core.families import bert
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.head_width import head_width
from core.spec import (
    AttentionSpec,
    BlockSpec,
    ClassHead,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    LearnedPositions,
    ModelSpec,
    NormSpec,
    SpecialIds,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Post-norm encoder; the position table is stored even where it is sinusoidal."""
    d_model = config.size("hidden_size", "dim")
    heads = config.size("num_attention_heads", "n_heads")
    vocab, rows = config.size("vocab_size"), config.size("max_position_embeddings")
    activation = config.choice("activation", ACTIVATIONS, default="gelu")
    norm = NormSpec(eps=1e-12)
    block = BlockSpec(
        attention=AttentionSpec(
            d_model=d_model, heads=heads, kv_heads=heads, d_head=head_width(config, d_model, heads)
        ),
        feedforward=FeedForwardSpec(
            d_model=d_model, d_ff=config.size("hidden_dim"), activation=activation
        ),
        norm=norm,
        residual="post",
    )
    labelled = bert.classes(config)
    return ModelSpec(
        family="DistilBERT",
        name=config.path.parent.name,
        encoder=StackSpec(
            name="encoder",
            embedding=EmbeddingSpec(
                vocab=vocab, d_model=d_model, positions=LearnedPositions(size=rows), norm=norm
            ),
            blocks=(block,) * config.size("num_hidden_layers", "n_layers"),
            max_positions=rows,
        ),
        heads=Heads(
            vocab=VocabHead(
                vocab=vocab,
                tied=config.flag("tie_word_embeddings", default=True),
                bias=True,
                transform=activation,
                transform_norm=norm,
            ),
            classes=None
            if labelled is None
            else ClassHead(labels=labelled.labels, pooler="inner", activation="relu"),
        ),
        special=SpecialIds(pad=config.token("pad_token_id", default=0)),
    )


_LAYER, _BLOCK = "transformer.layer.{i}", "encoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    rename("embeddings.word_embeddings.weight", "encoder.embedding.token.weight"),
    rename("embeddings.position_embeddings.weight", "encoder.embedding.position.weight"),
    rename("embeddings.LayerNorm.*", "encoder.embedding.norm.*"),
    leave("embeddings.position_ids"),
    rename(f"{_LAYER}.attention.q_lin.*", f"{_BLOCK}.attention.q.*"),
    rename(f"{_LAYER}.attention.k_lin.*", f"{_BLOCK}.attention.k.*"),
    rename(f"{_LAYER}.attention.v_lin.*", f"{_BLOCK}.attention.v.*"),
    rename(f"{_LAYER}.attention.out_lin.*", f"{_BLOCK}.attention.out.*"),
    rename(f"{_LAYER}.sa_layer_norm.*", f"{_BLOCK}.residual.self.norm.*"),
    rename(f"{_LAYER}.ffn.lin1.*", f"{_BLOCK}.feedforward.inner.*"),
    rename(f"{_LAYER}.ffn.lin2.*", f"{_BLOCK}.feedforward.out.*"),
    rename(f"{_LAYER}.output_layer_norm.*", f"{_BLOCK}.residual.ffn.norm.*"),
    rename("vocab_transform.*", "heads.vocab.dense.*"),
    rename("vocab_layer_norm.*", "heads.vocab.norm.*"),
    rename("vocab_projector.weight", "heads.vocab.weight.weight"),
    rename("vocab_projector.bias", "heads.vocab.bias"),
    rename("pre_classifier.*", "heads.classes.dense.*"),
    rename("classifier.*", "heads.classes.out.*"),
    leave("qa_outputs.*", "a question-answering head"),
)

_TINY = {
    "model_type": "distilbert",
    "vocab_size": 99,
    "dim": 32,
    "n_layers": 3,
    "n_heads": 4,
    "hidden_dim": 48,
    "max_position_embeddings": 64,
}

FAMILY = Family(
    name="DistilBERT",
    model_types={"distilbert": "DistilBert"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("distilbert.",),
    tiny=(
        _TINY | {"architectures": ["DistilBertForMaskedLM"]},
        _TINY | {"architectures": ["DistilBertForSequenceClassification"]},
    ),
)

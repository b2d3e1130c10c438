"""BERT (Devlin et al. 2019): pre-training, masked-word, classifier and bare checkpoints."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename, spare
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
    PairHead,
    SpecialIds,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Post-norm encoder; all heads BERT may have, those the file lacks are taken out later."""
    norm = NormSpec(eps=config.number("layer_norm_eps", default=1e-12))
    return ModelSpec(
        family="BERT",
        name=config.path.parent.name,
        encoder=encoder(config, norm),
        heads=Heads(
            vocab=VocabHead(
                vocab=config.size("vocab_size"),
                tied=config.flag("tie_word_embeddings", default=True),
                bias=True,
                transform=config.choice("hidden_act", ACTIVATIONS, default="gelu"),
                transform_norm=norm,
            ),
            pair=PairHead(),
            classes=classes(config),
        ),
        special=SpecialIds(pad=config.token("pad_token_id", default=0)),
    )


def encoder(
    config: Config,
    norm: NormSpec,
    *,
    offset: int = 0,
    uncounted: int | None = None,
    width: int | None = None,
    activation: str = "gelu",
) -> StackSpec:
    """The stack BERT shares with RoBERTa and ELECTRA.

    offset: first row of the position table that is used. uncounted: a token that takes no place
    in it. width: of the embeddings, where it is not d_model. activation: where the configuration
    states none.
    """
    config.refuse("is_decoder", default=False)
    config.refuse("add_cross_attention", default=False)
    config.refuse("position_embedding_type", "absolute", default="absolute")
    d_model, heads = config.size("hidden_size"), config.size("num_attention_heads")
    rows = config.size("max_position_embeddings")
    block = BlockSpec(
        attention=AttentionSpec(
            d_model=d_model, heads=heads, kv_heads=heads, d_head=head_width(config, d_model, heads)
        ),
        feedforward=FeedForwardSpec(
            d_model=d_model,
            d_ff=config.size("intermediate_size"),
            activation=config.choice("hidden_act", ACTIVATIONS, default=activation),
        ),
        norm=norm,
        residual="post",
    )
    return StackSpec(
        name="encoder",
        embedding=EmbeddingSpec(
            vocab=config.size("vocab_size"),
            d_model=d_model,
            d_embed=width if width not in (None, d_model) else None,
            positions=LearnedPositions(size=rows, offset=offset, uncounted=uncounted),
            segments=config.count("type_vocab_size", default=2),
            norm=norm,
        ),
        blocks=(block,) * config.size("num_hidden_layers"),
        max_positions=rows - offset,
    )


def classes(config: Config) -> ClassHead | None:
    """Sentence classes; other heads called "classifier" (of tokens, of choices) are not shown."""
    names = config.read("architectures", default=[])
    if names and not any(str(n).endswith("ForSequenceClassification") for n in names):
        return None
    return ClassHead(labels=config.labels)


ENCODER: tuple[Rule, ...] = (
    rename("embeddings.word_embeddings.weight", "encoder.embedding.token.weight"),
    rename("embeddings.position_embeddings.weight", "encoder.embedding.position.weight"),
    rename("embeddings.token_type_embeddings.weight", "encoder.embedding.segment.weight"),
    rename("embeddings.LayerNorm.*", "encoder.embedding.norm.*"),
    leave("embeddings.position_ids"),
    leave("embeddings.token_type_ids"),
    rename("encoder.layer.{i}.attention.self.query.*", "encoder.blocks.{i}.attention.q.*"),
    rename("encoder.layer.{i}.attention.self.key.*", "encoder.blocks.{i}.attention.k.*"),
    rename("encoder.layer.{i}.attention.self.value.*", "encoder.blocks.{i}.attention.v.*"),
    rename("encoder.layer.{i}.attention.output.dense.*", "encoder.blocks.{i}.attention.out.*"),
    rename(
        "encoder.layer.{i}.attention.output.LayerNorm.*", "encoder.blocks.{i}.residual.self.norm.*"
    ),
    rename("encoder.layer.{i}.intermediate.dense.*", "encoder.blocks.{i}.feedforward.inner.*"),
    rename("encoder.layer.{i}.output.dense.*", "encoder.blocks.{i}.feedforward.out.*"),
    rename("encoder.layer.{i}.output.LayerNorm.*", "encoder.blocks.{i}.residual.ffn.norm.*"),
)
"""The tensors of the stack, shared with RoBERTa and ELECTRA."""

RULES: tuple[Rule, ...] = (
    *ENCODER,
    rename("pooler.dense.*", "heads.pooler.*"),
    rename("cls.predictions.transform.dense.*", "heads.vocab.dense.*"),
    rename("cls.predictions.transform.LayerNorm.*", "heads.vocab.norm.*"),
    rename("cls.predictions.decoder.weight", "heads.vocab.weight.weight"),
    spare("cls.predictions.bias", "heads.vocab.bias"),  # a second name, unless the matrix is untied
    rename("cls.predictions.decoder.bias", "heads.vocab.bias"),
    rename("cls.seq_relationship.*", "heads.pair.*"),
    rename("classifier.*", "heads.classes.out.*"),
    leave("qa_outputs.*", "a question-answering head"),
)

TINY = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "type_vocab_size": 2,
}

_BERT = TINY | {"model_type": "bert"}

FAMILY = Family(
    name="BERT",
    model_types={"bert": "Bert"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("bert.",),
    tiny=(
        _BERT | {"architectures": ["BertForPreTraining"]},
        _BERT | {"architectures": ["BertForMaskedLM"], "hidden_act": "relu"},
        _BERT
        | {
            "architectures": ["BertForSequenceClassification"],
            "id2label": {"0": "calm", "1": "glad", "2": "sad"},
        },
        _BERT | {"architectures": ["BertModel"]},
    ),
)

"""DeBERTa-v2 and -v3 (He et al. 2021): BERT's layers with distances scored apart from content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename, spare
from core.errors import CheckpointError, UnsupportedModel
from core.families import bert
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.spec import (
    AttentionSpec,
    ClassHead,
    DisentangledPositions,
    Heads,
    ModelSpec,
    NormSpec,
    SpecialIds,
    StackSpec,
    VocabHead,
)

MakeAttention = Callable[[Config, NormSpec, AttentionSpec], AttentionSpec]


def spec(config: Config) -> ModelSpec:
    if config.count("conv_kernel_size", default=0):
        raise UnsupportedModel(
            f"{config.path} asks for a convolution beside the first layer (conv_kernel_size), as "
            "DeBERTa-v2-xlarge has; supported is none"
        )
    return spec_of(config, "DeBERTa-v2", attention)


def spec_of(config: Config, family: str, make_attention: MakeAttention) -> ModelSpec:
    """Post-norm encoder; the masked-word head comes in two spellings, the file decides. The newer
    one (`legacy` false) has no matrix but the embedding."""
    width = config.size("hidden_size")
    config.refuse("embedding_size", width, default=width)
    config.refuse("attention_head_size", width // config.size("num_attention_heads"))
    norm = NormSpec(eps=config.number("layer_norm_eps", default=1e-7))
    labelled = bert.classes(config)
    pooled = config.read("pooler_hidden_act", default="gelu")
    return ModelSpec(
        family=family,
        name=config.path.parent.name,
        encoder=encoder(config, norm, make_attention),
        heads=Heads(
            vocab=VocabHead(
                vocab=config.size("vocab_size"),
                tied=config.flag("tie_word_embeddings", default=True)
                or not config.flag("legacy", default=True),
                bias=True,
                transform=config.choice("hidden_act", ACTIVATIONS, default="gelu"),
                transform_norm=norm,
            ),
            classes=None
            if labelled is None or pooled not in ("gelu", "tanh", "relu")
            else ClassHead(labels=labelled.labels, pooler="inner", activation=pooled),
        ),
        special=SpecialIds(pad=config.token("pad_token_id", default=0)),
    )


def encoder(config: Config, norm: NormSpec, make_attention: MakeAttention) -> StackSpec:
    """BERT's stack; learned positions and segments only where the configuration has them."""
    stack = bert.encoder(config, norm)
    block = stack.blocks[0]
    embedded = stack.embedding.positions
    return replace(
        stack,
        embedding=replace(
            stack.embedding,
            positions=embedded if config.flag("position_biased_input", default=True) else None,
            segments=config.count("type_vocab_size", default=0),
        ),
        blocks=(replace(block, attention=make_attention(config, norm, block.attention)),)
        * len(stack.blocks),
    )


def attention(config: Config, norm: NormSpec, plain: AttentionSpec) -> AttentionSpec:
    plain, terms = scored(config, plain)
    if not config.flag("relative_attention", default=False):
        return plain
    buckets = max(config.count("position_buckets", default=-1, least=-1), 0)
    if buckets == 1:
        raise CheckpointError(
            f"{config.path}: position_buckets is 1; it must be at least 2, or -1 for none"
        )
    normed = "layer_norm" in str(config.read("norm_rel_ebd", default="none")).lower()
    return replace(
        plain,
        positions=DisentangledPositions(
            buckets=buckets,
            max_distance=longest(config),
            terms=terms,
            shared=config.flag("share_att_key", default=False),
            norm=norm if normed else None,
        ),
    )


def scored(config: Config, plain: AttentionSpec) -> tuple[AttentionSpec, tuple[str, ...]]:
    """(the attention with its scale, further terms of the score); each makes the scale smaller."""
    said = config.read("pos_att_type", default=[])
    terms = said.lower().split("|") if isinstance(said, str) else list(said)
    terms = [term.strip() for term in terms if term.strip()]
    for term in terms:
        if term not in ("c2p", "p2c"):
            raise UnsupportedModel(
                f"{config.path} has {term!r} in pos_att_type; supported are 'c2p' and 'p2c'"
            )
    return replace(plain, scale=(plain.d_head * (1 + len(terms))) ** -0.5), tuple(terms)


def longest(config: Config) -> int:
    """The longest distance that has a vector of its own."""
    said = config.count("max_relative_positions", default=-1, least=-1)
    return said if said >= 1 else config.size("max_position_embeddings")


SELF, OURS = "encoder.layer.{i}.attention.self", "encoder.blocks.{i}.attention"

_ATTENTION: tuple[Rule, ...] = (
    rename(f"{SELF}.query_proj.*", f"{OURS}.q.*"),
    rename(f"{SELF}.key_proj.*", f"{OURS}.k.*"),
    rename(f"{SELF}.value_proj.*", f"{OURS}.v.*"),
    rename(f"{SELF}.pos_key_proj.*", f"{OURS}.distance_k.*"),
    rename(f"{SELF}.pos_query_proj.*", f"{OURS}.distance_q.*"),
)

_REST: tuple[Rule, ...] = (
    rename("encoder.rel_embeddings.weight", "encoder.bias.weight"),
    *bert.ENCODER,
    rename("cls.predictions.transform.dense.*", "heads.vocab.dense.*"),
    rename("cls.predictions.transform.LayerNorm.*", "heads.vocab.norm.*"),
    rename("cls.predictions.decoder.weight", "heads.vocab.weight.weight"),
    spare("cls.predictions.bias", "heads.vocab.bias"),  # a second name, unless the matrix is untied
    rename("cls.predictions.decoder.bias", "heads.vocab.bias"),
    rename("lm_predictions.lm_head.dense.*", "heads.vocab.dense.*"),
    rename("lm_predictions.lm_head.LayerNorm.*", "heads.vocab.norm.*"),
    rename("lm_predictions.lm_head.bias", "heads.vocab.bias"),
    leave("mask_predictions.dense.*", "a replaced-token head of a form of its own"),
    leave("mask_predictions.LayerNorm.*", "a replaced-token head of a form of its own"),
    leave("mask_predictions.classifier.*", "a replaced-token head of a form of its own"),
    rename("pooler.dense.*", "heads.classes.dense.*"),
    rename("classifier.*", "heads.classes.out.*"),
    leave("qa_outputs.*", "a question-answering head"),
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    assert spec.encoder is not None
    relative = isinstance(spec.encoder.blocks[0].attention.positions, DisentangledPositions)
    norm = "encoder.LayerNorm.*"  # held, but not used, where there are no distances to normalise
    normed = rename(norm, "encoder.bias.norm.*") if relative else leave(norm)
    return (normed, *_ATTENTION, *others(spec))


def others(spec: ModelSpec) -> Sequence[Rule]:
    """All but the attention's. Old files hold a position table that nothing reads."""
    assert spec.encoder is not None
    unread = (leave("embeddings.position_embeddings.weight"),)
    return (*(unread if spec.encoder.embedding.positions is None else ()), *_REST)


_TINY = bert.TINY | {
    "model_type": "deberta-v2",
    "type_vocab_size": 0,
    "position_biased_input": False,
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_buckets": 8,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "max_relative_positions": -1,
}

FAMILY = Family(
    name="DeBERTa-v2",
    model_types={"deberta-v2": "DebertaV2"},
    spec=spec,
    rules=rules,
    prefixes=("deberta.",),
    tiny=(
        _TINY | {"architectures": ["DebertaV2ForMaskedLM"], "legacy": False},
        _TINY
        | {
            "architectures": ["DebertaV2ForMaskedLM"],
            "share_att_key": False,
            "pos_att_type": "c2p",
            "position_buckets": -1,
            "max_relative_positions": 20,
            "norm_rel_ebd": "none",
            "type_vocab_size": 2,
            "position_biased_input": True,
        },
        _TINY | {"architectures": ["DebertaV2ForSequenceClassification"], "share_att_key": False},
    ),
)

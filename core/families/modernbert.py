"""ModernBERT (Warner et al. 2024): rotary positions, gated layers, some local and some global."""

from __future__ import annotations

from collections.abc import Sequence

from core.checkpoints.changes import Rows
from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, fused, leave, rename
from core.checkpoints.tied import JUDGES
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.head_width import head_width
from core.families.rope import rotary
from core.families.windows import FULL, SLIDING, layer_type
from core.spec import (
    AttentionSpec,
    BlockSpec,
    ClassHead,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    ModelSpec,
    NormSpec,
    RotaryPositions,
    SpecialIds,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Pre-norm encoder whose first layer has no norm before attention."""
    d_model, heads = config.size("hidden_size"), config.size("num_attention_heads")
    d_head = head_width(config, d_model, heads)
    vocab, longest = config.size("vocab_size"), config.size("max_position_embeddings")
    norm = NormSpec(
        eps=config.number("norm_eps", default=1e-5), bias=config.flag("norm_bias", default=False)
    )
    bias = config.flag("attention_bias", default=False)
    every = config.size("global_attn_every_n_layers", default=3)
    kinds = {kind: rotation(config, d_head, kind) for kind in (FULL, SLIDING)}

    def block(layer: int) -> BlockSpec:
        kind = layer_type(config, layer, lambda i: i % every != 0)
        # Half the local width on either side, unless that half is stated itself.
        half = config.size("local_attention", default=128) // 2
        reach = config.count("sliding_window", default=half)
        return BlockSpec(
            attention=AttentionSpec(
                d_model=d_model,
                heads=heads,
                kv_heads=heads,
                d_head=d_head,
                qkv_bias=bias,
                out_bias=bias,
                positions=kinds[kind],
                # To either side, and the token itself.
                window=reach + 1 if kind == SLIDING else None,
            ),
            feedforward=FeedForwardSpec(
                d_model=d_model,
                d_ff=config.size("intermediate_size"),
                activation=config.choice("hidden_activation", ACTIVATIONS, default="gelu"),
                gated=True,
                bias=config.flag("mlp_bias", default=False),
            ),
            norm=norm,
            residual="pre",
            first_norm=layer > 0,
        )

    return ModelSpec(
        family="ModernBERT",
        name=config.path.parent.name,
        encoder=StackSpec(
            name="encoder",
            embedding=EmbeddingSpec(vocab=vocab, d_model=d_model, norm=norm),
            blocks=tuple(block(i) for i in range(config.size("num_hidden_layers"))),
            final_norm=norm,
            max_positions=longest,
        ),
        heads=Heads(
            classes=classes(config, norm),
            # A judge's layer before the last is called as in the masked-word head, but is its own.
            vocab=None
            if config.architecture.endswith(JUDGES)
            else VocabHead(
                vocab=vocab,
                tied=config.flag("tie_word_embeddings", default=True),
                bias=config.flag("decoder_bias", default=True),
                transform=config.choice("classifier_activation", ACTIVATIONS, default="gelu"),
                transform_norm=norm,
                transform_bias=config.flag("classifier_bias", default=False),
            ),
        ),
        special=SpecialIds(pad=config.token("pad_token_id", default=50283)),
    )


def classes(config: Config, norm: NormSpec) -> ClassHead | None:
    if not config.architecture.endswith("ForSequenceClassification"):
        return None
    return ClassHead(
        labels=config.labels,
        pooler="inner",
        activation=config.choice("classifier_activation", ACTIVATIONS, default="gelu"),
        of=config.choice("classifier_pooling", {"cls": "first", "mean": "mean"}, default="cls"),
        inner_bias=config.flag("classifier_bias", default=False),
        norm=norm,
    )


def rotation(config: Config, d_head: int, kind: str) -> RotaryPositions:
    """Nested rope_parameters, or global_rope_theta and local_rope_theta."""
    full = kind == FULL
    return rotary(
        config,
        d_head,
        layer_type=kind,
        theta_keys=("global_rope_theta",) if full else ("local_rope_theta",),
        default_theta=160_000.0 if full else 10_000.0,
    )


_BLOCK = "encoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    rename("embeddings.tok_embeddings.weight", "encoder.embedding.token.weight"),
    rename("embeddings.norm.*", "encoder.embedding.norm.*"),
    rename("layers.{i}.attn_norm.*", f"{_BLOCK}.residual.self.norm.*"),
    fused(
        "layers.{i}.attn.Wqkv.*",
        f"{_BLOCK}.attention.q.*",
        f"{_BLOCK}.attention.k.*",
        f"{_BLOCK}.attention.v.*",
        change=Rows(),
    ),
    rename("layers.{i}.attn.Wo.*", f"{_BLOCK}.attention.out.*"),
    rename("layers.{i}.mlp_norm.*", f"{_BLOCK}.residual.ffn.norm.*"),
    fused(
        "layers.{i}.mlp.Wi.*",
        f"{_BLOCK}.feedforward.gate.*",
        f"{_BLOCK}.feedforward.inner.*",
        change=Rows(),
    ),
    rename("layers.{i}.mlp.Wo.*", f"{_BLOCK}.feedforward.out.*"),
    rename("final_norm.*", "encoder.final_norm.*"),
    rename("decoder.weight", "heads.vocab.weight.weight"),
    rename("decoder.bias", "heads.vocab.bias"),
    rename("classifier.*", "heads.classes.out.*"),
    leave("qa_outputs.*", "a question-answering head"),
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    """Whose layer `head` is depends on the head behind it."""
    owner = "vocab" if spec.heads.classes is None else "classes"
    return (
        *RULES,
        rename("head.dense.*", f"heads.{owner}.dense.*"),
        rename("head.norm.*", f"heads.{owner}.norm.*"),
    )


_TINY = {
    "model_type": "modernbert",
    "architectures": ["ModernBertForMaskedLM"],
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "local_attention": 8,
    "pad_token_id": 1,
}

FAMILY = Family(
    name="ModernBERT",
    model_types={"modernbert": "ModernBert"},
    spec=spec,
    rules=rules,
    prefixes=("model.",),
    tiny=(
        _TINY,
        _TINY | {"attention_bias": True, "mlp_bias": True, "norm_bias": True},
        _TINY
        | {
            "architectures": ["ModernBertForSequenceClassification"],
            "classifier_pooling": "mean",
            "id2label": {"0": "calm", "1": "glad", "2": "sad"},
        },
    ),
)

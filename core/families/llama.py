"""Llama 1 to 3 (Touvron et al. 2023) and models of its shape, SmolLM among them.

`decoder_only` and `RULES` are what Mistral, Qwen and others start from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.rope import rotary
from core.families.windows import decoder_attention
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
    """Pre-norm decoder with RMSNorm, rotary positions and a gated feed-forward."""
    bias = config.flag("attention_bias", default=False)
    return decoder_only(
        config,
        "Llama",
        lambda layer: block(
            config,
            attention(config, qkv_bias=bias, out_bias=bias),
            bias=config.flag("mlp_bias", default=False),
        ),
    )


def decoder_only(
    config: Config,
    family: str,
    make_block: Callable[[int], BlockSpec],
    *,
    tied: bool = False,
    scale: float = 1.0,
    softcap: float | None = None,
    pad: int | None = None,
) -> ModelSpec:
    """A decoder of blocks; tied, and pad of a classifier: what holds where the configuration does
    not say."""
    blocks = tuple(make_block(layer) for layer in range(config.size("num_hidden_layers")))
    vocab = config.size("vocab_size")
    return ModelSpec(
        family=family,
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(vocab=vocab, d_model=config.size("hidden_size"), scale=scale),
            blocks=blocks,
            final_norm=blocks[0].norm,
            max_positions=longest(config, blocks),
        ),
        heads=Heads(
            vocab=VocabHead(
                vocab=vocab,
                tied=config.flag("tie_word_embeddings", default=tied),
                softcap=softcap,
            ),
            classes=last_token_classes(config, pad=pad),
        ),
        special=SpecialIds(pad=config.token("pad_token_id"), end=config.tokens("eos_token_id")),
    )


def last_token_classes(config: Config, *, pad: int | None = None) -> ClassHead | None:
    """Classes of a text from its last token, as decoders have them; only where it is said so. pad:
    the family's own, where the configuration is silent; an explicit null means none."""
    if not config.architecture.endswith("ForSequenceClassification"):
        return None
    pad = config.token("pad_token_id", default=None if "pad_token_id" in config else pad)
    return ClassHead(labels=config.labels, pooler="none", of="last", pad=pad, bias=False)


def longest(config: Config, blocks: Sequence[BlockSpec]) -> int | None:
    """The longest text: what the configuration states, and no bound where NTK's base grows in some
    of the layers."""
    if any(_grows(block.attention.positions) for block in blocks):
        return None
    return config.optional_size("max_position_embeddings")


def _grows(where: object) -> bool:
    return (
        isinstance(where, RotaryPositions)
        and where.scaling is not None
        and where.scaling.kind == "dynamic"
    )


def head_size(config: Config) -> int:
    """head_dim, which need not be hidden_size / heads."""
    return config.size(
        "head_dim",
        default=config.size("hidden_size") // config.size("num_attention_heads"),
    )


def attention(
    config: Config,
    *,
    qkv_bias: bool = False,
    out_bias: bool = False,
    window: int | None = None,
    qk_norm: NormSpec | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    positions: RotaryPositions | None = None,
) -> AttentionSpec:
    """Grouped-query, rotary, causal unless said otherwise. positions: where layers turn
    differently."""
    heads, d_head = config.size("num_attention_heads"), head_size(config)
    plain = AttentionSpec(
        d_model=config.size("hidden_size"),
        heads=heads,
        kv_heads=config.size("num_key_value_heads", default=heads),
        d_head=d_head,
        qkv_bias=qkv_bias,
        out_bias=out_bias,
        scale=scale,
        positions=positions or rotary(config, d_head),
        qk_norm=qk_norm,
        softcap=softcap,
        window=window,
    )
    return decoder_attention(config, plain)


def rms_norm(config: Config, *, unit_offset: bool = False, eps: float = 1e-6) -> NormSpec:
    """eps: where the configuration states none."""
    return NormSpec(
        kind="rms",
        eps=config.number("rms_norm_eps", default=eps),
        bias=False,
        unit_offset=unit_offset,
    )


def block(
    config: Config, attention: AttentionSpec, *, eps: float = 1e-6, bias: bool = False
) -> BlockSpec:
    """eps: where the configuration states none. bias: in the feed-forward; most families read no
    `mlp_bias`."""
    return BlockSpec(
        attention=attention,
        feedforward=FeedForwardSpec(
            d_model=config.size("hidden_size"),
            d_ff=config.size("intermediate_size"),
            activation=config.choice("hidden_act", ACTIVATIONS, default="silu"),
            gated=True,
            bias=bias,
        ),
        norm=rms_norm(config, eps=eps),
        residual="pre",
    )


_BLOCK = "decoder.blocks.{i}"

ROTARY_TABLES = ("rotary_emb.inv_freq", "rotary_emb.cos_cached", "rotary_emb.sin_cached")
"""What old files keep of the rotation, which is computed."""

ATTENTION: tuple[Rule, ...] = (
    rename("layers.{i}.self_attn.q_proj.*", f"{_BLOCK}.attention.q.*"),
    rename("layers.{i}.self_attn.k_proj.*", f"{_BLOCK}.attention.k.*"),
    rename("layers.{i}.self_attn.v_proj.*", f"{_BLOCK}.attention.v.*"),
    rename("layers.{i}.self_attn.o_proj.*", f"{_BLOCK}.attention.out.*"),
    rename("layers.{i}.self_attn.q_norm.weight", f"{_BLOCK}.attention.q_norm.weight"),
    rename("layers.{i}.self_attn.k_norm.weight", f"{_BLOCK}.attention.k_norm.weight"),
    *(leave(f"layers.{{i}}.self_attn.{table}") for table in ROTARY_TABLES),
)

FEEDFORWARD: tuple[Rule, ...] = (
    rename("layers.{i}.mlp.gate_proj.*", f"{_BLOCK}.feedforward.gate.*"),
    rename("layers.{i}.mlp.up_proj.*", f"{_BLOCK}.feedforward.inner.*"),
    rename("layers.{i}.mlp.down_proj.*", f"{_BLOCK}.feedforward.out.*"),
)

VALUE_HEAD = leave("v_head.summary.*", "a head that values texts, of a training by reward")
"""What TRL puts on a model."""

OTHER_HEADS: tuple[Rule, ...] = (
    rename("score.*", "heads.classes.out.*"),  # with a bias, of tokens: not shown
    leave("classifier.*", "a classifier of tokens"),
    leave("qa_outputs.*", "a question-answering head"),
    VALUE_HEAD,
)
"""What decoders have instead of the vocabulary head."""

FRAME: tuple[Rule, ...] = (
    rename("embed_tokens.weight", "decoder.embedding.token.weight"),
    rename("layers.{i}.input_layernorm.*", f"{_BLOCK}.residual.self.norm.*"),
    rename("layers.{i}.post_attention_layernorm.*", f"{_BLOCK}.residual.ffn.norm.*"),
    rename("norm.*", "decoder.final_norm.*"),
    rename("lm_head.weight", "heads.vocab.weight.weight"),
    *(leave(table) for table in ROTARY_TABLES),
    *OTHER_HEADS,
)

RULES: tuple[Rule, ...] = (*FRAME, *ATTENTION, *FEEDFORWARD)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return RULES


TINY = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}

_LLAMA = TINY | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}

FAMILY = Family(
    name="Llama",
    model_types={"llama": "Llama"},
    spec=spec,
    rules=rules,
    prefixes=("model.", "transformer."),
    tiny=(
        _LLAMA | {"rope_theta": 500000.0, "rms_norm_eps": 1e-5},
        _LLAMA
        | {
            "tie_word_embeddings": True,
            "attention_bias": True,
            "mlp_bias": True,
            "head_dim": 16,
            "rope_scaling": {
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 16,
            },
        },
        _LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": 2.5}},
        _LLAMA
        | {
            "max_position_embeddings": 16,
            "rope_scaling": {"rope_type": "dynamic", "factor": 2.0},
        },
        _LLAMA
        | {
            "rope_scaling": {
                "rope_type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 16,
            }
        },
    ),
)

"""OPT (Zhang et al. 2022)."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, rename
from core.families.activations import ACTIVATIONS
from core.families.bart import OFFSET, attention_rules
from core.families.family import Family
from core.families.llama import OTHER_HEADS, last_token_classes
from core.spec import (
    AttentionSpec,
    BlockSpec,
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
    """Pre-norm decoder with learned positions. OPT-350m, of another form, is refused."""
    d_model, heads = config.size("hidden_size"), config.size("num_attention_heads")
    config.refuse("word_embed_proj_dim", d_model, default=d_model)
    config.refuse("do_layer_norm_before", True, default=True)
    config.refuse("layer_norm_elementwise_affine", True, default=True)
    config.refuse("_remove_final_layer_norm", False, default=False)
    vocab, longest = config.size("vocab_size"), config.size("max_position_embeddings")
    bias, norm = config.flag("enable_bias", default=True), NormSpec()
    block = BlockSpec(
        attention=AttentionSpec(
            d_model=d_model,
            heads=heads,
            kv_heads=heads,
            d_head=d_model // heads,
            qkv_bias=bias,
            out_bias=bias,
            causal=True,
        ),
        feedforward=FeedForwardSpec(
            d_model=d_model,
            d_ff=config.size("ffn_dim"),
            activation=config.choice("activation_function", ACTIVATIONS, default="relu"),
            bias=bias,
        ),
        norm=norm,
        residual="pre",
    )
    return ModelSpec(
        family="OPT",
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(
                vocab=vocab,
                d_model=d_model,
                positions=LearnedPositions(size=longest + OFFSET, offset=OFFSET),
            ),
            blocks=(block,) * config.size("num_hidden_layers"),
            final_norm=norm,
            max_positions=longest,
        ),
        heads=Heads(
            vocab=VocabHead(vocab=vocab, tied=config.flag("tie_word_embeddings", default=True)),
            classes=last_token_classes(config),
        ),
        special=SpecialIds(
            pad=config.token("pad_token_id", default=1), end=config.tokens("eos_token_id")
        ),
    )


_BLOCK = "decoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    rename("embed_tokens.weight", "decoder.embedding.token.weight"),
    rename("embed_positions.weight", "decoder.embedding.position.weight"),
    *attention_rules("layers.{i}.self_attn", f"{_BLOCK}.attention"),
    rename("layers.{i}.self_attn_layer_norm.*", f"{_BLOCK}.residual.self.norm.*"),
    rename("layers.{i}.fc1.*", f"{_BLOCK}.feedforward.inner.*"),
    rename("layers.{i}.fc2.*", f"{_BLOCK}.feedforward.out.*"),
    rename("layers.{i}.final_layer_norm.*", f"{_BLOCK}.residual.ffn.norm.*"),
    rename("final_layer_norm.*", "decoder.final_norm.*"),
    *OTHER_HEADS,
    rename("lm_head.weight", "heads.vocab.weight.weight"),
)

_TINY = {
    "model_type": "opt",
    "architectures": ["OPTForCausalLM"],
    "vocab_size": 99,
    "hidden_size": 32,
    "word_embed_proj_dim": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "ffn_dim": 48,
    "max_position_embeddings": 64,
}

FAMILY = Family(
    name="OPT",
    model_types={"opt": "OPT"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("model.decoder.", "decoder."),
    tiny=(_TINY, _TINY | {"enable_bias": False}),
)

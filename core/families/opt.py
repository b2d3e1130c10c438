"""OPT (Zhang et al. 2022)."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename
from core.families.activations import ACTIVATIONS
from core.families.bart import OFFSET, attention_rules
from core.families.family import Family
from core.families.head_width import head_width
from core.families.llama import OTHER_HEADS, last_token_classes
from core.families.windows import decoder_attention
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
    """Decoder with learned positions: pre-norm, but OPT-350m, which is post-norm without a last
    norm, on embeddings that are narrower than the layers and come back to their width behind them.
    """
    d_model, heads = config.size("hidden_size"), config.size("num_attention_heads")
    width = config.size("word_embed_proj_dim", default=d_model)
    narrow = width if width != d_model else None
    before = config.flag("do_layer_norm_before", default=True)
    last = before and not config.flag("_remove_final_layer_norm", default=False)
    vocab, longest = config.size("vocab_size"), config.size("max_position_embeddings")
    bias = config.flag("enable_bias", default=True)
    affine = config.flag("layer_norm_elementwise_affine", default=True)
    norm = NormSpec(weight=affine, bias=affine)
    attention = AttentionSpec(
        d_model=d_model,
        heads=heads,
        kv_heads=heads,
        d_head=head_width(config, d_model, heads),
        qkv_bias=bias,
        out_bias=bias,
    )
    block = BlockSpec(
        attention=decoder_attention(config, attention),
        feedforward=FeedForwardSpec(
            d_model=d_model,
            d_ff=config.size("ffn_dim"),
            activation=config.choice("activation_function", ACTIVATIONS, default="relu"),
            bias=bias,
        ),
        norm=norm,
        residual="pre" if before else "post",
    )
    return ModelSpec(
        family="OPT",
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(
                vocab=vocab,
                d_model=d_model,
                d_embed=narrow,
                positions=LearnedPositions(size=longest + OFFSET, offset=OFFSET),
                project_bias=False,
                project_first=narrow is not None,
            ),
            blocks=(block,) * config.size("num_hidden_layers"),
            final_norm=norm if last else None,
            max_positions=longest,
        ),
        heads=Heads(
            vocab=VocabHead(
                vocab=vocab,
                tied=config.flag("tie_word_embeddings", default=True),
                d_transform=narrow,
                transform_bias=False,
            ),
            # Classes of narrow states have no place here.
            classes=None if narrow is not None else last_token_classes(config, pad=1),
        ),
        special=SpecialIds(
            pad=config.token("pad_token_id", default=1), end=config.tokens("eos_token_id")
        ),
    )


_BLOCK = "decoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    rename("embed_tokens.weight", "decoder.embedding.token.weight"),
    rename("embed_positions.weight", "decoder.embedding.position.weight"),
    rename("project_in.weight", "decoder.embedding.project.weight"),
    rename("project_out.weight", "heads.vocab.dense.weight"),
    *attention_rules("layers.{i}.self_attn", f"{_BLOCK}.attention"),
    rename("layers.{i}.self_attn_layer_norm.*", f"{_BLOCK}.residual.self.norm.*"),
    rename("layers.{i}.fc1.*", f"{_BLOCK}.feedforward.inner.*"),
    rename("layers.{i}.fc2.*", f"{_BLOCK}.feedforward.out.*"),
    rename("layers.{i}.final_layer_norm.*", f"{_BLOCK}.residual.ffn.norm.*"),
    rename("final_layer_norm.*", "decoder.final_norm.*"),
    *OTHER_HEADS,
    rename("lm_head.weight", "heads.vocab.weight.weight"),
    leave("version"),  # of the program that wrote old files
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
    tiny=(
        _TINY,
        _TINY | {"enable_bias": False},
        _TINY | {"word_embed_proj_dim": 20, "do_layer_norm_before": False},
        _TINY | {"layer_norm_elementwise_affine": False, "_remove_final_layer_norm": True},
    ),
)

"""BLOOM (Le Scao et al. 2022): ALiBi in place of positions, and a norm behind the embedding."""

from __future__ import annotations

from collections.abc import Sequence

from core.checkpoints.changes import HeadRows
from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, fused, rename
from core.errors import UnsupportedModel
from core.families.family import Family
from core.families.head_width import head_width
from core.families.llama import OTHER_HEADS, last_token_classes
from core.families.windows import decoder_attention
from core.spec import (
    AlibiPositions,
    AttentionSpec,
    BlockSpec,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    ModelSpec,
    NormSpec,
    SpecialIds,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Pre-norm decoder with a tied output matrix. `seq_length` is how long the texts of its
    training were; nothing bounds a text, as distances have no table that ends."""
    config.refuse("apply_residual_connection_post_layernorm", default=False)
    _refuse_slices(config)
    d_model = config.size("n_embed", "hidden_size")
    heads = config.size("num_attention_heads", "n_head")
    vocab = config.size("vocab_size")
    norm = NormSpec(eps=config.number("layer_norm_epsilon", default=1e-5))
    attention = AttentionSpec(
        d_model=d_model,
        heads=heads,
        kv_heads=heads,
        d_head=head_width(config, d_model, heads),
        positions=AlibiPositions(),
    )
    block = BlockSpec(
        attention=decoder_attention(config, attention),
        feedforward=FeedForwardSpec(d_model=d_model, d_ff=4 * d_model, activation="gelu_tanh"),
        norm=norm,
        residual="pre",
    )
    return ModelSpec(
        family="BLOOM",
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(vocab=vocab, d_model=d_model, norm=norm),
            blocks=(block,) * config.size("num_hidden_layers", "n_layer"),
            final_norm=norm,
        ),
        heads=Heads(
            vocab=VocabHead(vocab=vocab, tied=config.flag("tie_word_embeddings", default=True)),
            classes=last_token_classes(config),
        ),
        special=SpecialIds(pad=config.token("pad_token_id"), end=config.tokens("eos_token_id")),
    )


def _refuse_slices(config: Config) -> None:
    """The reference then sums its output layers slice by slice, and leaves their biases out."""
    slices = config.size("pretraining_tp", default=1)
    if slices > 1 and config.flag("slow_but_exact", default=False):
        raise UnsupportedModel(
            f"{config.path} sets slow_but_exact to true beside a pretraining_tp of {slices}; "
            "supported is false"
        )


_BLOCK = "decoder.blocks.{i}"


def rules(spec: ModelSpec) -> Sequence[Rule]:
    """q, k and v are fused head by head, as in GPT-NeoX."""
    return (
        rename("word_embeddings.weight", "decoder.embedding.token.weight"),
        rename("word_embeddings_layernorm.*", "decoder.embedding.norm.*"),
        rename("h.{i}.input_layernorm.*", f"{_BLOCK}.residual.self.norm.*"),
        rename("h.{i}.post_attention_layernorm.*", f"{_BLOCK}.residual.ffn.norm.*"),
        fused(
            "h.{i}.self_attention.query_key_value.*",
            f"{_BLOCK}.attention.q.*",
            f"{_BLOCK}.attention.k.*",
            f"{_BLOCK}.attention.v.*",
            change=HeadRows(spec.main_stack.blocks[0].attention.heads),
        ),
        rename("h.{i}.self_attention.dense.*", f"{_BLOCK}.attention.out.*"),
        rename("h.{i}.mlp.dense_h_to_4h.*", f"{_BLOCK}.feedforward.inner.*"),
        rename("h.{i}.mlp.dense_4h_to_h.*", f"{_BLOCK}.feedforward.out.*"),
        rename("ln_f.*", "decoder.final_norm.*"),
        rename("lm_head.weight", "heads.vocab.weight.weight"),
        *OTHER_HEADS,
    )


_TINY = {"model_type": "bloom", "architectures": ["BloomForCausalLM"], "vocab_size": 99}

FAMILY = Family(
    name="BLOOM",
    model_types={"bloom": "Bloom"},
    spec=spec,
    rules=rules,
    prefixes=("transformer.",),
    tiny=(
        _TINY | {"hidden_size": 32, "n_layer": 3, "n_head": 4},
        _TINY
        | {
            "n_embed": 36,
            "num_hidden_layers": 3,
            "num_attention_heads": 6,  # no power of two: slopes of two kinds
            "layer_norm_epsilon": 1e-3,
        },
    ),
)

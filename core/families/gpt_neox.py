"""GPT-NeoX and Pythia (Black et al. 2022): attention and feed-forward side by side."""

from __future__ import annotations

from collections.abc import Sequence

from core.checkpoints.changes import HeadRows
from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, fused, leave, rename
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.head_width import head_width
from core.families.llama import OTHER_HEADS, ROTARY_TABLES, last_token_classes, longest
from core.families.rope import rotary
from core.families.windows import decoder_attention
from core.spec import (
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
    """LayerNorm, rotary positions on a quarter of each head, an output matrix of its own."""
    config.refuse("is_decoder", False, True, default=False)
    d_model, heads = config.size("hidden_size"), config.size("num_attention_heads")
    d_head = head_width(config, d_model, heads)
    vocab, norm = (
        config.size("vocab_size"),
        NormSpec(eps=config.number("layer_norm_eps", default=1e-5)),
    )
    bias = config.flag("attention_bias", default=True)
    attention = AttentionSpec(
        d_model=d_model,
        heads=heads,
        kv_heads=heads,
        d_head=d_head,
        qkv_bias=bias,
        out_bias=bias,
        positions=rotary(
            config,
            d_head,
            theta_keys=("rotary_emb_base",),
            partial=0.25,
            partial_key="rotary_pct",
        ),
    )
    block = BlockSpec(
        attention=decoder_attention(config, attention),
        feedforward=FeedForwardSpec(
            d_model=d_model,
            d_ff=config.size("intermediate_size"),
            activation=config.choice("hidden_act", ACTIVATIONS, default="gelu"),
        ),
        norm=norm,
        residual="parallel" if config.flag("use_parallel_residual", default=True) else "pre",
    )
    return ModelSpec(
        family="GPT-NeoX",
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(vocab=vocab, d_model=d_model),
            blocks=(block,) * config.size("num_hidden_layers"),
            final_norm=norm,
            max_positions=longest(config, (block,)),
        ),
        heads=Heads(
            vocab=VocabHead(vocab=vocab, tied=config.flag("tie_word_embeddings", default=False)),
            classes=last_token_classes(config),
        ),
        special=SpecialIds(pad=config.token("pad_token_id"), end=config.tokens("eos_token_id")),
    )


_BLOCK = "decoder.blocks.{i}"


def rules(spec: ModelSpec) -> Sequence[Rule]:
    """q, k and v are fused head by head, so the table depends on how many heads there are."""
    return (
        rename("embed_in.weight", "decoder.embedding.token.weight"),
        rename("layers.{i}.input_layernorm.*", f"{_BLOCK}.residual.self.norm.*"),
        rename("layers.{i}.post_attention_layernorm.*", f"{_BLOCK}.residual.ffn.norm.*"),
        fused(
            "layers.{i}.attention.query_key_value.*",
            f"{_BLOCK}.attention.q.*",
            f"{_BLOCK}.attention.k.*",
            f"{_BLOCK}.attention.v.*",
            change=HeadRows(spec.main_stack.blocks[0].attention.heads),
        ),
        rename("layers.{i}.attention.dense.*", f"{_BLOCK}.attention.out.*"),
        leave("layers.{i}.attention.bias"),  # old files keep the causal mask
        leave("layers.{i}.attention.masked_bias"),
        *(leave(f"layers.{{i}}.attention.{table}") for table in ROTARY_TABLES),
        rename("layers.{i}.mlp.dense_h_to_4h.*", f"{_BLOCK}.feedforward.inner.*"),
        rename("layers.{i}.mlp.dense_4h_to_h.*", f"{_BLOCK}.feedforward.out.*"),
        rename("final_layer_norm.*", "decoder.final_norm.*"),
        rename("embed_out.weight", "heads.vocab.weight.weight"),
        *OTHER_HEADS,
        rename("lm_head.weight", "heads.vocab.weight.weight"),
    )


_TINY = {
    "model_type": "gpt_neox",
    "architectures": ["GPTNeoXForCausalLM"],
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}

FAMILY = Family(
    name="GPT-NeoX",
    model_types={"gpt_neox": "GPTNeoX"},
    spec=spec,
    rules=rules,
    prefixes=("gpt_neox.",),
    tiny=(_TINY, _TINY | {"use_parallel_residual": False, "rotary_pct": 0.5}),
)

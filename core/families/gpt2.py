"""GPT-2 (Radford et al. 2019). Its linear layers are stored transposed, q, k and v in one."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename, transpose
from core.families.activations import ACTIVATIONS
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
    """Pre-norm decoder with learned positions and a tied output matrix."""
    config.refuse("add_cross_attention", default=False)
    d_model = config.size("hidden_size", "n_embd")
    heads = config.size("num_attention_heads", "n_head")
    d_head = head_width(config, d_model, heads)
    layers = config.size("num_hidden_layers", "n_layer")
    rows = config.size("max_position_embeddings", "n_positions", "n_ctx")
    norm = NormSpec(eps=config.number("layer_norm_epsilon", default=1e-5))
    feedforward = FeedForwardSpec(
        d_model=d_model,
        d_ff=config.size("n_inner", default=4 * d_model),
        activation=config.choice("activation_function", ACTIVATIONS, default="gelu_new"),
    )
    blocks = tuple(
        BlockSpec(
            attention=decoder_attention(
                config,
                AttentionSpec(
                    d_model=d_model,
                    heads=heads,
                    kv_heads=heads,
                    d_head=d_head,
                    scale=_scale(config, d_head, layer),
                ),
            ),
            feedforward=feedforward,
            norm=norm,
            residual="pre",
        )
        for layer in range(layers)
    )
    vocab = config.size("vocab_size")
    return ModelSpec(
        family="GPT-2",
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(
                vocab=vocab, d_model=d_model, positions=LearnedPositions(size=rows)
            ),
            blocks=blocks,
            final_norm=norm,
            max_positions=rows,
        ),
        heads=Heads(
            vocab=VocabHead(vocab=vocab, tied=config.flag("tie_word_embeddings", default=True)),
            classes=last_token_classes(config),
        ),
        special=SpecialIds(pad=config.token("pad_token_id"), end=config.tokens("eos_token_id")),
    )


def _scale(config: Config, d_head: int, layer: int) -> float | None:
    """1/√d_head unless the configuration asks for one of GPT-2's variants (Mistral's GPT-2s)."""
    plain = config.flag("scale_attn_weights", default=True)
    by_layer = config.flag("scale_attn_by_inverse_layer_idx", default=False)
    if plain and not by_layer:
        return None
    return (d_head**-0.5 if plain else 1.0) / (layer + 1 if by_layer else 1)


_BLOCK = "decoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    rename("wte.weight", "decoder.embedding.token.weight"),
    rename("wpe.weight", "decoder.embedding.position.weight"),
    rename("h.{i}.ln_1.*", f"{_BLOCK}.residual.self.norm.*"),
    leave("h.{i}.attn.bias"),  # old files keep the causal mask
    leave("h.{i}.attn.masked_bias"),
    leave("h.{i}.crossattention.bias"),  # and one for a cross-attention that is not there
    leave("h.{i}.crossattention.masked_bias"),
    transpose(
        "h.{i}.attn.c_attn.*",
        f"{_BLOCK}.attention.q.*",
        f"{_BLOCK}.attention.k.*",
        f"{_BLOCK}.attention.v.*",
    ),
    transpose("h.{i}.attn.c_proj.*", f"{_BLOCK}.attention.out.*"),
    rename("h.{i}.ln_2.*", f"{_BLOCK}.residual.ffn.norm.*"),
    transpose("h.{i}.mlp.c_fc.*", f"{_BLOCK}.feedforward.inner.*"),
    transpose("h.{i}.mlp.c_proj.*", f"{_BLOCK}.feedforward.out.*"),
    rename("ln_f.*", "decoder.final_norm.*"),
    rename("lm_head.weight", "heads.vocab.weight.weight"),
    *OTHER_HEADS,
    leave("multiple_choice_head.summary.*", "a multiple-choice head"),
)

FAMILY = Family(
    name="GPT-2",
    model_types={"gpt2": "GPT2"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("transformer.",),
    tiny=(
        {
            "model_type": "gpt2",
            "architectures": ["GPT2LMHeadModel"],
            "vocab_size": 99,
            "n_embd": 32,
            "n_layer": 3,
            "n_head": 4,
            "n_positions": 64,
        },
        {
            "model_type": "gpt2",
            "architectures": ["GPT2LMHeadModel"],
            "vocab_size": 99,
            "n_embd": 32,
            "n_layer": 3,
            "n_head": 2,
            "n_positions": 64,
            "n_inner": 40,
            "scale_attn_by_inverse_layer_idx": True,
            "activation_function": "relu",
        },
    ),
)

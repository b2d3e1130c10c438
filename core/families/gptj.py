"""GPT-J (Wang & Komatsuzaki 2021): attention and feed-forward side by side, behind one norm."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename
from core.errors import CheckpointError, UnsupportedModel
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
    ModelSpec,
    NormSpec,
    RotaryPositions,
    SpecialIds,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Attention without biases, rotary positions on a part of each head, and an output matrix of
    its own with a bias."""
    d_model = config.size("hidden_size", "n_embd")
    heads = config.size("num_attention_heads", "n_head")
    d_head = head_width(config, d_model, heads)
    vocab = config.size("vocab_size")
    norm = NormSpec(eps=config.number("layer_norm_epsilon", default=1e-5))
    attention = AttentionSpec(
        d_model=d_model,
        heads=heads,
        kv_heads=heads,
        d_head=d_head,
        qkv_bias=False,
        out_bias=False,
        positions=_rotary(config, d_head),
    )
    block = BlockSpec(
        attention=decoder_attention(config, attention),
        feedforward=FeedForwardSpec(
            d_model=d_model,
            d_ff=config.size("n_inner", default=4 * d_model),
            activation=config.choice("activation_function", ACTIVATIONS, default="gelu_new"),
        ),
        norm=norm,
        residual="parallel",
        shared_norm=True,
    )
    return ModelSpec(
        family="GPT-J",
        name=config.path.parent.name,
        decoder=StackSpec(
            name="decoder",
            embedding=EmbeddingSpec(vocab=vocab, d_model=d_model),
            blocks=(block,) * config.size("num_hidden_layers", "n_layer"),
            final_norm=norm,
            max_positions=config.size("max_position_embeddings", "n_positions", default=2048),
        ),
        heads=Heads(
            vocab=VocabHead(
                vocab=vocab,
                tied=config.flag("tie_word_embeddings", default=False),
                bias=True,
            ),
            classes=last_token_classes(config),
        ),
        special=SpecialIds(pad=config.token("pad_token_id"), end=config.tokens("eos_token_id")),
    )


def _rotary(config: Config, d_head: int) -> RotaryPositions:
    """Neighbouring coordinates turn as pairs, always to the base 10000."""
    if config.get("rotary_dim", 64) is None:
        raise UnsupportedModel(
            f"{config.path} sets rotary_dim to null; supported is an even number up to a head's "
            f"{d_head}"
        )
    width = config.size("rotary_dim", default=64)
    if width % 2 or width > d_head:
        raise CheckpointError(
            f"{config.path}: rotary_dim is {width}; it must be an even number up to a head's "
            f"{d_head}"
        )
    return RotaryPositions(theta=10000.0, d_rotary=width, interleaved=True)


_BLOCK = "decoder.blocks.{i}"

RULES: tuple[Rule, ...] = (
    rename("wte.weight", "decoder.embedding.token.weight"),
    rename("h.{i}.ln_1.*", f"{_BLOCK}.residual.self.norm.*"),
    rename("h.{i}.attn.q_proj.weight", f"{_BLOCK}.attention.q.weight"),
    rename("h.{i}.attn.k_proj.weight", f"{_BLOCK}.attention.k.weight"),
    rename("h.{i}.attn.v_proj.weight", f"{_BLOCK}.attention.v.weight"),
    rename("h.{i}.attn.out_proj.weight", f"{_BLOCK}.attention.out.weight"),
    leave("h.{i}.attn.bias"),  # old files keep the causal mask
    leave("h.{i}.attn.masked_bias"),
    rename("h.{i}.mlp.fc_in.*", f"{_BLOCK}.feedforward.inner.*"),
    rename("h.{i}.mlp.fc_out.*", f"{_BLOCK}.feedforward.out.*"),
    rename("ln_f.*", "decoder.final_norm.*"),
    rename("lm_head.weight", "heads.vocab.weight.weight"),
    rename("lm_head.bias", "heads.vocab.bias"),
    *OTHER_HEADS,
)

_TINY = {
    "model_type": "gptj",
    "architectures": ["GPTJForCausalLM"],
    "vocab_size": 99,
    "n_embd": 32,
    "n_layer": 3,
    "n_head": 2,
    "n_positions": 64,
    "rotary_dim": 6,
}

FAMILY = Family(
    name="GPT-J",
    model_types={"gptj": "GPTJ"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("transformer.",),
    tiny=(
        _TINY,
        _TINY
        | {
            "n_head": 4,
            "rotary_dim": 8,
            "n_inner": 40,
            "tie_word_embeddings": True,
            "activation_function": "relu",
        },
    ),
)

"""The Transformer of 2017 as the paper has it (Vaswani et al. 2017), for translation.

Post-norm, ReLU, fixed sinusoids, embeddings times √d_model, and one table for the source, the
target and the output (section 3.4). Tensor names are the paper's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, rename
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.head_width import head_width
from core.spec import (
    AttentionSpec,
    BlockSpec,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    ModelSpec,
    NormSpec,
    SinusoidalPositions,
    SpecialIds,
    StackName,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Encoder and decoder of one width; they may differ in their number of layers."""
    d_model, heads = config.size("d_model"), config.size("num_attention_heads")
    vocab, longest = config.size("vocab_size"), config.size("max_position_embeddings")
    norm = NormSpec(eps=config.number("layer_norm_eps", default=1e-5))
    plain = AttentionSpec(
        d_model=d_model, heads=heads, kv_heads=heads, d_head=head_width(config, d_model, heads)
    )
    feedforward = FeedForwardSpec(
        d_model=d_model,
        d_ff=config.size("d_ff"),
        activation=config.choice("activation", ACTIVATIONS, default="relu"),
    )

    def stack(name: StackName) -> StackSpec:
        block = BlockSpec(
            attention=replace(plain, causal=name == "decoder"),
            cross=plain if name == "decoder" else None,
            feedforward=feedforward,
            norm=norm,
            residual="post",
        )
        return StackSpec(
            name=name,
            embedding=EmbeddingSpec(
                vocab=vocab,
                d_model=d_model,
                positions=SinusoidalPositions(size=longest),
                scale=d_model**0.5,
            ),
            blocks=(block,) * config.size(f"{name}_layers"),
            max_positions=longest,
        )

    return ModelSpec(
        family="Transformer 2017",
        name=config.path.parent.name,
        encoder=stack("encoder"),
        decoder=stack("decoder"),
        heads=Heads(vocab=VocabHead(vocab=vocab, tied=True)),
        special=SpecialIds(
            pad=config.token("pad_token_id"),
            decoder_start=config.token("decoder_start_token_id"),
            end=config.tokens("eos_token_id"),
        ),
        shared_embedding=True,
    )


def _attention(theirs: str, ours: str) -> tuple[Rule, ...]:
    return (
        rename(f"{theirs}.query.*", f"{ours}.q.*"),
        rename(f"{theirs}.key.*", f"{ours}.k.*"),
        rename(f"{theirs}.value.*", f"{ours}.v.*"),
        rename(f"{theirs}.output.*", f"{ours}.out.*"),
    )


def _stack(name: str) -> tuple[Rule, ...]:
    theirs, ours = f"{name}.layers.{{i}}", f"{name}.blocks.{{i}}"
    return (
        *_attention(f"{theirs}.self_attention", f"{ours}.attention"),
        rename(f"{theirs}.self_attention_norm.*", f"{ours}.residual.self.norm.*"),
        *_attention(f"{theirs}.cross_attention", f"{ours}.cross"),
        rename(f"{theirs}.cross_attention_norm.*", f"{ours}.residual.cross.norm.*"),
        rename(f"{theirs}.feed_forward.inner.*", f"{ours}.feedforward.inner.*"),
        rename(f"{theirs}.feed_forward.outer.*", f"{ours}.feedforward.out.*"),
        rename(f"{theirs}.feed_forward_norm.*", f"{ours}.residual.ffn.norm.*"),
    )


RULES: tuple[Rule, ...] = (
    rename("embedding.weight", "encoder.embedding.token.weight"),
    *_stack("encoder"),
    *_stack("decoder"),
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return RULES


FAMILY = Family(
    name="Transformer 2017",
    model_types={"transformer-2017": "Transformer2017"},
    spec=spec,
    rules=rules,
    tiny=(
        {
            "model_type": "transformer-2017",
            "architectures": ["Transformer2017"],
            "vocab_size": 99,
            "d_model": 32,
            "d_ff": 48,
            "num_attention_heads": 4,
            "encoder_layers": 3,
            "decoder_layers": 2,
            "max_position_embeddings": 64,
            "pad_token_id": 0,
            "decoder_start_token_id": 1,
            "eos_token_id": 2,
        },
    ),
)

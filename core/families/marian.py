"""Marian (Junczys-Dowmunt et al. 2018): the translation models of Helsinki-NLP."""

from __future__ import annotations

from dataclasses import replace

from core.checkpoints.config import Config
from core.checkpoints.convert import Matched
from core.families import bart
from core.families.family import Family
from core.spec import LearnedPositions, ModelSpec, SinusoidalPositions, StackSpec


def spec(config: Config) -> ModelSpec:
    """Post-norm with fixed sinusoids, all sines first; one table for both languages, or two."""
    vocab = config.size("vocab_size")
    shared = config.flag("share_encoder_decoder_embeddings", default=True)
    if shared:
        config.refuse("decoder_vocab_size", vocab, default=vocab)
    return bart.spec_of(
        config,
        "Marian",
        residual="post",
        positions=sinusoids(config),
        embedding_norm=False,
        target_vocab=None if shared else config.size("decoder_vocab_size", default=vocab),
    )


def sinusoids(config: Config) -> SinusoidalPositions:
    return SinusoidalPositions(size=config.size("max_position_embeddings"), interleaved=False)


def adapt(spec: ModelSpec, found: Matched) -> ModelSpec:
    """A position table that is stored is used as it stands: it may be rounded."""
    spec = bart.adapt(spec, found)

    def stored(stack: StackSpec | None) -> StackSpec | None:
        if stack is None or f"{stack.name}.embedding.position.weight" not in found.targets:
            return stack
        size = stack.embedding.positions.size if stack.embedding.positions else 0
        return replace(
            stack, embedding=replace(stack.embedding, positions=LearnedPositions(size=size))
        )

    return replace(spec, encoder=stored(spec.encoder), decoder=stored(spec.decoder))


_TINY = bart.TINY | {
    "model_type": "marian",
    "architectures": ["MarianMTModel"],
    "activation_function": "swish",
    "scale_embedding": True,
    "pad_token_id": 98,
    "decoder_start_token_id": 98,
    "eos_token_id": 0,
}

FAMILY = Family(
    name="Marian",
    model_types={"marian": "Marian"},
    spec=spec,
    rules=bart.rules,
    prefixes=("model.",),
    adapt=adapt,
    tiny=(
        _TINY,
        _TINY
        | {
            "share_encoder_decoder_embeddings": False,
            "decoder_vocab_size": 93,
            "pad_token_id": 92,
            "decoder_start_token_id": 92,
        },
    ),
)

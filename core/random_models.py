"""Untrained models, made from a configuration and a seed: what attention is before it has learned.

Their tokenizer splits a text into bytes, so any text can be typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend
from torch import nn

from core.arguments import SEEDS
from core.checkpoints.config import Config
from core.errors import CheckpointError
from core.families import family_of
from core.model import Transformer
from core.spec import ModelSpec

PREFIX = "random:"
SPECIALS = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
"""The ids 0 to 3; bytes follow. [CLS] starts a text or a target, [SEP] ends it."""

VOCAB = len(SPECIALS) + 256
_IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    title: str
    config: Mapping[str, Any]


RECIPES: dict[str, Recipe] = {
    "encoder": Recipe(
        title="Random encoder",
        config={
            "model_type": "bert",
            "vocab_size": VOCAB,
            "hidden_size": 128,
            "num_hidden_layers": 4,
            "num_attention_heads": 4,
            "intermediate_size": 512,
            "max_position_embeddings": 512,
        },
    ),
    "decoder": Recipe(
        title="Random decoder",
        config={
            "model_type": "gpt2",
            "vocab_size": VOCAB,
            "n_embd": 128,
            "n_layer": 4,
            "n_head": 4,
            "n_positions": 512,
        },
    ),
    "encoder-decoder": Recipe(
        title="Random encoder-decoder",
        config={
            "model_type": "bart",
            "vocab_size": VOCAB,
            "d_model": 128,
            "encoder_layers": 3,
            "decoder_layers": 3,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 512,
            "decoder_ffn_dim": 512,
            "max_position_embeddings": 512,
        },
    ),
    "vanilla": Recipe(
        title="The 2017 Transformer, untrained",
        config={
            "model_type": "transformer-2017",
            "vocab_size": VOCAB,
            "d_model": 512,
            "d_ff": 2048,
            "num_attention_heads": 8,
            "encoder_layers": 6,
            "decoder_layers": 6,
            "max_position_embeddings": 512,
        },
    ),
}


def make(source: str, seed: int) -> tuple[Transformer, Backend]:
    """The network and tokenizer of "random:…"; CheckpointError says which there are."""
    name = source.removeprefix(PREFIX)
    if name not in RECIPES:
        known = ", ".join(PREFIX + key for key in RECIPES)
        raise CheckpointError(f"there is no model {source!r}; random models are {known}")
    spec = describe(name, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed % SEEDS)
        network = Transformer(spec)
        network.apply(_draw)
    return network.eval().requires_grad_(False), byte_tokenizer(frame=spec.encoder is not None)


def describe(name: str, seed: int) -> ModelSpec:
    """The spec of a recipe, read by its family like any configuration."""
    from dataclasses import replace

    recipe = RECIPES[name]
    config = Config({**_IDS, **recipe.config}, f"{PREFIX}{name}/config.json")
    spec = family_of(config).spec(config)
    return replace(
        spec,
        name=recipe.title,
        special=replace(spec.special, mask=3 if spec.decoder is None else None, pad=0),
        notes=(f"weights drawn at random (seed {seed}); predictions mean nothing",),
    )


def _draw(module: nn.Module) -> None:
    """Xavier for matrices, N(0, 1/d) for tables; norms stay as they are."""
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


def byte_tokenizer(*, frame: bool) -> Backend:
    """One token a byte. frame: [CLS] … [SEP] around a text, and a pair as BERT has it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {piece: i for i, piece in enumerate([*SPECIALS, *alphabet])}
    backend = Backend(models.BPE(vocab=vocab, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(piece, special=True) for piece in SPECIALS])
    if frame:
        backend.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
        )
    return backend

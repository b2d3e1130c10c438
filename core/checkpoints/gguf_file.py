"""One .gguf file: configuration, names as Hugging Face has them, tensors dequantised when read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from torch import Tensor

from core.checkpoints.config import Config
from core.checkpoints.gguf_header import Placed, read_header
from core.checkpoints.recognise import refuse_impostor
from core.device import no_room
from core.errors import CheckpointError, UnsupportedModel

ARCHITECTURES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
"""general.architecture -> model_type. Mistral and SmolLM call themselves llama."""

TYPES = (
    "F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K",
    "Q6_K",
)  # fmt: skip
_STORED = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}

_NAMES = (
    (r"token_embd\.weight", "model.embed_tokens.weight"),
    (r"output_norm\.weight", "model.norm.weight"),
    (r"output\.weight", "lm_head.weight"),
    (r"blk\.(\d+)\.attn_norm\.weight", r"model.layers.\1.input_layernorm.weight"),
    (r"blk\.(\d+)\.ffn_norm\.weight", r"model.layers.\1.post_attention_layernorm.weight"),
    (r"blk\.(\d+)\.attn_([qkv])\.(weight|bias)", r"model.layers.\1.self_attn.\2_proj.\3"),
    (r"blk\.(\d+)\.attn_output\.(weight|bias)", r"model.layers.\1.self_attn.o_proj.\2"),
    (r"blk\.(\d+)\.attn_([qk])_norm\.weight", r"model.layers.\1.self_attn.\2_norm.weight"),
    (r"blk\.(\d+)\.ffn_(gate|up|down)\.(weight|bias)", r"model.layers.\1.mlp.\2_proj.\3"),
)
ROPE_FACTORS = "rope_freqs.weight"


class GgufFile:
    """The metadata as `config`; a tensor is dequantised to float32 when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_impostor(path)
        try:
            # Copy-on-write: torch takes no read-only arrays.
            self._bytes = np.asarray(np.memmap(path, dtype=np.uint8, mode="c"))
            header = read_header(self._bytes.data)
        except (ValueError, OSError) as error:
            raise (
                no_room(path, str(error))
                or CheckpointError(f"{path} cannot be opened as GGUF: {error}; download it again")
            ) from None
        self.metadata = header.metadata
        self._tensors = header.tensors
        self.architecture = str(self.metadata.get("general.architecture", ""))
        self._check()
        self._names = {_renamed(name): name for name in self._tensors if name != ROPE_FACTORS}

    def _check(self) -> None:
        if self.architecture not in ARCHITECTURES:
            raise UnsupportedModel(
                f"{self.path} has the architecture {self.architecture!r}; supported in GGUF files "
                f"are {', '.join(ARCHITECTURES)}"
            )
        if self.metadata.get("split.count", 1) not in (0, 1):
            raise UnsupportedModel(f"{self.path} is one of several parts; merge them into one file")
        if self.said("expert_count", 0):
            raise UnsupportedModel(f"{self.path} holds experts; supported in GGUF are dense models")
        for name, placed in self._tensors.items():
            kind = _type_name(placed.kind)
            if kind not in TYPES:
                raise UnsupportedModel(
                    f"{self.path} stores {name} as {kind}; supported are {', '.join(TYPES)}"
                )
            if not placed.shape:
                raise CheckpointError(f"{self.path} gives {name} no shape; download it again")
            if placed.start + self._size(placed) > len(self._bytes):
                raise CheckpointError(f"{self.path} is cut off within {name}; download it again")

    def said(self, key: str, default: Any = None) -> Any:
        """A value of this architecture's metadata."""
        return self.metadata.get(f"{self.architecture}.{key}", default)

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: self._tensors[theirs].shape for name, theirs in self._names.items()}

    @cached_property
    def dtypes(self) -> Mapping[str, str]:
        kinds = {n: _type_name(self._tensors[theirs].kind) for n, theirs in self._names.items()}
        return {name: _STORED.get(kind, kind) for name, kind in kinds.items()}

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        theirs = self._names[name]
        tensor = self._array(theirs)
        part = re.fullmatch(r"blk\.\d+\.attn_([qk])\.(weight|bias)", theirs)
        if part is None or self.architecture != "llama":
            return tensor
        heads = int(self.said("attention.head_count"))
        if part[1] == "k":
            heads = int(self.said("attention.head_count_kv", heads))
        return unpermuted(tensor, heads)

    def _array(self, name: str) -> Tensor:
        placed = self._tensors[name]
        kind = gguf.GGMLQuantizationType(placed.kind)
        rows = self._bytes[placed.start : placed.start + self._size(placed)].reshape(
            gguf.quants.quant_shape_to_byte_shape(placed.shape, kind)
        )
        values = gguf.dequantize(rows, kind)
        found: Tensor = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
        return found.reshape(placed.shape)

    def _size(self, placed: Placed) -> int:
        kind = gguf.GGMLQuantizationType(placed.kind)
        return prod(gguf.quants.quant_shape_to_byte_shape(placed.shape, kind))

    @property
    def config(self) -> Config:
        """config.json as Hugging Face would have it."""
        heads = self._whole("attention.head_count")
        d_model = self._whole("embedding_length")
        table = self._tensors.get("token_embd.weight")
        if table is None:
            raise CheckpointError(f"{self.path} lacks token_embd.weight")
        if len(table.shape) != 2:
            raise CheckpointError(
                f"{self.path}: token_embd.weight has the shape {list(table.shape)}; it must be a "
                "matrix"
            )
        values = {
            "model_type": ARCHITECTURES[self.architecture],
            "vocab_size": table.shape[0],
            "hidden_size": d_model,
            "num_hidden_layers": self._whole("block_count"),
            "num_attention_heads": heads,
            "num_key_value_heads": self._whole("attention.head_count_kv", heads),
            "head_dim": self._whole("attention.key_length", d_model // heads),
            "intermediate_size": self._whole("feed_forward_length"),
            "max_position_embeddings": self._whole("context_length"),
            "rms_norm_eps": self.said("attention.layer_norm_rms_epsilon"),
            "rope_theta": self.said("rope.freq_base", 10000.0),
            "rope_scaling": self._scaling(),
            "attention_bias": "blk.0.attn_q.bias" in self._tensors,
            "tie_word_embeddings": "output.weight" not in self._tensors,
            "eos_token_id": self.metadata.get("tokenizer.ggml.eos_token_id"),
            "pad_token_id": self.metadata.get("tokenizer.ggml.padding_token_id"),
        }
        return Config(values, self.path)

    def _whole(self, key: str, default: int | None = None) -> int:
        value = self.said(key, default)
        if value is None:
            raise CheckpointError(f"{self.path} has no {self.architecture}.{key}")
        if not isinstance(value, int):
            raise UnsupportedModel(
                f"{self.path} gives {key} as {value!r}; supported is one number for all layers"
            )
        return value

    def _scaling(self) -> dict[str, Any] | None:
        if ROPE_FACTORS in self._tensors:
            # What is left of Llama 3's scaling in a GGUF file: a divisor for each frequency.
            divisors = self._array(ROPE_FACTORS).tolist()
            return {
                "rope_type": "longrope",
                "short_factor": divisors,
                "long_factor": divisors,
                "factor": 1.0,
                "attention_factor": 1.0,
                "original_max_position_embeddings": self._whole("context_length"),
            }
        kind = self.said("rope.scaling.type", "none")
        if kind == "none":
            return None
        return {
            "rope_type": kind,
            "factor": self.said("rope.scaling.factor"),
            "original_max_position_embeddings": self.said("rope.scaling.original_context_length"),
        }


def unpermuted(tensor: Tensor, heads: int) -> Tensor:
    """Rows of q or k from pairs (0, 1), (2, 3) …, as GGUF's llama turns them, to (0, d/2) ….

    tensor [head * d_head, …].
    """
    by_pair: Tensor = tensor.unflatten(0, (heads, -1, 2))  # [head, d/2, 2, …]
    return by_pair.transpose(1, 2).flatten(0, 2)


def _type_name(kind: int) -> str:
    try:
        return str(gguf.GGMLQuantizationType(kind).name)
    except ValueError:
        return f"type {kind}"


def _renamed(name: str) -> str:
    for pattern, ours in _NAMES:
        found = re.fullmatch(pattern, name)
        if found is not None:
            return str(found.expand(ours))
    return name

"""One .gguf file: configuration, names as Hugging Face has them, tensors dequantised when read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from math import prod
from pathlib import Path

import gguf
import numpy as np
import torch
from torch import Tensor

from core.checkpoints.config import Config
from core.checkpoints.gguf_config import ARCHITECTURES, Described, config_of, zero_biases
from core.checkpoints.gguf_header import Placed, read_header
from core.checkpoints.recognise import refuse_impostor
from core.device import no_room
from core.errors import CheckpointError, UnsupportedModel

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
        shapes = {name: placed.shape for name, placed in header.tensors.items()}
        self._described = Described(path=path, metadata=self.metadata, shapes=shapes)
        self._check()
        self._names = {_renamed(name): name for name in self._tensors if name != ROPE_FACTORS}
        zeros = zero_biases(self._described)
        self._zeros = {_renamed(name): shape for name, shape in zeros.items()}

    def _check(self) -> None:
        architecture = self._described.architecture
        if architecture not in ARCHITECTURES:
            raise UnsupportedModel(
                f"{self.path} has the architecture {architecture!r}; supported in GGUF files "
                f"are {', '.join(ARCHITECTURES)}"
            )
        if self.metadata.get("split.count", 1) not in (0, 1):
            raise UnsupportedModel(f"{self.path} is one of several parts; merge them into one file")
        if self._described.said("expert_count", 0):
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

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        own = {name: self._tensors[theirs].shape for name, theirs in self._names.items()}
        return own | self._zeros

    @cached_property
    def dtypes(self) -> Mapping[str, str]:
        kinds = {n: _type_name(self._tensors[theirs].kind) for n, theirs in self._names.items()}
        own = {name: _STORED.get(kind, kind) for name, kind in kinds.items()}
        return own | dict.fromkeys(self._zeros, "float32")

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        if name in self._zeros:
            return torch.zeros(self._zeros[name])
        theirs = self._names[name]
        tensor = self._array(theirs)
        part = re.fullmatch(r"blk\.\d+\.attn_([qk])\.(weight|bias)", theirs)
        if part is None or self._described.architecture != "llama":
            return tensor
        heads = self._described.whole("attention.head_count")
        if part[1] == "k":
            heads = self._described.whole("attention.head_count_kv", heads)
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
        divided = ROPE_FACTORS in self._tensors
        return config_of(
            self._described, self._array(ROPE_FACTORS).flatten().tolist() if divided else None
        )


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

"""Models of the reference written as GGUF files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from torch import Tensor

Kind = gguf.GGMLQuantizationType
NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.o_proj": "attn_output",
}


def their_name(name: str) -> str:
    name = re.sub(r"model\.layers\.", "blk.", name)
    name = re.sub(r"self_attn\.([qkv])_proj", r"attn_\1", name)
    name = re.sub(r"self_attn\.([qk])_norm", r"attn_\1_norm", name)
    name = re.sub(r"mlp\.(gate|up|down)_proj", r"ffn_\1", name)
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


def permuted(tensor: Tensor, heads: int) -> Tensor:
    """As llama.cpp's converter stores q and k."""
    rows, *rest = tensor.shape
    return tensor.reshape(heads, 2, rows // heads // 2, *rest).swapaxes(1, 2).reshape(rows, *rest)


def write(
    path: Path,
    model: Any,
    kind: Kind = Kind.F32,
    *,
    architecture: str = "llama",
    more: Callable[[gguf.GGUFWriter], None] = lambda writer: None,
) -> Path:
    """A model of the reference as GGUF; norms and biases stay in float32, as everywhere."""
    config = model.config
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("Tiny one")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    if getattr(config, "head_dim", None):
        writer.add_key_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    more(writer)
    for name, tensor in model.state_dict().items():
        part = re.search(r"self_attn\.([qk])_proj", name)
        if part is not None and architecture == "llama":
            q = part[1] == "q"
            heads = config.num_attention_heads if q else config.num_key_value_heads
            tensor = permuted(tensor, heads)
        values = tensor.numpy()
        if tensor.dim() == 1 or kind == Kind.F32:
            writer.add_tensor(their_name(name), np.ascontiguousarray(values))
        else:
            stored = gguf.quantize(np.ascontiguousarray(values), kind)
            writer.add_tensor(their_name(name), stored, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path

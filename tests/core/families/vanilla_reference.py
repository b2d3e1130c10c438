"""The 2017 Transformer made with torch's own functions; nothing is shared with ours."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.value, self.output = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, y: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """torch's reference function for attention, which also returns the weights."""
        out, weights = nn.functional.multi_head_attention_forward(
            x.transpose(0, 1),
            y.transpose(0, 1),
            y.transpose(0, 1),
            embed_dim_to_check=x.shape[-1],
            num_heads=self.heads,
            in_proj_weight=torch.cat([self.query.weight, self.key.weight, self.value.weight]),
            in_proj_bias=torch.cat([self.query.bias, self.key.bias, self.value.bias]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=self.output.weight,
            out_proj_bias=self.output.bias,
            training=False,
            attn_mask=hidden,
            average_attn_weights=False,
        )
        return out.transpose(0, 1), weights


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.outer(torch.relu(self.inner(x)))
        return out


class Layer(nn.Module):
    def __init__(self, config: dict[str, Any], *, cross: bool) -> None:
        super().__init__()
        d_model, heads = config["d_model"], config["num_attention_heads"]
        self.self_attention = Attention(d_model, heads)
        self.self_attention_norm = nn.LayerNorm(d_model)
        if cross:
            self.cross_attention = Attention(d_model, heads)
            self.cross_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, config["d_ff"])
        self.feed_forward_norm = nn.LayerNorm(d_model)


class Side(nn.Module):
    def __init__(self, config: dict[str, Any], layers: int, *, cross: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(config, cross=cross) for _ in range(layers))


class Transformer2017(nn.Module):
    """Vaswani et al. 2017, section 3, word for word."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.settings = config
        self.embedding = nn.Embedding(config["vocab_size"], config["d_model"])
        self.encoder = Side(config, config["encoder_layers"], cross=False)
        self.decoder = Side(config, config["decoder_layers"], cross=True)

    def embed(self, ids: Tensor) -> Tensor:
        d_model = self.settings["d_model"]
        table = torch.zeros(ids.shape[1], d_model)
        for position in range(ids.shape[1]):
            for i in range(0, d_model, 2):
                angle = position / 10000 ** (i / d_model)
                table[position, i], table[position, i + 1] = math.sin(angle), math.cos(angle)
        embedded: Tensor = self.embedding(ids) * math.sqrt(d_model) + table
        return embedded

    def forward(
        self,
        input_ids: Tensor,
        decoder_input_ids: Tensor,
        attention_mask: Tensor | None = None,
        **asked: bool,
    ) -> dict[str, Any]:
        sources, targets = input_ids.shape[1], decoder_input_ids.shape[1]
        unseen = torch.zeros(sources, dtype=torch.bool)
        if attention_mask is not None:
            unseen = attention_mask[0] == 0
        maps: dict[str, list[Tensor]] = {"encoder": [], "decoder": [], "cross": []}
        x = self.embed(input_ids)
        states = {"encoder": [x], "decoder": []}
        for layer in self.encoder.layers:
            a, weights = layer.self_attention(x, x, unseen.expand(sources, sources))
            maps["encoder"].append(weights)
            x = layer.self_attention_norm(x + a)
            x = layer.feed_forward_norm(x + layer.feed_forward(x))
            states["encoder"].append(x)
        y = self.embed(decoder_input_ids)
        states["decoder"].append(y)
        later = torch.ones(targets, targets, dtype=torch.bool).triu(1)
        for layer in self.decoder.layers:
            a, weights = layer.self_attention(y, y, later)
            maps["decoder"].append(weights)
            y = layer.self_attention_norm(y + a)
            a, weights = layer.cross_attention(y, x, unseen.expand(targets, sources))
            maps["cross"].append(weights)
            y = layer.cross_attention_norm(y + a)
            y = layer.feed_forward_norm(y + layer.feed_forward(y))
            states["decoder"].append(y)
        return {
            "logits": y @ self.embedding.weight.T,
            "encoder_hidden_states": states["encoder"],
            "decoder_hidden_states": states["decoder"],
            "encoder_attentions": maps["encoder"],
            "decoder_attentions": maps["decoder"],
            "cross_attentions": maps["cross"],
        }

    def save_pretrained(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(self.settings), encoding="utf-8")
        tensors = {name: t.detach().contiguous() for name, t in self.state_dict().items()}
        save_file(tensors, folder / "model.safetensors")

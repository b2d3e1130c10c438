"""The translator's network against torch.nn.Transformer, an independent 2017 encoder-decoder."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from core.layers.positions import Sinusoidal
from core.model import Transformer
from core.spec import SinusoidalPositions
from training import shapes

VOCAB = 50
KEYS, QUERIES = 11, 7


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Transformer:
    monkeypatch.setattr(shapes, "D_MODEL", 32)
    monkeypatch.setattr(shapes, "D_HEAD", 4)
    made = Transformer(shapes.translator_spec(VOCAB)).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            drawn = torch.empty_like(parameter).normal_(0, 0.3, generator=generator)
            parameter.copy_(drawn + 1 if name.endswith("norm.weight") else drawn)
    return made


def reference(network: Transformer) -> nn.Transformer:
    """torch's own, given the same weights."""
    made = nn.Transformer(
        d_model=32,
        nhead=8,
        num_encoder_layers=3,
        num_decoder_layers=3,
        dim_feedforward=shapes.TRANSLATOR_FF,
        dropout=0.0,
        batch_first=True,
    ).eval()
    # The paper has no norm after the last layer; torch adds one.
    made.encoder.norm = made.decoder.norm = None
    state: dict[str, Tensor] = {}
    for name, value in network.state_dict().items():
        stack, _, rest = name.partition(".blocks.")
        if not rest:
            continue
        layer, _, part = rest.partition(".")
        theirs = f"{stack}.layers.{layer}"
        last = 3 if stack == "decoder" else 2
        for mine, its in (
            ("attention.out", "self_attn.out_proj"),
            ("cross.out", "multihead_attn.out_proj"),
            ("feedforward.inner", "linear1"),
            ("feedforward.out", "linear2"),
            ("residual.self.norm", "norm1"),
            ("residual.cross.norm", "norm2"),
            ("residual.ffn.norm", f"norm{last}"),
        ):
            if part.startswith(mine + "."):
                state[f"{theirs}.{its}{part.removeprefix(mine)}"] = value
        for mine, its in (("attention", "self_attn"), ("cross", "multihead_attn")):
            if part.startswith(f"{mine}.q."):
                kind = part.rsplit(".", 1)[1]
                parts = [network.state_dict()[name.replace(".q.", f".{x}.")] for x in "qkv"]
                state[f"{theirs}.{its}.in_proj_{kind}"] = torch.cat(parts)
    made.load_state_dict(state, strict=True)
    return made


def embedded(network: Transformer, ids: Tensor) -> Tensor:
    """Embedding · √d + the sinusoids of section 3.5, written out."""
    place = torch.arange(ids.shape[1]).float()
    table = torch.zeros(ids.shape[1], 32)
    for i in range(16):
        angle = place / 10000 ** (2 * i / 32)
        table[:, 2 * i], table[:, 2 * i + 1] = angle.sin(), angle.cos()
    token = network.stack("encoder").embedding.token.weight
    return token[ids] * math.sqrt(32) + table


def test_states_and_logits_are_those_of_torchs_transformer(network: Transformer) -> None:
    generator = torch.Generator().manual_seed(1)
    source = torch.randint(3, VOCAB, (2, KEYS), generator=generator)
    source[1, -3:] = 0
    target = torch.randint(3, VOCAB, (2, QUERIES), generator=generator)
    padding = source == 0
    with torch.inference_mode():
        memory = network.encode(source, padding=padding)
        states = network.decode(target, memory=memory, memory_padding=padding)
        wanted = reference(network)(
            embedded(network, source),
            embedded(network, target),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(QUERIES),
            src_key_padding_mask=padding.float().masked_fill(padding, float("-inf")),
            memory_key_padding_mask=padding.float().masked_fill(padding, float("-inf")),
        )
        logits = network.vocab_logits(states)
    torch.testing.assert_close(states, wanted, atol=1e-4, rtol=0)
    table = network.stack("encoder").embedding.token.weight
    torch.testing.assert_close(logits, wanted @ table.T, atol=1e-3, rtol=0)


def test_the_sinusoids_alternate() -> None:
    table = Sinusoidal(SinusoidalPositions(size=9), 6)(torch.tensor([3]))
    wanted = [f(3 / 10000 ** (2 * i / 6)) for i in range(3) for f in (math.sin, math.cos)]
    assert table[0].tolist() == pytest.approx(wanted, abs=1e-6)

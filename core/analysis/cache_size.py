"""What a key/value cache needs, as the model is and as it would be with other head sharing."""

from __future__ import annotations

from dataclasses import dataclass

from core.spec import AttentionSpec, StackSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheNeed:
    """Bytes for one token in all layers. label says which sharing: MHA, GQA, MQA or MLA. is_own:
    what the cache here holds of this model; of latent attention that is MHA, as keys and values of
    every head are held, not the latent vector they are made from."""

    label: str
    kv_heads: int
    bytes_per_token: int
    is_own: bool

    def total(self, tokens: int) -> int:
        return self.bytes_per_token * tokens


def per_token(attention: AttentionSpec, *, kv_heads: int | None = None, itemsize: int = 4) -> int:
    """Bytes of one layer's keys and values for one token, as this project and others cache them."""
    heads = attention.kv_heads if kv_heads is None else kv_heads
    return heads * (attention.d_head + attention.value_size) * itemsize


def latent_per_token(attention: AttentionSpec, *, itemsize: int = 4) -> int:
    """Bytes when only the shared latent and the rotary key are kept (DeepSeek-V2, section 2.1).

    For a model that has no latent: with that paper's sizes, 4 · d_head and d_head / 2.
    """
    if attention.latent is None:
        return (4 * attention.d_head + attention.d_head // 2) * itemsize
    return (attention.latent.kv_rank + attention.latent.d_rope) * itemsize


def needs(stack: StackSpec, *, itemsize: int = 4) -> tuple[CacheNeed, ...]:
    """The same stack under multi-head, its own or a quarter grouped, multi-query and latent
    caching."""
    first = stack.blocks[0].attention
    own = first.kv_heads
    grouped = own if 1 < own < first.heads else _quarter(first.heads)
    found = []
    for label, kv_heads in (("MHA", first.heads), ("GQA", grouped), ("MQA", 1)):
        if label == "GQA" and kv_heads in (1, first.heads):
            continue
        size = sum(
            per_token(b.attention, kv_heads=kv_heads, itemsize=itemsize) for b in stack.blocks
        )
        found.append(
            CacheNeed(
                label=label,
                kv_heads=kv_heads,
                bytes_per_token=size,
                is_own=kv_heads == own,
            )
        )
    latent = sum(latent_per_token(b.attention, itemsize=itemsize) for b in stack.blocks)
    found.append(CacheNeed(label="MLA", kv_heads=1, bytes_per_token=latent, is_own=False))
    return tuple(found)


def _quarter(heads: int) -> int:
    """The divisor of `heads` nearest to a quarter of it."""
    return min((g for g in range(1, heads + 1) if heads % g == 0), key=lambda g: abs(g - heads / 4))
